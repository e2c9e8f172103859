import { PASSWORD_BYTES, passwordFrom, strengthOf } from '../../../src/core/encryption/folder-password.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'

interface EncryptionPasswordProps {
  /** The device that must not read the folder. */
  readonly reader: string
  readonly error: string | undefined
  readonly password: string
  readonly onChange: (password: string) => void
  /** Shows the password to be printed or saved. */
  readonly onSheet: () => void
}

/** The password of a folder for an untrusted device, with what it means and a way to keep it. */
export function EncryptionPassword({ reader, error, password, onChange, onSheet }: EncryptionPasswordProps) {
  const make = () => onChange(passwordFrom(crypto.getRandomValues(new Uint8Array(PASSWORD_BYTES))))
  return (
    <>
      <TextField
        label={t('add.encryptFor', { device: reader })}
        help={t('add.encryptHelp')}
        error={error}
        value={password}
        onChange={onChange}
      />
      {password === '' ? (
        <Button kind="quiet" icon="lock" onClick={make}>
          {t('encrypt.make')}
        </Button>
      ) : (
        <>
          <p class="field-help">
            {t(`encrypt.${strengthOf(password)}`)} {t('encrypt.keep')}
          </p>
          <Button kind="quiet" icon="download" onClick={onSheet}>
            {t('encrypt.showSheet')}
          </Button>
        </>
      )}
      <ul class="field-help encrypt-sees">
        <li>{t('encrypt.canSee')}</li>
        <li>{t('encrypt.cannotSee')}</li>
      </ul>
    </>
  )
}
