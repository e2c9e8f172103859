import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { ItemJson } from '../../../src/rest/twinfold.ts'
import { nameOf } from '../../facts/device.ts'
import { formatSize } from '../../facts/format.ts'
import { itemFacts } from '../../facts/item-state.ts'
import { live } from '../../live/live.ts'
import { Icon } from '../../ui/icon.tsx'
import { Ago } from '../../ui/parts.tsx'
import { visibleName } from '../../words/visible-name.ts'
import { t } from '../../words/words.ts'
import { openFile } from './file-drawer.tsx'
import { DeviceMark, ItemState } from './item-state.tsx'

const ICONS = { file: 'file', directory: 'folder', symlink: 'link' } as const

export function FilesHead() {
  return (
    <thead>
      <tr>
        <th scope="col">{t('files.name')}</th>
        <th scope="col" class="number">
          {t('files.size')}
        </th>
        <th scope="col">{t('files.modified')}</th>
        <th scope="col">{t('files.state')}</th>
        <th scope="col">{t('files.devices')}</th>
        <th scope="col">
          <span class="unseen">{t('do.actions')}</span>
        </th>
      </tr>
    </thead>
  )
}

/** The position of a row in a tree. */
interface Branch {
  readonly index: number
  readonly level: number
  /** Undefined for what cannot be opened. */
  readonly expanded: boolean | undefined
  readonly isStop: boolean
  readonly onToggle: () => void
}

export interface FileRowProps {
  readonly folder: FolderConfig
  readonly item: ItemJson
  readonly path: string
  readonly branch?: Branch
}

/** One item: its name, its size and time, its state here and on each device. */
export function FileRow({ folder, item, path, branch }: FileRowProps) {
  const tree = branch && {
    'aria-level': branch.level,
    'aria-expanded': branch.expanded,
    tabIndex: branch.isStop ? 0 : -1,
    'aria-rowindex': branch.index + 2,
    'data-index': branch.index,
  }
  return (
    <tr {...tree}>
      <td class="files-name" style={branch && { '--level': String(branch.level - 1) }}>
        <NameCell folder={folder.id} item={item} path={path} branch={branch} />
      </td>
      <td class="number">{item.type === 'file' && formatSize(item.sizeBytes)}</td>
      <td class="files-time">
        <Ago time={item.modified} />
      </td>
      <td>
        <ItemState code={itemFacts({ ...item, isFile: item.type === 'file' }, folder).code} />
      </td>
      <td>
        <ul class="marks">
          {item.devices.map(({ deviceID, version }) => (
            <DeviceMark key={deviceID} name={nameOf(live.get(), deviceID)} version={version} />
          ))}
        </ul>
      </td>
      <td class="files-row-actions">
        <button
          type="button"
          class="button quiet icon-only"
          tabIndex={branch && -1}
          aria-label={t('files.details', { name: item.name })}
          title={t('files.details', { name: item.name })}
          onClick={() => openFile(folder.id, path)}
        >
          <Icon name="more" />
        </button>
      </td>
    </tr>
  )
}

function NameCell({
  folder,
  item,
  path,
  branch,
}: {
  readonly folder: string
  readonly item: ItemJson
  readonly path: string
  readonly branch: Branch | undefined
}) {
  const isOpenable = branch?.expanded !== undefined
  const label = isOpenable ? t(branch.expanded ? 'files.collapse' : 'files.expand', { name: item.name }) : undefined
  return (
    <button
      type="button"
      class={`files-open${isOpenable ? ' openable' : ''}`}
      tabIndex={branch && -1}
      title={visibleName(item.name)}
      aria-label={label}
      onClick={isOpenable ? branch.onToggle : () => openFile(folder, path)}
    >
      {branch && <span class="files-chevron">{isOpenable && <Icon name="chevron" size={14} />}</span>}
      <Icon name={ICONS[item.type]} size={16} />
      <span class="files-label">{visibleName(item.name)}</span>
    </button>
  )
}
