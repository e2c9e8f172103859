import { closeDialog } from '../../base/dialogs.tsx'
import { saveFile } from '../../app/save-file.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { QrCode } from '../../ui/qr-code.tsx'
import { t } from '../../i18n/texts.ts'

export interface SheetProps {
  /** The name of the folder. */
  readonly folder: string
  readonly folderId: string
  /** The device that stores the data. */
  readonly reader: string
  readonly password: string
}

/** The password to be printed or saved. It is made here and never sent. */
export function PasswordSheetDialog({ folder, folderId, reader, password }: SheetProps) {
  const command = `twinfold decrypt DIRECTORY --folder-id ${folderId} --to DIRECTORY`
  // The password comes first: `--password-file` takes the first line of the saved file.
  const lines = [password, '', t('encrypt.sheet', { device: reader }), t('encrypt.sheetHelp'), command]
  const save = () => saveFile('twinfold-password.txt', `${lines.join('\n')}\n`, 'text/plain')
  const actions = (
    <>
      <Button icon="download" onClick={save}>
        {t('encrypt.save')}
      </Button>
      <Button onClick={() => print()}>{t('encrypt.print')}</Button>
      <Button kind="primary" onClick={() => closeDialog()}>
        {t('do.close')}
      </Button>
    </>
  )
  return (
    <Dialog title={t('encrypt.sheetTitle', { folder })} actions={actions}>
      <div class="password-sheet">
        <p>{t('encrypt.sheet', { device: reader })}</p>
        <p class="password-text">{password}</p>
        <QrCode text={password} label={t('encrypt.qr')} />
        <p class="soft">{t('encrypt.sheetHelp')}</p>
        <p>
          <code>{command}</code>
        </p>
      </div>
    </Dialog>
  )
}
