import { useOtherDevices } from '../../live/facts.ts'
import { Empty } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'
import { AddDeviceButton } from '../overview/add-buttons.tsx'
import { WaitingForYou } from '../overview/waiting-for-you.tsx'
import { DeviceRows } from './device-row.tsx'

/** All other devices, and those that would like to be. */
export function DevicesPage() {
  const devices = useOtherDevices()
  return (
    <>
      <header class="page-head">
        <h1>{t('nav.devices')}</h1>
        <div class="page-actions">
          <AddDeviceButton kind="primary" long />
        </div>
      </header>
      <WaitingForYou />
      {devices.length === 0 ? <Empty>{t('overview.noDevices')}</Empty> : <DeviceRows devices={devices} />}
    </>
  )
}
