import {
  HISTORY_KINDS,
  HISTORY_ORIGINS,
  type BaselineCounts,
  type HistoryEntry,
  type HistoryKind,
  type HistoryOrigin,
  type PastItem,
} from '../../core/history/entry.ts'
import type { ShortId } from '../../core/ids.ts'
import type { FileHead, FileType } from '../../core/records/file-info.ts'
import { versionToText, type VersionVector } from '../../core/records/version-vector.ts'

const TYPES: readonly FileType[] = ['file', 'directory', 'symlink']
/** A version with more counters is stored without them: other devices can announce a thousand. */
const COUNTERS_MAX = 64
const NONE = -1

/** An item; directories have no more than the first four numbers. */
type ItemText = readonly [
  type: number,
  modifiedS: number,
  modifiedNs: number,
  permissions: number,
  size?: number,
  blockSize?: number,
  hash?: string,
  target?: string,
]

type EntryText = readonly [
  name: string,
  kind: number,
  by: number,
  via: readonly number[] | 0,
  fromVersion: number,
  toVersion: number,
  before: ItemText | 0,
  after: ItemText | 0,
]

/** The names of its fields are short because they are stored with every batch, many of which have one entry. */
interface BatchJson {
  readonly o: number
  /** Short IDs of devices in hexadecimal. */
  readonly d?: readonly string[]
  /** Version vectors. */
  readonly v?: readonly string[]
  readonly e?: readonly EntryText[]
  readonly baseline?: BaselineCounts
}

/** A change as the writer of records knows it. */
export interface ChangeToStore {
  readonly kind: HistoryKind
  readonly before: FileHead | undefined
  readonly after: FileHead
  readonly beforeItem: PastItem | undefined
  readonly afterItem: PastItem | undefined
  readonly via: readonly ShortId[]
}

/** The changes of one batch: devices and versions that several of them share are stored once. */
export class BatchText {
  readonly #origin: HistoryOrigin
  readonly #devices = new Map<ShortId, number>()
  readonly #versions = new Map<string, number>()
  readonly #entries: EntryText[] = []
  /** Consecutive records often share the vector, too. */
  #lastVector: VersionVector | undefined
  #lastPlace = NONE

  constructor(origin: HistoryOrigin) {
    this.#origin = origin
  }

  get count(): number {
    return this.#entries.length
  }

  add({ kind, before, after, beforeItem, afterItem, via }: ChangeToStore): void {
    this.#entries.push([
      after.name,
      HISTORY_KINDS.indexOf(kind),
      this.#deviceOf(after.modifiedBy),
      via.length === 0 ? 0 : via.map((device) => this.#deviceOf(device)),
      before === undefined ? NONE : this.#versionOf(before.version),
      this.#versionOf(after.version),
      beforeItem === undefined ? 0 : itemText(beforeItem),
      afterItem === undefined ? 0 : itemText(afterItem),
    ])
  }

  toText(): string {
    const batch: BatchJson = {
      o: HISTORY_ORIGINS.indexOf(this.#origin),
      d: [...this.#devices.keys()].map((device) => device.toString(16)),
      v: [...this.#versions.keys()],
      e: this.#entries,
    }
    return JSON.stringify(batch)
  }

  #deviceOf(device: ShortId): number {
    const known = this.#devices.get(device)
    if (known !== undefined) return known
    this.#devices.set(device, this.#devices.size)
    return this.#devices.size - 1
  }

  #versionOf(vector: VersionVector): number {
    if (vector === this.#lastVector) return this.#lastPlace
    const text = vector.length > COUNTERS_MAX ? '' : versionToText(vector)
    let place = this.#versions.get(text)
    if (place === undefined) {
      place = this.#versions.size
      this.#versions.set(text, place)
    }
    this.#lastVector = vector
    this.#lastPlace = place
    return place
  }
}

export function baselineText(baseline: BaselineCounts): string {
  return JSON.stringify({ o: HISTORY_ORIGINS.indexOf('scan'), baseline } satisfies BatchJson)
}

function itemText(item: PastItem): ItemText {
  const { type, modifiedS, modifiedNs, permissions = NONE, sizeBytes, blockSizeBytes, blocksHash, symlinkTarget } = item
  const head = [TYPES.indexOf(type), modifiedS, modifiedNs, permissions] as const
  if (type === 'directory') return head
  if (type === 'file') return [...head, sizeBytes, blockSizeBytes, blocksHash]
  return [...head, 0, 0, '', symlinkTarget]
}

/** The entries of a row whose checksum is right, oldest first. */
export function entriesOf(batch: number, atMs: number, text: string): readonly HistoryEntry[] {
  const stored = JSON.parse(text) as BatchJson
  const origin = HISTORY_ORIGINS[stored.o] ?? 'scan'
  const deviceAt = (place: number) => BigInt(`0x${stored.d?.[place] ?? '0'}`) as ShortId
  const versionAt = (place: number) => stored.v?.[place] ?? ''
  const shared = { atMs, origin }
  if (stored.baseline !== undefined) {
    const none = { name: '', by: 0n as ShortId, via: [], fromVersion: '', toVersion: '' }
    const items = { before: undefined, after: undefined, baseline: stored.baseline }
    return [{ ...shared, ...none, ...items, position: { batch, place: 0 }, kind: 'baseline' }]
  }
  return (stored.e ?? []).map(([name, kind, by, via, from, to, before, after], place) => ({
    ...shared,
    position: { batch, place },
    name,
    kind: HISTORY_KINDS[kind] ?? 'changed',
    by: deviceAt(by),
    via: via === 0 ? [] : via.map(deviceAt),
    fromVersion: versionAt(from),
    toVersion: versionAt(to),
    before: before === 0 ? undefined : itemOf(before),
    after: after === 0 ? undefined : itemOf(after),
  }))
}

function itemOf(text: ItemText): PastItem {
  const [type, modifiedS, modifiedNs, permissions, sizeBytes = 0, blockSizeBytes = 0, blocksHash = '', target = ''] =
    text
  return {
    type: TYPES[type] ?? 'file',
    sizeBytes,
    modifiedS,
    modifiedNs,
    permissions: permissions === NONE ? undefined : permissions,
    blocksHash,
    blockSizeBytes,
    symlinkTarget: target,
  }
}
