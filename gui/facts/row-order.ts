import type { DeviceConfig, FolderConfig } from '../../src/core/config/config.ts'
import type { LiveState } from '../live/state.ts'
import { deviceFacts, deviceName } from './device.ts'
import { folderName } from './folder-name.ts'
import { folderState } from './folder-state.ts'
import type { Tone } from './tone.ts'

/** The filters above a list, by the tone of what they show. */
export const ROW_FILTERS = {
  all: undefined,
  attention: ['bad', 'wait'],
  active: ['busy'],
  offline: ['away'],
  paused: ['off'],
} as const satisfies Readonly<Record<string, readonly Tone[] | undefined>>

export type RowFilter = keyof typeof ROW_FILTERS

/** A row as order and filters see it. */
export interface RowKey {
  readonly id: string
  readonly name: string
  readonly tone: Tone
}

export function folderKey(state: LiveState, folder: FolderConfig): RowKey {
  return { id: folder.id, name: folderName(folder), tone: folderState(state, folder).tone }
}

export function deviceKey(state: LiveState, device: DeviceConfig): RowKey {
  return { id: device.deviceID, name: deviceName(device), tone: deviceFacts(state, device.deviceID).tone }
}

/** The ids of the rows that match, those with errors first, then by name as the language sorts it. */
export function orderedRows(
  rows: readonly RowKey[],
  filter: RowFilter,
  text: string,
  language: string,
): readonly string[] {
  const collator = new Intl.Collator(language, { numeric: true, sensitivity: 'base' })
  const tones: readonly Tone[] | undefined = ROW_FILTERS[filter]
  const wanted = text.trim().toLowerCase()
  return rows
    .filter(({ name, tone }) => (tones?.includes(tone) ?? true) && name.toLowerCase().includes(wanted))
    .toSorted(
      (one, other) =>
        Number(other.tone === 'bad') - Number(one.tone === 'bad') ||
        collator.compare(one.name, other.name) ||
        (one.id < other.id ? -1 : 1),
    )
    .map(({ id }) => id)
}

/** How many rows each filter shows. */
export function filterCounts(rows: readonly RowKey[]): Readonly<Record<RowFilter, number>> {
  const count = (tones: readonly Tone[] | undefined) => rows.filter(({ tone }) => tones?.includes(tone) ?? true).length
  return {
    all: rows.length,
    attention: count(ROW_FILTERS.attention),
    active: count(ROW_FILTERS.active),
    offline: count(ROW_FILTERS.offline),
    paused: count(ROW_FILTERS.paused),
  }
}
