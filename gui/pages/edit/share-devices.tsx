import { useState } from 'preact/hooks'
import type { DeviceConfig } from '../../../src/core/config.ts'
import { deviceName } from '../../facts/device.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField, TextField } from '../../ui/field.tsx'
import { t } from '../../words/words.ts'

/** With whom a folder is shared: by device id, the password that hides it from that device, or nothing. */
export type Shares = Readonly<Record<string, string>>

export interface ShareDevicesProps {
  readonly devices: readonly DeviceConfig[]
  readonly shares: Shares
  readonly onChange: (shares: Shares) => void
}

/** One line a device; a device that nobody trusts needs a password. */
export function ShareDevices({ devices, shares, onChange }: ShareDevicesProps) {
  if (devices.length === 0) return <p class="soft">{t('add.noDevices')}</p>
  const set = (id: string, password: string | undefined) => {
    const { [id]: _before, ...others } = shares
    onChange(password === undefined ? others : { ...others, [id]: password })
  }
  return (
    <ul class="edit-shares">
      {devices.map((device) => (
        <ShareRow key={device.deviceID} device={device} password={shares[device.deviceID]} onChange={(password) => set(device.deviceID, password)} />
      ))}
    </ul>
  )
}

function ShareRow({ device, password, onChange }: { readonly device: DeviceConfig; readonly password: string | undefined; readonly onChange: (password: string | undefined) => void }) {
  const [encrypts, setEncrypts] = useState(password !== undefined && password !== '')
  const asks = password !== undefined && (encrypts || device.untrusted)
  const missing = device.untrusted && password === '' ? t('add.needsPassword') : undefined
  return (
    <li>
      <div class="edit-share">
        <CheckField label={deviceName(device)} checked={password !== undefined} onChange={(checked) => onChange(checked ? '' : undefined)} />
        {password !== undefined && !asks && <Button kind="quiet" icon="lock" label={t('add.encryptFor', { device: deviceName(device) })} onClick={() => setEncrypts(true)} />}
      </div>
      {asks && <TextField label={t('add.encryptFor', { device: deviceName(device) })} help={t('add.encryptHelp')} error={missing} value={password} onChange={onChange} />}
    </li>
  )
}

/** Whether somebody whom we do not trust would get a folder unhidden. */
export function lacksPassword(devices: readonly DeviceConfig[], shares: Shares): boolean {
  return devices.some(({ deviceID, untrusted }) => untrusted && shares[deviceID] === '')
}
