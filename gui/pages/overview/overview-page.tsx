import { useOtherDevices } from '../../live/use-live-fields.ts'
import { setupShown } from '../../app/dismissed.ts'
import { useStore } from '../../base/store.ts'
import { useLive } from '../../live/live.ts'
import { showsSetup } from '../../view-model/setup.ts'
import { EmptyNote, Section } from '../../ui/parts.tsx'
import { OverTime } from '../../ui/over-time.tsx'
import { t } from '../../i18n/texts.ts'
import { DeviceOverview } from '../device/device-row.tsx'
import { FolderOverview } from '../folder/folder-row.tsx'
import { SetupSteps } from '../setup/setup-steps.tsx'
import { AddDeviceButton, AddFolderButton } from './add-buttons.tsx'
import { NetworkQuestion } from './network-question.tsx'
import { Notices } from './notices.tsx'
import { ThisDevice } from './this-device.tsx'
import { Throughput } from './throughput.tsx'
import { PendingRequests } from './pending-requests.tsx'

/** The overview: notices, pending requests, folders, devices and throughput. */
export function OverviewPage() {
  const folders = useLive((state) => state.config?.folders) ?? []
  const devices = useOtherDevices()
  const shown = useStore(setupShown, (value) => value)
  const hasSetup = useLive((state) => showsSetup(state, shown))
  const isNew = folders.length === 0 && devices.length === 0
  return (
    <>
      <h1 class="unseen">{t('nav.overview')}</h1>
      <Notices />
      {!hasSetup && <NetworkQuestion />}
      <PendingRequests />
      <SetupSteps />
      {!isNew && (
        <>
          <Section title={t('nav.folders')} actions={<AddFolderButton />}>
            {folders.length === 0 ? <EmptyNote>{t('overview.noFolders')}</EmptyNote> : <FolderOverview />}
          </Section>
          <Section title={t('nav.devices')} actions={<AddDeviceButton />}>
            {devices.length === 0 ? <EmptyNote>{t('overview.noDevices')}</EmptyNote> : <DeviceOverview />}
          </Section>
        </>
      )}
      <div class="overview-foot">
        <Throughput />
        <ThisDevice />
      </div>
      {!isNew && <OverTime of="all" id="" />}
    </>
  )
}
