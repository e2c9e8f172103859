import { PASSWORD_BYTES, passwordFrom, strengthOf } from '../../facts/folder-password.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { t } from '../../words/words.ts'

interface EncryptionPasswordProps {
  /** The device that must not read the folder. */
  readonly reader: string
  readonly error: string | undefined
  readonly password: string
  readonly onChange: (password: string) => void
}

/** The password of a folder for an untrusted device, with what it means and a way to keep it. */
export function EncryptionPassword({ reader, error, password, onChange }: EncryptionPasswordProps) {
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
          <Button kind="quiet" icon="download" onClick={() => save(reader, password)}>
            {t('encrypt.save')}
          </Button>
        </>
      )}
      <p class="field-help">{t('encrypt.sees')}</p>
    </>
  )
}

/** As a text file, to be printed or kept elsewhere. It is made here and never sent. */
function save(reader: string, password: string): void {
  const lines = [t('encrypt.sheet', { device: reader }), '', password, '', t('encrypt.sheetHelp')]
  const link = document.createElement('a')
  link.href = `data:text/plain;charset=utf-8,${encodeURIComponent(`${lines.join('\n')}\n`)}`
  link.download = 'twinfold-password.txt'
  link.click()
}
