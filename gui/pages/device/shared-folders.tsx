import { detach } from '../../../src/core/errors.ts'
import type { DeviceConfig, FolderConfig } from '../../../src/core/config/config.ts'
import { runAction } from '../../app/run-action.ts'
import { addressOf } from '../../base/address.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { deviceName } from '../../view-model/device.ts'
import { byName, folderName } from '../../view-model/folder-name.ts'
import { formatPercent, formatSize } from '../../i18n/format.ts'
import { shareStateOf, type ShareState } from '../../view-model/share-state.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { confirm } from '../../ui/confirm.tsx'
import { ProgressBar, EmptyNote, Section } from '../../ui/parts.tsx'
import { ShareText } from '../../ui/share-text.tsx'
import { language } from '../../i18n/language.ts'
import { t } from '../../i18n/texts.ts'
import { Disagreements } from '../../ui/disagreements.tsx'
import { MissingItemsDialog } from './missing-items-dialog.tsx'
import { changeShare } from './change-share.ts'

/** The folders that are shared with this device, with how much of them it has; others are shared by a dialog. */
export function SharedFolders({ device }: { readonly device: DeviceConfig }) {
  const folders = useLive((state) => state.config?.folders) ?? []
  const shared = folders.filter(({ devices }) => devices.some(({ deviceID }) => deviceID === device.deviceID))
  const add = folders.length > shared.length && !device.untrusted && (
    <Button needs="admin" icon="plus" onClick={() => shareAnother(device)}>
      {t('device.shareAnother')}
    </Button>
  )
  return (
    <Section title={t('device.shared')} actions={add}>
      <Disagreements deviceId={device.deviceID} />
      {shared.length === 0 && (
        <EmptyNote>{t(folders.length === 0 ? 'device.noFolders' : 'device.noneShared')}</EmptyNote>
      )}
      {shared.length > 0 && (
        <ul class="rows">
          {shared.toSorted(byName(language.get())).map((folder) => (
            <SharedFolder key={folder.id} folder={folder} device={device} />
          ))}
        </ul>
      )}
      {device.untrusted && <p class="soft device-note">{t('device.needsPassword')}</p>}
    </Section>
  )
}

/** Loaded when it is opened. */
async function shareAnother(device: DeviceConfig): Promise<void> {
  await runAction(async () => {
    const { ShareAnotherDialog } = await import('./share-another.tsx')
    openDialog(() => <ShareAnotherDialog device={device} />)
  })
}

interface SharedFolderProps {
  readonly folder: FolderConfig
  readonly device: DeviceConfig
}

function SharedFolder({ folder, device }: SharedFolderProps) {
  const { deviceID } = device
  const live = useLive((value) => value)
  const state = shareStateOf(live, folder, deviceID)
  return (
    <li class="row device-folder">
      <ShareBox folder={folder} device={device} shared={state.kind !== 'not-shared'} />
      <ShareText state={state} />
      <span class="row-detail">
        {state.kind === 'behind' && <Behind state={state} folder={folder} device={device} />}
      </span>
    </li>
  )
}

function ShareBox({ folder, device, shared }: SharedFolderProps & { readonly shared: boolean }) {
  const names = { folder: folderName(folder), name: deviceName(device) }
  // Sharing with an untrusted device needs a password, which is entered in the folder's settings.
  const isLocked = device.untrusted && !shared
  const change = async (box: HTMLInputElement) => {
    const wanted = box.checked
    if (!wanted) {
      box.checked = true // until it is confirmed and reported by the daemon
      const question = {
        title: t('device.unshareTitle', names),
        text: t('device.unshareText'),
        action: t('device.unshare'),
        plans: [{ folder: folder.id, action: `unshare:${device.deviceID}` }],
      }
      if (!(await confirm(question))) return
    }
    const done = await changeShare(
      folder.id,
      device.deviceID,
      wanted,
      t(wanted ? 'device.nowShared' : 'device.notShared', names),
    )
    if (!done) box.checked = shared
  }
  return (
    <span class="device-box">
      <input
        type="checkbox"
        checked={shared}
        disabled={isLocked}
        aria-label={t('device.shareFolder', names)}
        onChange={(event) => detach(change(event.currentTarget))}
      />
      <a class="row-name" href={addressOf('folders', folder.id)}>
        {folderName(folder)}
      </a>
    </span>
  )
}

/** The number of missing items opens their list. */
function Behind({
  state,
  folder,
  device,
}: SharedFolderProps & { readonly state: ShareState & { readonly kind: 'behind' } }) {
  const open = () => openDialog(() => <MissingItemsDialog folder={folder} device={device} />)
  const text = t('device.behind', { n: state.items, size: formatSize(state.bytes) })
  return (
    <>
      <ProgressBar fraction={state.fraction} label={`${folderName(folder)}: ${formatPercent(state.fraction)}`} />
      <button type="button" class="device-behind" onClick={open}>
        {text}
      </button>
    </>
  )
}
