import type { FolderConfig } from '../../../src/core/config/config.ts'
import type { ItemJson } from '../../../src/rest/twinfold.ts'
import { deviceNameById } from '../../view-model/device.ts'
import { formatSize } from '../../i18n/format.ts'
import { itemFacts, type ItemCode } from '../../view-model/item-state.ts'
import { live } from '../../live/live.ts'
import { CutName } from '../../ui/cut-name.tsx'
import { Icon } from '../../ui/icon.tsx'
import { TimeAgo } from '../../ui/parts.tsx'
import type { Column } from '../../ui/table-props.ts'
import { visibleName } from '../../base/visible-name.ts'
import { t } from '../../i18n/texts.ts'
import { KeepBox, type FileChoice } from './choose-files.tsx'
import { baseName } from '../../base/paths.ts'
import { contentAddress, hasContent, previewKind } from '../../view-model/preview.ts'
import { openFile } from './file-drawer.tsx'
import { openViewer } from './file-viewer.tsx'
import { DeviceMark, NewestVersionCount, ItemState } from './item-state.tsx'

const ICONS = { file: 'file', directory: 'folder', symlink: 'link' } as const
/** With more devices than this a row shows how many have the item; their names are in its details. */
const MARKS_MAX = 2

/** One item of a folder: in a tree with its level, in the results of a search without. */
export interface FileLine {
  readonly item: ItemJson
  readonly path: string
  readonly level?: number
  /** Undefined for what cannot be opened. */
  readonly expanded?: boolean | undefined
}

/** Its name, its size and time, its state here and on the other devices. */
export function fileColumns(
  folder: FolderConfig,
  choice: FileChoice,
  onToggle?: (path: string) => void,
): readonly Column<FileLine>[] {
  return [
    {
      id: 'name',
      title: t('files.name'),
      phone: 'name',
      sorts: onToggle !== undefined,
      cell: (line) => (
        <span class="files-name">
          {choice.click && <KeepBox choice={choice} path={line.path} isIgnored={line.item.state === 'ignored'} />}
          <NameCell folder={folder.id} line={line} onToggle={onToggle} />
        </span>
      ),
    },
    {
      id: 'bytes',
      title: t('files.size'),
      phone: 'side',
      isNumber: true,
      sorts: onToggle !== undefined,
      width: '88px',
      cell: ({ item }) => item.type === 'file' && formatSize(item.sizeBytes),
    },
    {
      id: 'time',
      title: t('files.modified'),
      isWide: true,
      sorts: onToggle !== undefined,
      width: '144px',
      cell: ({ item }) => (
        <span class="soft">
          <TimeAgo time={item.modified} />
        </span>
      ),
    },
    {
      id: 'state',
      title: t('files.state'),
      phone: 'line',
      width: '140px',
      cell: ({ item, path }) => <ItemState code={codeOf(item, path, folder, choice)} />,
    },
    {
      id: 'devices',
      title: t('files.devices'),
      width: '200px',
      cell: ({ item }) => <DevicesCell devices={item.devices} />,
    },
    {
      id: 'content',
      title: t('view.title'),
      isUntitled: true,
      isWide: true,
      width: '80px',
      cell: ({ item, path }) =>
        hasContent(item, folder) && (
          <ContentActions item={item} file={{ folder: folder.id, path }} isTree={!!onToggle} />
        ),
    },
    {
      id: 'actions',
      title: t('do.actions'),
      isUntitled: true,
      phone: 'action',
      width: '44px',
      cell: ({ item, path }) => (
        <button
          type="button"
          class="button quiet icon-only"
          tabIndex={onToggle && -1}
          aria-label={t('files.details', { name: item.name })}
          title={t('files.details', { name: item.name })}
          onClick={() => openFile(folder.id, path)}
        >
          <Icon name="more" size={16} />
        </button>
      ),
    },
  ]
}

function codeOf(item: ItemJson, path: string, folder: FolderConfig, { applied }: FileChoice): ItemCode {
  const { code } = itemFacts({ ...item, isFile: item.type === 'file' }, folder)
  return code === 'ignored' && applied.stateOf(path) === 'dropped' ? 'dropped' : code
}

interface ContentActionsProps {
  readonly item: ItemJson
  readonly file: { readonly folder: string; readonly path: string }
  /** In a tree the arrow keys lead to rows, and the Tab key to no button of them. */
  readonly isTree: boolean
}

/** *Open* and *Download*, also of a file that is only on other devices. */
function ContentActions({ item: { name, sizeBytes }, file, isTree }: ContentActionsProps) {
  const kind = previewKind(name, sizeBytes)
  const stop = isTree ? { tabIndex: -1 } : {}
  const [open, download] = [t('view.openNamed', { name }), t('view.downloadNamed', { name })]
  return (
    <span class="files-content">
      {kind !== undefined && (
        <button
          type="button"
          class="button quiet icon-only"
          {...stop}
          aria-label={open}
          title={open}
          onClick={() => openViewer(file, kind)}
        >
          <Icon name="eye" size={16} />
        </button>
      )}
      <a
        class="button quiet icon-only"
        {...stop}
        href={contentAddress(file.folder, file.path, true)}
        download={baseName(file.path)}
        aria-label={download}
        title={download}
      >
        <Icon name="download" size={16} />
      </a>
    </span>
  )
}

interface NameCellProps {
  readonly folder: string
  readonly line: FileLine
  readonly onToggle: ((path: string) => void) | undefined
}

function NameCell({ folder, line: { item, path, level, expanded }, onToggle }: NameCellProps) {
  const label =
    expanded === undefined ? undefined : t(expanded ? 'files.collapse' : 'files.expand', { name: item.name })
  return (
    <button
      type="button"
      class="files-open"
      style={level === undefined ? {} : { '--level': String(level - 1) }}
      tabIndex={onToggle && -1}
      title={visibleName(item.name)}
      aria-label={label}
      onClick={() => (expanded === undefined ? openFile(folder, path) : onToggle?.(path))}
    >
      {level !== undefined && (
        <span class="files-chevron">{expanded !== undefined && <Icon name="chevron" size={14} />}</span>
      )}
      <Icon name={ICONS[item.type]} size={16} />
      <CutName kind="files-label" name={item.name} />
    </button>
  )
}

function DevicesCell({ devices }: Pick<ItemJson, 'devices'>) {
  if (devices.length > MARKS_MAX) return <NewestVersionCount devices={devices} />
  return (
    <ul class="marks">
      {devices.map(({ deviceID, version }) => (
        <DeviceMark key={deviceID} name={deviceNameById(live.get(), deviceID)} version={version} />
      ))}
    </ul>
  )
}
