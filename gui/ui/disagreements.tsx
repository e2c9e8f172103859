import { deviceNameById } from '../view-model/device.ts'
import { folderName } from '../view-model/folder-name.ts'
import { useLive } from '../live/live.ts'
import { t } from '../i18n/texts.ts'
import { Icon } from './icon.tsx'

interface DisagreementsProps {
  readonly folderId?: string
  readonly deviceId?: string
}

/** Why a folder is not exchanged with a device: the encryption is configured differently on both, with the remedy. */
export function Disagreements({ folderId, deviceId }: DisagreementsProps) {
  const state = useLive((value) => value)
  const found = state.disagreements.filter(
    ({ folder, deviceID }) =>
      (folderId === undefined || folder === folderId) && (deviceId === undefined || deviceID === deviceId),
  )
  const labelOf = (id: string | null): string => {
    const folder = state.config?.folders.find((each) => each.id === id)
    return folder === undefined ? '' : `${folderName(folder)}: `
  }
  return (
    <>
      {found.map(({ deviceID, folder, code, reason }) => (
        <div key={`${deviceID} ${folder}`} class="folder-stopped" role="alert">
          <Icon name="error" />
          <div>
            <strong title={reason}>
              {deviceId === undefined ? '' : labelOf(folder)}
              {t('disagree.title', { device: deviceNameById(state, deviceID) })}
            </strong>
            <p>{t(`disagree.${code}`)}</p>
          </div>
        </div>
      ))}
    </>
  )
}
