import { useState } from 'preact/hooks'
import type { DeviceConfig, FolderConfig } from '../../../src/core/config/config.ts'
import { PASSWORD_BYTES, passwordFrom } from '../../../src/core/encryption/folder-password.ts'
import { closeDialog, openDialog } from '../../base/dialogs.tsx'
import { deviceName, otherDevices } from '../../view-model/device.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { hasReadableFolder, knownPassword, shareList, sharesOf, withShare } from '../../view-model/share.ts'
import { readableCopyAt } from '../../view-model/share-state.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { CheckField, SelectField } from '../../ui/field.tsx'
import { t } from '../../i18n/texts.ts'
import { EncryptionPassword } from './encryption-password.tsx'
import { focusFirstWrong, Refusal } from './form.tsx'
import { PasswordSheetDialog } from './password-sheet.tsx'
import { useSaving } from './use-form.ts'

/** Shares a folder with a device that must not read it: which one, the password, and what that device can see. */
export function ShareEncryptedDialog({ folder }: { readonly folder: FolderConfig }) {
  const state = useLive((value) => value)
  const devices = otherDevices(state)
  const copyAt = ({ deviceID }: DeviceConfig) => readableCopyAt(state, folder, deviceID)
  const [deviceId, setDeviceId] = useState(() => {
    const possible = devices.filter((each) => copyAt(each) === 'none')
    return (possible.find(({ untrusted }) => untrusted) ?? possible[0] ?? devices[0])?.deviceID
  })
  const [password, setPassword] = useState(() => knownPassword(folder) ?? newPassword())
  const [isSaved, setSaved] = useState(false)
  const [tried, setTried] = useState(false)
  const saving = useSaving()
  const device = devices.find(({ deviceID }) => deviceID === deviceId)
  const name = folderName(folder)
  const reader = device === undefined ? '' : deviceName(device)
  const copy = device === undefined ? 'none' : copyAt(device)
  const submit = async () => {
    setTried(true)
    if (device === undefined || copy !== 'none' || password === '' || !isSaved)
      return requestAnimationFrame(focusFirstWrong)
    const localId = state.system?.myID
    const shares = withShare(sharesOf(folder.devices, localId), device.deviceID, password)
    const done = await saving.saveConfig(
      async () => {
        await client.changeFolder(folder.id, { devices: shareList(folder.devices, shares, localId) })
        if (device.untrusted || hasReadableFolder(state.config?.folders ?? [], device.deviceID, folder.id)) return
        await client.call('PATCH /rest/config/devices/:id', { id: device.deviceID, body: { untrusted: true } })
      },
      t('encrypt.done', { folder: name, device: reader }),
    )
    if (!done) return undefined
    closeDialog()
  }
  const sheet = () =>
    openDialog(() => <PasswordSheetDialog folder={name} folderId={folder.id} reader={reader} password={password} />)
  return (
    <Dialog
      title={t('encrypt.shareTitle', { folder: name })}
      actions={<Actions busy={saving.busy} />}
      onSubmit={submit}
    >
      <Refusal text={saving.refusal} />
      {device === undefined ? (
        <p class="soft">{t('add.noDevices')}</p>
      ) : (
        <>
          <SelectField
            label={t('encrypt.device')}
            value={device.deviceID}
            options={devices.map((each) => ({ value: each.deviceID, text: deviceName(each) }))}
            error={copy === 'none' ? undefined : t(`encrypt.readable.${copy}`, { device: reader })}
            onChange={setDeviceId}
          />
          {copy === 'none' && (
            <EncryptionPassword
              reader={reader}
              error={tried && password === '' ? t('add.needsPassword') : undefined}
              password={password}
              onChange={setPassword}
              onSheet={sheet}
            />
          )}
          {copy === 'none' && (
            <CheckField
              label={t('encrypt.passwordSaved')}
              help={tried && !isSaved ? t('encrypt.savePasswordFirst') : undefined}
              checked={isSaved}
              onChange={setSaved}
            />
          )}
        </>
      )}
    </Dialog>
  )
}

function newPassword(): string {
  return passwordFrom(crypto.getRandomValues(new Uint8Array(PASSWORD_BYTES)))
}

function Actions({ busy }: { readonly busy: boolean }) {
  return (
    <>
      <Button onClick={() => closeDialog()}>{t('do.cancel')}</Button>
      <Button kind="primary" type="submit" disabled={busy}>
        {t('encrypt.share')}
      </Button>
    </>
  )
}
