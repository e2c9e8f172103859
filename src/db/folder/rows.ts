import { hash as digestOf } from 'node:crypto'
import type { SQLInputValue } from 'node:sqlite'
import type { FileHead, FileInfo, FileType } from '../../core/records/file-info.ts'
import type { ShortId } from '../../core/ids.ts'
import { parseVersion, versionToText, type VersionVector } from '../../core/records/version-vector.ts'
import { CHECKSUM_START, mixNumber, mixText } from '../sqlite/checksum.ts'
import { damaged } from '../sqlite/damage.ts'
import { extraOf, extraText } from './extra.ts'
import type { Row } from '../sqlite/sql.ts'

const HASH_BYTES = 32

/** The columns of a record in the order that `RowReader` expects. */
export const HEAD_COLUMNS =
  'name, mark, bits, modified_s, size, sequence, version, hash, block_size, target, sum, extra'
/** The columns for `RowReader.stored` and for `RowReader.blockHashes`. */
export const STORED_COLUMNS = `${HEAD_COLUMNS}, list`
export const INFO_COLUMNS = `${STORED_COLUMNS}, single`
const ALL_COLUMNS = `device, ${INFO_COLUMNS}`
export const INSERT_ROW = `INSERT OR REPLACE INTO files (${ALL_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
/** The same with the values in the same positions; an existing name is left unchanged. */
export const INSERT_NEW_ROW = `${INSERT_ROW.replace(' OR REPLACE', '')} ON CONFLICT DO NOTHING`

// `bits`, from the lowest: type 2, deleted 1, no permissions 1, blocks 2, local flags 7, permissions 9, nanoseconds 30.
const TYPES: readonly FileType[] = ['file', 'directory', 'symlink']
const DELETED = 1 << 2
const NO_PERMISSIONS = 1 << 3
const BLOCKS_SHIFT = 4
const FLAGS_SHIFT = 6
const FLAGS_MASK = 0x7f
const PERMISSIONS_SHIFT = 13
const PERMISSIONS_MASK = 0x1ff
const NANOSECONDS_UNIT = 2 ** 22

/** Where the block hashes of a record are. */
const BLOCKS = { none: 0, single: 1, list: 2, hashOnly: 3 } as const

/** Block hashes to be stored, with the hash over them, which we computed ourselves. */
interface Blocks {
  readonly place: number
  readonly hash: string
  readonly single: Uint8Array | null
  readonly list: Uint8Array | undefined
}

/** A record ready to be stored: all but its mark and checksum. */
export interface EncodedRow {
  readonly device: number
  /** As passed in: its sequence number is not the one that is stored. */
  readonly head: FileHead
  readonly sequence: number
  readonly bits: number
  readonly version: string
  readonly blocks: Blocks
  readonly extra: string | null
}

/** Encodes records as rows. */
export class RowEncoder {
  readonly #versions = new VersionTexts()

  encode(device: number, info: FileInfo, sequence: number): EncodedRow {
    assertStorable(info, sequence)
    const blocks = blocksOf(info)
    const low =
      TYPES.indexOf(info.type) |
      (info.deleted ? DELETED : 0) |
      (info.noPermissions ? NO_PERMISSIONS : 0) |
      (blocks.place << BLOCKS_SHIFT) |
      (info.localFlags << FLAGS_SHIFT) |
      ((info.permissions & PERMISSIONS_MASK) << PERMISSIONS_SHIFT)
    const bits = info.modifiedNs * NANOSECONDS_UNIT + low
    const version = this.#versions.get(info.version, info.modifiedBy)
    return { device, head: info, sequence, bits, version, blocks, extra: extraText(info) }
  }
}

/** Records from outside are validated by their creator; here an invalid number is a bug, and must not be stored. */
function assertStorable(
  { name, sizeBytes, modifiedS, modifiedNs, blockSizeBytes, localFlags }: FileInfo,
  sequence: number,
): void {
  const whole =
    Number.isSafeInteger(sizeBytes) &&
    Number.isSafeInteger(modifiedS) &&
    Number.isSafeInteger(sequence) &&
    Number.isSafeInteger(blockSizeBytes)
  if (whole && modifiedNs >= 0 && modifiedNs < 1e9 && (localFlags & ~FLAGS_MASK) === 0) return
  const numbers = JSON.stringify({ sizeBytes, modifiedS, modifiedNs, blockSizeBytes, localFlags, sequence })
  throw new Error(`record of ${name}: no whole number, or one out of range, in ${numbers}`)
}

/** The hash over the blocks is always computed here: a peer could announce one that matches another file's blocks. */
function blocksOf({ name, blockHashes, blocksHash }: FileInfo): Blocks {
  if (blockHashes === undefined || blockHashes.length === 0) {
    if (blocksHash === undefined) return { place: BLOCKS.none, hash: '', single: null, list: undefined }
    return {
      place: BLOCKS.hashOnly,
      hash: Buffer.from(blocksHash).toString('base64url'),
      single: null,
      list: undefined,
    }
  }
  if (blockHashes.length % HASH_BYTES !== 0) throw new Error(`record of ${name}: ${blockHashes.length} bytes of hashes`)
  const hash = hashText(blockHashes)
  if (blockHashes.length > HASH_BYTES) return { place: BLOCKS.list, hash, single: null, list: blockHashes }
  return { place: BLOCKS.single, hash, single: blockHashes, list: undefined }
}

function hashText(hashes: Uint8Array): string {
  return digestOf('sha256', hashes, 'base64url')
}

/** The values of INSERT_ROW. `list` is the id of the block list in its table. */
export function rowValues(
  row: EncodedRow,
  mark: number,
  list: number | null,
): { readonly values: SQLInputValue[]; readonly sum: number } {
  const { device, head, sequence, bits, version, blocks, extra } = row
  const sum = rowSum(
    device,
    head.name,
    mark,
    bits,
    head.modifiedS,
    head.sizeBytes,
    sequence,
    version,
    blocks.hash,
    head.blockSizeBytes,
    head.symlinkTarget,
    extra,
  )
  const values = [
    device,
    head.name,
    mark,
    bits,
    head.modifiedS,
    head.sizeBytes,
    sequence,
    version,
    blocks.hash,
    head.blockSizeBytes,
    head.symlinkTarget,
    sum,
    extra,
    list,
    blocks.single,
  ]
  return { values, sum }
}

function rowSum(
  device: number,
  name: string,
  mark: number,
  bits: number,
  modifiedS: number,
  size: number,
  sequence: number,
  version: string,
  hash: string,
  blockSize: number,
  target: string,
  extra: string | null,
): number {
  let sum = mixText(mixNumber(CHECKSUM_START, device), name)
  sum = mixNumber(mixNumber(sum, mark), bits)
  sum = mixNumber(mixNumber(sum, modifiedS), size)
  sum = mixNumber(mixNumber(sum, sequence), blockSize)
  sum = mixText(mixText(mixText(sum, version), hash), target)
  return extra === null ? sum : mixText(sum, extra) // rows from before this column existed keep their sum
}

/** A row of HEAD_COLUMNS with verified types. */
type HeadRow = readonly [
  name: string,
  mark: number,
  bits: number,
  modifiedS: number,
  size: number,
  sequence: number,
  version: string,
  hash: string,
  blockSize: number,
  target: string,
  sum: number,
  extra: string | null,
]

/** Verifies the types of the columns. Damage can turn a number into a text. */
function assertHeadRow(row: Row): asserts row is HeadRow {
  // Access by position, here and below: destructuring a row uses an iterator, which is slow on this hot path.
  const right =
    typeof row[0] === 'string' &&
    typeof row[1] === 'number' &&
    typeof row[2] === 'number' &&
    typeof row[3] === 'number' &&
    typeof row[4] === 'number' &&
    typeof row[5] === 'number' &&
    typeof row[6] === 'string' &&
    typeof row[7] === 'string' &&
    typeof row[8] === 'number' &&
    typeof row[9] === 'string' &&
    typeof row[10] === 'number' &&
    (row[11] === null || typeof row[11] === 'string')
  if (!right) throw damaged('it holds a row that was never written')
}

function sumOfRow(device: number, row: HeadRow, mark: number): number {
  return rowSum(device, row[0], mark, row[2], row[3], row[4], row[5], row[6], row[7], row[8], row[9], row[11])
}

/** A record as stored in the table. */
export interface StoredRow {
  readonly head: FileHead
  readonly mark: number
  readonly sum: number
  /** Hash over its blocks as text; empty when there are none. */
  readonly hash: string
  /** The id of its block list in the table of lists; null when its blocks are not there. */
  readonly list: number | null
  /** The checksum it would have with another mark. */
  sumWithMark(mark: number): number
}

/** Decodes rows as records, and refuses those that are not what was written. */
export class RowReader {
  readonly #versions = new VersionCache()

  head(device: number, row: Row): FileHead {
    assertHeadRow(row)
    const name = row[0]
    const bits = row[2]
    const hash = row[7]
    const extra = row[11]
    if (sumOfRow(device, row, row[1]) !== row[10]) {
      throw damaged(`its record of ${JSON.stringify(name)} is not what was written`)
    }
    const { vector, author } = this.#versions.get(row[6])
    const head: FileHead = {
      name,
      type: TYPES[bits & 3] ?? 'file',
      deleted: (bits & DELETED) !== 0,
      sizeBytes: row[4],
      modifiedS: row[3],
      modifiedNs: Math.floor(bits / NANOSECONDS_UNIT),
      permissions: (bits >> PERMISSIONS_SHIFT) & PERMISSIONS_MASK,
      noPermissions: (bits & NO_PERMISSIONS) !== 0,
      version: vector,
      modifiedBy: author,
      sequence: row[5],
      localFlags: (bits >> FLAGS_SHIFT) & FLAGS_MASK,
      blockSizeBytes: row[8],
      blocksHash: hash === '' ? undefined : Buffer.from(hash, 'base64url'),
      symlinkTarget: row[9],
    }
    return extra === null ? head : { ...head, ...extraOf(extra) }
  }

  /** Takes STORED_COLUMNS. */
  stored(device: number, row: Row): StoredRow {
    const head = this.head(device, row)
    const list = row[12]
    assertHeadRow(row)
    const listed = blockPlace(row[2]) === BLOCKS.list
    if (listed !== (typeof list === 'number')) throw damaged(`its block list of ${JSON.stringify(head.name)} is lost`)
    const sumWithMark = (mark: number) => sumOfRow(device, row, mark)
    return { head, mark: row[1], sum: row[10], hash: row[7], list: listed ? Number(list) : null, sumWithMark }
  }

  /**
   * The block hashes of a record, of a row of INFO_COLUMNS; `readList` reads the table of lists.
   * They must match the hash of the record, which the checksum of the row covers.
   */
  blockHashes(row: Row, readList: (list: number) => unknown): Uint8Array | undefined {
    const list = row[12]
    const single = row[13]
    assertHeadRow(row)
    const place = blockPlace(row[2])
    if (place === BLOCKS.none || place === BLOCKS.hashOnly) return undefined
    const hashes = place === BLOCKS.single ? single : readList(Number(list))
    if (!(hashes instanceof Uint8Array) || hashText(hashes) !== row[7]) {
      throw damaged(`its block list of ${JSON.stringify(row[0])} is not what was written`)
    }
    return hashes
  }
}

/** Some fields of a row without verifying it: for listings of names, never for decisions. */
export function unverifiedFields(bits: number): Pick<FileHead, 'type' | 'deleted' | 'localFlags'> {
  return {
    type: TYPES[bits & 3] ?? 'file',
    deleted: (bits & DELETED) !== 0,
    localFlags: (bits >> FLAGS_SHIFT) & FLAGS_MASK,
  }
}

function blockPlace(bits: number): number {
  return (bits >> BLOCKS_SHIFT) & 3
}

interface Version {
  readonly vector: VersionVector
  readonly author: ShortId
}

/** The author is usually one of the devices in the vector: then its position replaces the id. */
function versionText(vector: VersionVector, author: ShortId): string {
  const place = vector.findIndex((counter) => counter.device === author)
  return `${place === -1 ? author.toString(16) : `@${place}`}/${versionToText(vector)}`
}

/** Caches the text of the last version: items that a scan finds in the same second share it. */
class VersionTexts {
  #vector: VersionVector = []
  #author: ShortId | undefined
  #text = ''

  get(vector: VersionVector, author: ShortId): string {
    if (author !== this.#author || !isSameCounter(vector, this.#vector)) {
      this.#text = versionText(vector, author)
      this.#vector = vector
      this.#author = author
    }
    return this.#text
  }
}

function isSameCounter(a: VersionVector, b: VersionVector): boolean {
  if (a === b) return true
  if (a.length !== 1 || b.length !== 1) return false
  return a[0]!.device === b[0]!.device && a[0]!.value === b[0]!.value
}

function parseVersionText(text: string): Version | undefined {
  const slash = text.indexOf('/')
  const vector = parseVersion(text.slice(slash + 1))
  if (slash < 1 || vector === undefined) return undefined
  if (text.startsWith('@')) {
    const counter = vector[Number(text.slice(1, slash))]
    return counter === undefined ? undefined : { vector, author: counter.device }
  }
  return { vector, author: BigInt(`0x${text.slice(0, slash)}`) as ShortId }
}

/** Files scanned in the same second have the same version: most rows of a scan are cache hits. */
class VersionCache {
  static readonly LIMIT = 4096
  readonly #known = new Map<string, Version>()

  get(text: string): Version {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const version = parseVersionText(text)
    if (version === undefined) throw damaged('it holds a version that was never written')
    if (this.#known.size >= VersionCache.LIMIT) this.#known.clear()
    this.#known.set(text, version)
    return version
  }
}
