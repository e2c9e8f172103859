import type { DeviceConfig } from '../../../src/core/config/config.ts'
import { deviceName } from '../../view-model/device.ts'
import { withShare, type Shares } from '../../view-model/share.ts'
import { t } from '../../i18n/texts.ts'
import { ShareRow } from './share-row.tsx'

export interface ShareDevicesProps {
  readonly devices: readonly DeviceConfig[]
  readonly folder: { readonly id: string; readonly name: string }
  readonly shares: Shares
  /** The folder holds encrypted data, so that no password is needed. */
  readonly isHidden: boolean
  readonly onChange: (shares: Shares) => void
}

/** The devices a folder is shared with, one per line; an untrusted device needs a password. */
export function ShareDevices({ devices, folder, shares, isHidden, onChange }: ShareDevicesProps) {
  if (devices.length === 0) return <p class="soft">{t('add.noDevices')}</p>
  return (
    <ul class="edit-shares">
      {devices.map((device) => (
        <ShareRow
          key={device.deviceID}
          name={deviceName(device)}
          reader={deviceName(device)}
          folder={folder}
          mustHide={device.untrusted && !isHidden}
          password={shares[device.deviceID]}
          onChange={(password) => onChange(withShare(shares, device.deviceID, password))}
        />
      ))}
    </ul>
  )
}

/** Whether an untrusted device would get an unencrypted folder. */
export function isPasswordMissing(devices: readonly DeviceConfig[], shares: Shares, isHidden: boolean): boolean {
  return !isHidden && devices.some(({ deviceID, untrusted }) => untrusted && shares[deviceID] === '')
}
