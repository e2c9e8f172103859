import { useState } from 'preact/hooks'
import { openDialog } from '../../base/dialogs.tsx'
import { Button } from '../../ui/button.tsx'
import { CheckField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'
import { EncryptionPassword } from './encryption-password.tsx'
import { PasswordSheetDialog } from './password-sheet.tsx'

export interface ShareRowProps {
  readonly name: string
  readonly help?: string
  /** The device the folder is shared with. */
  readonly reader: string
  readonly folder: { readonly id: string; readonly name: string }
  readonly mustHide: boolean
  /** Undefined where nothing is shared; empty where it is shared as it is. */
  readonly password: string | undefined
  readonly onChange: (password: string | undefined) => void
}

/** One folder and one device: shared or not, and the encryption password. */
export function ShareRow({ name, help, reader, folder, mustHide, password, onChange }: ShareRowProps) {
  const [wantsPassword, setWantsPassword] = useState(password !== undefined && password !== '')
  const isPasswordShown = password !== undefined && (wantsPassword || mustHide)
  const missing = mustHide && password === '' ? t('add.needsPassword') : undefined
  return (
    <li>
      <div class="edit-share">
        <CheckField
          label={name}
          help={help}
          checked={password !== undefined}
          onChange={(checked) => onChange(checked ? '' : undefined)}
        />
        {password !== undefined && !isPasswordShown && (
          <Button
            kind="quiet"
            icon="lock"
            label={t('add.encryptFor', { device: reader })}
            onClick={() => setWantsPassword(true)}
          />
        )}
      </div>
      {isPasswordShown && (
        <EncryptionPassword
          reader={reader}
          error={missing}
          password={password}
          onChange={onChange}
          onSheet={() =>
            openDialog(() => (
              <PasswordSheetDialog folder={folder.name} folderId={folder.id} reader={reader} password={password} />
            ))
          }
        />
      )}
    </li>
  )
}
