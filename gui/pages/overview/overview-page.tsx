import { otherDevices } from '../../facts/device.ts'
import { useLive } from '../../live/live.ts'
import { Empty, Section } from '../../ui/parts.tsx'
import { t } from '../../words/words.ts'
import { DeviceRow } from '../device/device-row.tsx'
import { FolderRow } from '../folder/folder-row.tsx'

/** Is everything fine? Folders, devices, and who wants something. */
export function OverviewPage() {
  const folders = useLive((state) => state.config?.folders) ?? []
  const devices = otherDevices(useLive((state) => state))
  return (
    <>
      <h1 class="unseen">{t('nav.overview')}</h1>
      <Section title={t('nav.folders')}>
        {folders.length === 0 ? <Empty>{t('overview.noFolders')}</Empty> : <div class="rows">{folders.map((folder) => <FolderRow key={folder.id} folder={folder} />)}</div>}
      </Section>
      <Section title={t('nav.devices')}>
        {devices.length === 0 ? <Empty>{t('overview.noDevices')}</Empty> : <div class="rows">{devices.map((device) => <DeviceRow key={device.deviceID} device={device} />)}</div>}
      </Section>
    </>
  )
}
