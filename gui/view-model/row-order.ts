import type { DeviceConfig, FolderConfig } from '../../src/core/config/config.ts'
import { lookUp } from '../base/look-up.ts'
import type { LiveState } from '../live/state.ts'
import { deviceFacts, deviceName } from './device.ts'
import { folderName } from './folder-name.ts'
import { folderState } from './folder-state.ts'
import { arrangeRows, type RowOrHeading, type Sort } from './table.ts'
import type { Tone } from '../base/tone.ts'

/** The filters above a list, by the tone of what they show, the most severe first. */
export const ROW_FILTERS = {
  all: undefined,
  attention: ['bad', 'wait'],
  active: ['busy'],
  offline: ['away'],
  upToDate: ['good'],
  paused: ['paused'],
  unused: ['off'],
} as const satisfies Readonly<Record<string, readonly Tone[] | undefined>>

export type RowFilter = keyof typeof ROW_FILTERS

const FILTER_NAMES = Object.keys(ROW_FILTERS) as readonly RowFilter[]

/** A row as order and filters see it. */
export interface RowKey {
  readonly id: string
  readonly name: string
  readonly tone: Tone
  /** As configured; empty for none. */
  readonly group: string
  /** Bytes of a folder, or those that a device lacks. */
  readonly bytes: number
  /** The last change of a folder, or when a device was seen; 0 if unknown. */
  readonly atMs: number
}

export type RowSort = Sort<'name' | 'state' | 'bytes' | 'time'>

export const BY_NAME: RowSort = { column: 'name', descending: false }

export function folderKey(state: LiveState, folder: FolderConfig): RowKey {
  return {
    id: folder.id,
    name: folderName(folder),
    tone: folderState(state, folder).tone,
    group: folder.group,
    bytes: lookUp(state.folders, folder.id)?.status.globalBytes ?? 0,
    atMs: lastChangeMs(state, folder.id),
  }
}

/** Of this device or another; 0 if none is known. */
export function lastChangeMs(state: LiveState, folder: string): number {
  const received = Date.parse(lookUp(state.folderStats, folder)?.lastFile.at ?? '') || 0
  return Math.max(received, Date.parse(lookUp(state.folders, folder)?.lastChange ?? '') || 0)
}

export function deviceKey(state: LiveState, device: DeviceConfig): RowKey {
  const { tone, bytesLeft, connected, lastSeenMs } = deviceFacts(state, device.deviceID)
  return {
    id: device.deviceID,
    name: deviceName(device),
    tone,
    group: device.group,
    bytes: bytesLeft,
    atMs: connected ? Number.MAX_SAFE_INTEGER : lastSeenMs,
  }
}

/** The filter, other than all, that shows a tone. */
function filterOf(tone: Tone): RowFilter {
  return FILTER_NAMES.find((name) => (ROW_FILTERS[name] as readonly Tone[] | undefined)?.includes(tone)) ?? 'all'
}

export interface RowOrder {
  readonly filter: RowFilter
  readonly text: string
  readonly sort: RowSort
  readonly language: string
  /** The heading of a group of states. */
  textOf(filter: RowFilter): string
}

/** The rows that match, those with errors first. Sorted by state they are grouped by it, else as configured. */
export function orderedRows(rows: readonly RowKey[], order: RowOrder): readonly RowOrHeading<RowKey>[] {
  const { filter, sort, textOf } = order
  const collator = new Intl.Collator(order.language, { numeric: true, sensitivity: 'base' })
  const tones: readonly Tone[] | undefined = ROW_FILTERS[filter]
  const wanted = order.text.trim().toLowerCase()
  const sign = sort.descending ? -1 : 1
  const matching = rows.filter(
    ({ name, tone }) => (tones?.includes(tone) ?? true) && name.toLowerCase().includes(wanted),
  )
  return arrangeRows(matching, {
    isPinned: ({ tone }) => tone === 'bad',
    headingOf: ({ tone, group }) => (sort.column === 'state' ? textOf(filterOf(tone)) : group),
    compare: (one, other) =>
      sign * compareBy(sort, one, other, collator) ||
      collator.compare(one.name, other.name) ||
      (one.id < other.id ? -1 : 1),
  })
}

function compareBy({ column }: RowSort, one: RowKey, other: RowKey, collator: Intl.Collator): number {
  switch (column) {
    case 'name':
      return collator.compare(one.name, other.name)
    case 'state':
      return FILTER_NAMES.indexOf(filterOf(one.tone)) - FILTER_NAMES.indexOf(filterOf(other.tone))
    case 'bytes':
      return one.bytes - other.bytes
    case 'time':
      return one.atMs - other.atMs
  }
}

/** How many rows each filter shows. */
export function filterCounts(rows: readonly RowKey[]): Readonly<Record<RowFilter, number>> {
  const count = (name: RowFilter) => rows.filter(({ tone }) => name === 'all' || filterOf(tone) === name).length
  return Object.fromEntries(FILTER_NAMES.map((name) => [name, count(name)])) as Record<RowFilter, number>
}

/** Rows of one state and group. */
export interface GridRows {
  readonly filter: RowFilter
  /** Empty for none. */
  readonly group: string
  readonly rows: readonly RowKey[]
}

/**
 * Rows that need no look, by group and state, for a list that would not fit on one screen; the others stay rows. Those
 * without a group come first.
 */
export function gridRows(rows: readonly RowKey[], rowsMax: number, language: string): readonly GridRows[] {
  if (rows.length <= rowsMax) return []
  const collator = new Intl.Collator(language, { numeric: true, sensitivity: 'base' })
  const isInGrid = (filter: RowFilter) => filter !== 'all' && filter !== 'attention' && filter !== 'active'
  return [...new Set(rows.map(({ group }) => group))]
    .toSorted(collator.compare)
    .flatMap((group) =>
      FILTER_NAMES.filter(isInGrid).map((filter) => ({
        filter,
        group,
        rows: rows
          .filter((row) => row.group === group && filterOf(row.tone) === filter)
          .toSorted((one, other) => collator.compare(one.name, other.name)),
      })),
    )
    .filter((part) => part.rows.length > 0)
}
