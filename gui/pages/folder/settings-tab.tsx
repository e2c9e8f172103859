import type { FolderConfig } from '../../../src/core/config/config.ts'
import { addressOf } from '../../base/address.ts'
import { openDialog } from '../../base/dialogs.tsx'
import { deviceName } from '../../view-model/device.ts'
import { folderName } from '../../view-model/folder-name.ts'
import { formatDuration } from '../../i18n/format.ts'
import { useLive } from '../../live/live.ts'
import { Button } from '../../ui/button.tsx'
import { DescriptionList, Section } from '../../ui/parts.tsx'
import { t, type TextKey } from '../../i18n/texts.ts'
import { EditFolderDialog } from '../edit/edit-folder.tsx'

/** The settings of the folder as text; the dialog changes them. */
export function SettingsTab({ folder }: { readonly folder: FolderConfig }) {
  const edit = (
    <Button
      needs="admin"
      kind="primary"
      icon="settings"
      onClick={() => openDialog(() => <EditFolderDialog folder={folder} />)}
    >
      {t('do.edit')}
    </Button>
  )
  return (
    <Section title={folderName(folder)} actions={edit}>
      <div class="card">
        <DescriptionList
          rows={[
            [t('set.id'), <span class="mono">{folder.id}</span>],
            [t('fold.path'), <span class="mono">{folder.path}</span>],
            [t('fold.type'), t(`fold.type.${folder.type}`)],
            [t('fold.sharedWith'), <SharedWith folder={folder} />],
            [t('set.watch'), watchText(folder)],
            [t('set.versions'), t(versionsKey(folder.versioning.type))],
            [t('set.order'), t(`set.order.${folder.order}`)],
            [t('set.free'), `${folder.minDiskFree.value} ${folder.minDiskFree.unit}`],
          ]}
        />
      </div>
    </Section>
  )
}

function SharedWith({ folder }: { readonly folder: FolderConfig }) {
  const devices = useLive((state) => state.config?.devices) ?? []
  const myId = useLive((state) => state.system?.myID)
  const others = devices.filter(
    ({ deviceID }) => deviceID !== myId && folder.devices.some((each) => each.deviceID === deviceID),
  )
  if (others.length === 0) return <span>{t('fold.notShared')}</span>
  return (
    <ul class="folder-devices">
      {others.map((device) => (
        <li key={device.deviceID}>
          <a href={addressOf('devices', device.deviceID)}>{deviceName(device)}</a>
        </li>
      ))}
    </ul>
  )
}

function watchText({ fsWatcherEnabled, rescanIntervalS }: FolderConfig): string {
  const time = formatDuration(rescanIntervalS)
  if (rescanIntervalS <= 0) return t(fsWatcherEnabled ? 'set.watchOnly' : 'set.watchNone')
  return t(fsWatcherEnabled ? 'set.watchOn' : 'set.watchOff', { time })
}

const VERSION_WORDS: Readonly<Record<string, TextKey>> = {
  trashcan: 'set.versions.trashcan',
  simple: 'set.versions.simple',
  staggered: 'set.versions.staggered',
  external: 'set.versions.external',
}

function versionsKey(type: string): TextKey {
  return Object.hasOwn(VERSION_WORDS, type) ? (VERSION_WORDS[type] ?? 'set.versions.none') : 'set.versions.none'
}
