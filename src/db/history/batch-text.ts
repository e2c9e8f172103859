import {
  HISTORY_KINDS,
  HISTORY_ORIGINS,
  type BaselineCounts,
  type HistoryEntry,
  type HistoryKind,
  type HistoryOrigin,
  type NewItem,
  type PastItem,
} from '../../core/history/entry.ts'
import type { ShortId } from '../../core/ids.ts'
import type { FileHead, FileType } from '../../core/records/file-info.ts'
import { versionToText, type VersionVector } from '../../core/records/version-vector.ts'

const TYPES: readonly FileType[] = ['file', 'directory', 'symlink']
/** A version with more counters is stored without them: other devices can announce a thousand. */
const COUNTERS_MAX = 64
const NONE = -1
/** Shorter texts are not compressed. */
const PACKED_LENGTH_MIN = 1_024
/** The first bytes of compressed data. A text begins with a digit. */
const ZSTD_MAGIC = 0x28
/** Between fields: no name of an item has it. */
const END = '\0'
/** Name, kind, author, sources, versions from and to, item before with its target, item after with its target. */
const FIELDS_PER_ENTRY = 10

/** A change as the writer of records knows it. */
export interface ChangeToStore {
  readonly kind: HistoryKind
  readonly before: FileHead | undefined
  readonly after: FileHead
  readonly beforeItem: PastItem | undefined
  readonly afterItem: NewItem | undefined
  readonly via: readonly ShortId[]
}

/**
 * The changes of one batch as text: origin, devices, versions, then the fields of each entry. Devices and versions that
 * several of them share are stored once. Not JSON, which takes twice as long to make.
 */
export class BatchText {
  readonly #origin: HistoryOrigin
  readonly #devices = new Map<ShortId, number>()
  readonly #versions = new Map<string, number>()
  #entries = ''
  /** Consecutive records often share the vector, too. */
  #lastVector: VersionVector | undefined
  #lastPlace = NONE
  count = 0

  constructor(origin: HistoryOrigin) {
    this.#origin = origin
  }

  add({ kind, before, after, beforeItem, afterItem, via }: ChangeToStore): void {
    const { name, modifiedBy } = after
    const fromPlace = before === undefined ? NONE : this.#versionOf(before.version)
    const toPlace = this.#versionOf(after.version)
    const author = this.#deviceOf(modifiedBy)
    const sources = via.length === 0 ? '' : via.map((device) => this.#deviceOf(device)).join()
    const [was, is] = [itemText(beforeItem), newItemText(afterItem)]
    const ends = `${was}${END}${beforeItem?.symlinkTarget ?? ''}${END}${is}${END}${afterItem?.symlinkTarget ?? ''}`
    const head = `${name}${END}${HISTORY_KINDS.indexOf(kind)}${END}${author}${END}${sources}`
    this.#entries += `${END}${head}${END}${fromPlace}${END}${toPlace}${END}${ends}`
    this.count++
  }

  toText(): string {
    const devices = [...this.#devices.keys()].map((device) => device.toString(16)).join()
    const versions = [...this.#versions.keys()].join(' ')
    return `${HISTORY_ORIGINS.indexOf(this.#origin)}${END}${devices}${END}${versions}${this.#entries}`
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

/** Counts instead of devices: a batch of changes has at least one device. */
export function baselineText({ files, directories, symlinks, bytes }: BaselineCounts): string {
  return `${HISTORY_ORIGINS.indexOf('scan')}${END}${END}${[files, directories, symlinks, bytes].join()}`
}

function itemText(item: PastItem | undefined): string {
  if (item === undefined) return ''
  const { type, modifiedS, modifiedNs, permissions = NONE, sizeBytes, blockSizeBytes, blocksHash } = item
  const head = `${TYPES.indexOf(type)},${modifiedS},${modifiedNs},${permissions}`
  return type === 'file' ? `${head},${sizeBytes},${blockSizeBytes},${blocksHash}` : head
}

function newItemText(item: NewItem | undefined): string {
  if (item === undefined) return ''
  const { type, sizeBytes, blocksHash } = item
  return type === 'file' ? `0,${sizeBytes},${blocksHash}` : String(TYPES.indexOf(type))
}

/** False only for a batch without an entry at or below the path: then its entries need not be made. */
export function mayName(batch: string, path: string): boolean {
  return batch.includes(`${END}${path}${END}`) || batch.includes(`${END}${path}/`)
}

/** The entries of a row whose checksum is right, oldest first. */
export function entriesOf(batch: number, atMs: number, text: string): readonly HistoryEntry[] {
  const fields = text.split(END)
  const [origin = '', devices = '', versions = ''] = fields
  const shared = { atMs, origin: HISTORY_ORIGINS[Number(origin)] ?? 'scan' }
  if (devices === '') return [{ ...baselineEntry(versions), ...shared, position: { batch, place: 0 } }]
  const ids = devices.split(',').map((id) => BigInt(`0x${id}`) as ShortId)
  const vectors = versions.split(' ')
  const vectorAt = (place: string | undefined) => vectors[Number(place)] ?? ''
  const entries: HistoryEntry[] = []
  for (let at = 3; at + FIELDS_PER_ENTRY <= fields.length; at += FIELDS_PER_ENTRY) {
    const [name = '', kind, by, via = '', from, to] = fields.slice(at, at + 6)
    const [before = '', oldTarget = '', after = '', newTarget = ''] = fields.slice(at + 6, at + FIELDS_PER_ENTRY)
    entries.push({
      ...shared,
      position: { batch, place: entries.length },
      name,
      kind: HISTORY_KINDS[Number(kind)] ?? 'changed',
      by: ids[Number(by)] ?? NO_DEVICE,
      via: via === '' ? [] : via.split(',').map((place) => ids[Number(place)] ?? NO_DEVICE),
      fromVersion: vectorAt(from),
      toVersion: vectorAt(to),
      before: itemOf(before, oldTarget),
      after: newItemOf(after, newTarget),
    })
  }
  return entries
}

const NO_DEVICE = 0n as ShortId

function baselineEntry(counts: string): Omit<HistoryEntry, 'atMs' | 'origin' | 'position'> {
  const [files = 0, directories = 0, symlinks = 0, bytes = 0] = counts.split(',').map(Number)
  const baseline = { files, directories, symlinks, bytes }
  const none = { name: '', by: NO_DEVICE, via: [], fromVersion: '', toVersion: '', before: undefined, after: undefined }
  return { ...none, kind: 'baseline', baseline }
}

function itemOf(text: string, symlinkTarget: string): PastItem | undefined {
  if (text === '') return undefined
  const [type, modifiedS, modifiedNs, permissions, sizeBytes = 0, blockSizeBytes = 0, blocksHash = ''] = text.split(',')
  return {
    type: typeAt(type),
    sizeBytes: Number(sizeBytes),
    modifiedS: Number(modifiedS),
    modifiedNs: Number(modifiedNs),
    permissions: Number(permissions) === NONE ? undefined : Number(permissions),
    blocksHash,
    blockSizeBytes: Number(blockSizeBytes),
    symlinkTarget,
  }
}

function newItemOf(text: string, symlinkTarget: string): NewItem | undefined {
  if (text === '') return undefined
  const [type, sizeBytes = 0, blocksHash = ''] = text.split(',')
  return { type: typeAt(type), sizeBytes: Number(sizeBytes), blocksHash, symlinkTarget }
}

function typeAt(place: string | undefined): FileType {
  return TYPES[Number(place)] ?? 'file'
}

/**
 * A larger text is compressed to a third: what a batch costs is the writing of its pages, and a scan would be a tenth
 * slower. A short one would not become shorter.
 */
export function packText(text: string): Uint8Array {
  if (text.length < PACKED_LENGTH_MIN) return Buffer.from(text)
  return process.getBuiltinModule('node:zlib').zstdCompressSync(text) // idle devices do not load it
}

/** For data whose checksum is right. */
export function unpackText(data: Uint8Array): string {
  if (data[0] !== ZSTD_MAGIC) return Buffer.from(data).toString()
  return process.getBuiltinModule('node:zlib').zstdDecompressSync(data).toString()
}
