import type { ComponentChild } from 'preact'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { addressOf } from '../../base/address.ts'
import { folderState, type FolderState } from '../../view-model/folder-state.ts'
import { folderText } from '../../view-model/folder-text.ts'
import { formatCount, formatDuration, formatRate, formatSize } from '../../i18n/format.ts'
import { isTime } from '../../base/moments.ts'
import { meanRate, secondsLeft } from '../../view-model/rates.ts'
import { folderKey, lastChangeMs, type RowKey } from '../../view-model/row-order.ts'
import { useLiveFields } from '../../live/use-live-fields.ts'
import { live, useLive } from '../../live/live.ts'
import { lookUp } from '../../base/look-up.ts'
import type { LiveState } from '../../live/state.ts'
import { Identity } from '../../ui/identity.tsx'
import { TimeAgo, ProgressBar, StateLabel } from '../../ui/parts.tsx'
import { RowOverview, RowTable } from '../../ui/row-tables.tsx'
import type { Column } from '../../ui/table-props.ts'
import { t } from '../../i18n/texts.ts'
import { FolderBulk } from './folder-bulk.tsx'

function keysOf(state: LiveState): readonly RowKey[] {
  return state.config?.folders.map((folder) => folderKey(state, folder)) ?? []
}

/** All folders, by name, those with errors first; each row opens its page. */
export function FolderRows() {
  return (
    <RowTable
      kind="folder"
      caption={t('nav.folders')}
      columns={columns()}
      keysOf={keysOf}
      filterLabel={t('filter.folders')}
      bulk={(ids, clear) => <FolderBulk ids={ids} onClear={clear} />}
    />
  )
}

export function FolderOverview() {
  const hrefOf = (id: string) => addressOf('folders', id)
  return (
    <RowOverview kind="folder" caption={t('nav.folders')} columns={columns(true)} keysOf={keysOf} hrefOf={hrefOf} />
  )
}

/** `isPlain`: the titles of the columns are not shown. */
function columns(isPlain = false): readonly Column<RowKey>[] {
  return [
    { id: 'name', title: t('files.name'), phone: 'name', sorts: true, cell: (row) => <Name row={row} /> },
    { id: 'state', title: t('table.state'), phone: 'line', width: '36%', sorts: true, cell: withFolder(StateCell) },
    { id: 'bytes', title: t('table.content'), width: '190px', sorts: true, cell: withFolder(Content) },
    {
      id: 'devices',
      title: t('nav.devices'),
      isWide: true,
      width: '96px',
      isNumber: true,
      cell: withFolder(({ folder }) => <Devices folder={folder} isPlain={isPlain} />),
    },
    { id: 'time', title: t('table.changed'), phone: 'side', width: '144px', sorts: true, cell: withFolder(LastChange) },
  ]
}

interface CellProps {
  readonly folder: FolderConfig
}

/** The cell of a folder that may just have been removed. */
function withFolder(Cell: (props: CellProps) => ComponentChild) {
  return ({ id }: RowKey) => {
    const folder = live.get().config?.folders.find((each) => each.id === id)
    return folder === undefined ? null : <Cell folder={folder} />
  }
}

function Name({ row: { id, name } }: { readonly row: RowKey }) {
  return (
    <a class="row-link row-name" href={addressOf('folders', id)} title={name}>
      <Identity kind="folder" id={id} />
      <span class="row-text">{name}</span>
    </a>
  )
}

/** The number of items out of sync opens their list. */
function StateCell({ folder }: CellProps) {
  const facts = useLiveFields((state) => folderState(state, folder))
  const text = folderText(facts, live.get())
  const tab = tabOf(facts)
  const state = <StateLabel tone={facts.tone}>{text}</StateLabel>
  return tab === undefined ? (
    <span title={text}>{state}</span>
  ) : (
    <a class="row-cause" href={addressOf('folders', folder.id, tab)} title={text}>
      {state}
    </a>
  )
}

/** The tab of the folder's page that shows the details of the row's text. */
function tabOf({ code, waiting }: FolderState): string | undefined {
  if (code === 'problems' || code === 'conflicts') return 'problems'
  if (code === 'extra') return 'local'
  return waiting > 0 && code !== 'stopped' ? 'waiting' : undefined
}

/** Files and bytes; a bar only during a transfer or a scan. */
function Content({ folder }: CellProps) {
  const facts = useLiveFields((state) => folderState(state, folder))
  const { fraction, isCounted } = facts
  const files = useLive((state) => lookUp(state.folders, folder.id)?.status.globalFiles)
  const bytes = useLive((state) => lookUp(state.folders, folder.id)?.status.globalBytes ?? 0)
  const bytesLeft = facts.code === 'scanning' ? 0 : facts.bytesLeft
  if (fraction !== undefined)
    return <Moving fraction={fraction} bytesLeft={bytesLeft} text={folderText(facts, live.get())} />
  if (files === undefined || !isCounted) return null
  return <span class="soft">{`${t('count.files', { n: files })} · ${formatSize(bytes)}`}</span>
}

interface MovingProps {
  readonly fraction: number
  readonly bytesLeft: number
  readonly text: string
}

function Moving({ fraction, bytesLeft, text }: MovingProps) {
  const rate = useLive((state) => meanRate(state.history).inBps)
  const leftS = bytesLeft === 0 ? undefined : secondsLeft(bytesLeft, rate)
  const left = leftS === undefined ? [] : [formatRate(rate), t('time.left', { time: formatDuration(leftS) })]
  const pace = bytesLeft === 0 ? '' : [t('overview.bytesLeft', { size: formatSize(bytesLeft) }), ...left].join(' · ')
  return (
    <span class="row-progress" title={pace}>
      <ProgressBar fraction={fraction} label={text} />
      <span class="row-pace">{pace}</span>
    </span>
  )
}

function Devices({ folder, isPlain }: CellProps & { readonly isPlain: boolean }) {
  const others = useLive((state) => folder.devices.filter(({ deviceID }) => deviceID !== state.system?.myID).length)
  return <span class="soft">{others > 0 && (isPlain ? t('count.devices', { n: others }) : formatCount(others))}</span>
}

function LastChange({ folder: { id } }: CellProps) {
  const at = useLive((state) => lastChangeMs(state, id))
  return isTime(at) ? (
    <span class="soft">
      <TimeAgo time={at} />
    </span>
  ) : null
}
