import { useOtherDevices } from '../../live/use-live-fields.ts'
import { EmptyNote } from '../../ui/parts.tsx'
import { t } from '../../i18n/texts.ts'
import { AddDeviceButton } from '../overview/add-buttons.tsx'
import { PendingRequests } from '../overview/pending-requests.tsx'
import { DeviceRows } from './device-row.tsx'

/** All other devices, and the pending ones. */
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
      <PendingRequests />
      {devices.length === 0 ? <EmptyNote>{t('overview.noDevices')}</EmptyNote> : <DeviceRows />}
    </>
  )
}
