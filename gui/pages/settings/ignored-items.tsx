import type { Config } from '../../../src/core/config/config.ts'
import { changeConfig } from '../../app/run-action.ts'
import { deviceName, shortId } from '../../view-model/device.ts'
import { client } from '../../live/client.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { TimeAgo } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { SettingsCard } from './settings-card.tsx'

/** Ignored devices and folders, and the action to stop ignoring them. */
export function IgnoredItems() {
  const devices = useLive((state) => state.config?.remoteIgnoredDevices) ?? []
  const known = useLive((state) => state.config?.devices) ?? []
  const folders = known.flatMap((device) => device.ignoredFolders.map((folder) => ({ ...folder, device })))
  return (
    <>
      <SettingsCard title={t('settings.ignoredDevices')}>
        {devices.length === 0 && <p class="soft">{t('settings.noIgnoredDevices')}</p>}
        <ul class="settings-ignored">
          {devices.map(({ deviceID, name, address, time }) => (
            <li key={deviceID}>
              <span>
                <b>{name === '' ? shortId(deviceID) : name}</b>{' '}
                <span class="soft">
                  {address} · <TimeAgo time={time} />
                </span>
              </span>
              <Button
                label={t('settings.unignoreOne', { name: name === '' ? shortId(deviceID) : name })}
                needs="admin"
                onClick={() => unignoreDevice(deviceID, name === '' ? shortId(deviceID) : name)}
              >
                {t('settings.unignore')}
              </Button>
            </li>
          ))}
        </ul>
      </SettingsCard>
      <SettingsCard title={t('settings.ignoredFolders')}>
        {folders.length === 0 && <p class="soft">{t('settings.noIgnoredFolders')}</p>}
        <ul class="settings-ignored">
          {folders.map(({ id, label, time, device }) => (
            <li key={`${device.deviceID} ${id}`}>
              <span>
                <b>{label === '' ? id : label}</b>{' '}
                <span class="soft">
                  {t('settings.offeredBy', { device: deviceName(device) })} · <TimeAgo time={time} />
                </span>
              </span>
              <Button
                label={t('settings.unignoreOne', { name: label === '' ? id : label })}
                needs="admin"
                onClick={() => unignoreFolder(device, id, label === '' ? id : label)}
              >
                {t('settings.unignore')}
              </Button>
            </li>
          ))}
        </ul>
      </SettingsCard>
    </>
  )
}

/** Ignored devices are changed only with the whole config, read just before, so that no other change is undone. */
function unignoreDevice(deviceID: string, name: string): Promise<boolean> {
  return changeConfig(
    async () => {
      const config = await client.config()
      const remoteIgnoredDevices = config.remoteIgnoredDevices.filter((device) => device.deviceID !== deviceID)
      await client.call('PUT /rest/config', { body: { ...config, remoteIgnoredDevices } })
    },
    t('settings.unignored', { name }),
  )
}

function unignoreFolder(device: Config['devices'][number], folderId: string, name: string): Promise<boolean> {
  const ignoredFolders = device.ignoredFolders.filter(({ id }) => id !== folderId)
  return changeConfig(
    () => client.call('PATCH /rest/config/devices/:id', { id: device.deviceID, body: { ignoredFolders } }),
    t('settings.unignored', { name }),
  )
}
