import type { SQLInputValue } from 'node:sqlite'
import { TOKEN_SIZE_BYTES } from '../../core/records/blocks.ts'
import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import { LOCAL_NUMBER } from '../sqlite/schema.ts'
import { extraText } from './extra.ts'
import {
  ALL_COLUMNS,
  BLOCKS,
  BLOCKS_SHIFT,
  DELETED,
  FLAGS_MASK,
  FLAGS_SHIFT,
  hashText,
  NANOSECONDS_UNIT,
  NO_PERMISSIONS,
  PERMISSIONS_MASK,
  PERMISSIONS_SHIFT,
  rowSum,
  TYPES,
  type HeadRow,
} from './row-format.ts'
import { stampValue } from './stamp-value.ts'
import { VersionTexts } from './version-text.ts'

const PLACES = ALL_COLUMNS.split(', ')
  .map(() => '?')
  .join(', ')
export const INSERT_ROW = `INSERT OR REPLACE INTO files (${ALL_COLUMNS}) VALUES (${PLACES})`
/** The same with the values in the same positions; an existing name is left unchanged. */
export const INSERT_NEW_ROW = `${INSERT_ROW.replace(' OR REPLACE', '')} ON CONFLICT DO NOTHING`

type AllValues = [...head: Writable<HeadRow>, list: number | null, single: Uint8Array | null, device: number]
type Writable<T> = { -readonly [K in keyof T]: T[K] }
/** The position of the checksum in a row. */
const SUM_PLACE = 10

/** Divides the sizes of hashes and of the tokens of encrypted folders. */
const HASH_UNIT_BYTES = 16

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
  /** Of the last record: the records of one name often have the same blocks, which are hashed once. */
  #last: { readonly hashes: Uint8Array; readonly blocks: Blocks } | undefined

  encode(device: number, info: FileInfo, sequence: number): EncodedRow {
    assertStorable(info, sequence)
    const blocks = this.#blocksOf(info)
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

  #blocksOf(info: FileInfo): Blocks {
    const hashes = info.blockHashes
    if (hashes === undefined || hashes.length === 0) return blocksOf(info)
    if (this.#last === undefined || Buffer.compare(this.#last.hashes, hashes) !== 0) {
      this.#last = { hashes, blocks: blocksOf(info) }
    }
    return this.#last.blocks
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
  if (blockHashes.length % HASH_UNIT_BYTES !== 0)
    throw new Error(`record of ${name}: ${blockHashes.length} bytes of hashes`)
  const hash = hashText(blockHashes)
  if (blockHashes.length > TOKEN_SIZE_BYTES) return { place: BLOCKS.list, hash, single: null, list: blockHashes }
  return { place: BLOCKS.single, hash, single: blockHashes, list: undefined }
}

/** The values of INSERT_ROW. `list` is the id of the block list in its table. */
export function rowValues(
  row: EncodedRow,
  mark: number,
  list: number | null,
): { readonly values: SQLInputValue[]; readonly sum: number } {
  const { device, head, sequence, bits, version, blocks, extra } = row
  const stamp = device === LOCAL_NUMBER && head.diskStamp !== undefined ? stampValue(head.diskStamp) : null
  const { modifiedS, name, sizeBytes, blockSizeBytes, symlinkTarget } = head
  const { hash, single } = blocks
  // Written out: a spread has an iterator, and an array that grows at its front is copied.
  const values: AllValues = [
    name,
    mark,
    bits,
    modifiedS,
    sizeBytes,
    sequence,
    version,
    hash,
    blockSizeBytes,
    symlinkTarget,
    0,
    extra,
    stamp,
    list,
    single,
    device,
  ]
  const sum = rowSum(device, values, mark)
  values[SUM_PLACE] = sum
  return { values, sum }
}
