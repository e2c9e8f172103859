import { hash as digestOf } from 'node:crypto'
import type { FileType } from '../../core/records/file-info.ts'
import { CHECKSUM_START, mixNumber, mixText } from '../sqlite/checksum.ts'

/** The columns of a record in the order that `RowReader` expects. */
export const HEAD_COLUMNS =
  'name, mark, bits, modified_s, size, sequence, version, hash, block_size, target, sum, extra, stamp'
/** The columns for `RowReader.stored` and for `RowReader.blockHashes`. */
export const STORED_COLUMNS = `${HEAD_COLUMNS}, list`
export const INFO_COLUMNS = `${STORED_COLUMNS}, single`
/** The device is the last, so that the row begins as one of HEAD_COLUMNS does. */
export const ALL_COLUMNS = `${INFO_COLUMNS}, device`

// `bits`, from the lowest: type 2, deleted 1, no permissions 1, blocks 2, local flags 7, permissions 9, nanoseconds 30.
export const TYPES: readonly FileType[] = ['file', 'directory', 'symlink']
export const DELETED = 1 << 2
export const NO_PERMISSIONS = 1 << 3
export const BLOCKS_SHIFT = 4
export const FLAGS_SHIFT = 6
export const FLAGS_MASK = 0x7f
export const PERMISSIONS_SHIFT = 13
export const PERMISSIONS_MASK = 0x1ff
export const NANOSECONDS_UNIT = 2 ** 22

/** Where the block hashes of a record are. */
export const BLOCKS = { none: 0, single: 1, list: 2, hashOnly: 3 } as const

/** A row of HEAD_COLUMNS: the one place that names the columns and their types, for both directions. */
export type HeadRow = readonly [
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
  stamp: number | null,
]

/** The checksum of a row with this mark. Access by position: destructuring uses an iterator, slow on a hot path. */
export function rowSum(device: number, row: readonly [...HeadRow, ...unknown[]], mark: number): number {
  let sum = mixText(mixNumber(CHECKSUM_START, device), row[0])
  sum = mixNumber(mixNumber(sum, mark), row[2])
  sum = mixNumber(mixNumber(sum, row[3]), row[4])
  sum = mixNumber(mixNumber(sum, row[5]), row[8])
  sum = mixText(mixText(mixText(sum, row[6]), row[7]), row[9])
  return row[11] === null ? sum : mixText(sum, row[11]) // rows from before this column existed keep their sum
}

export function hashText(hashes: Uint8Array): string {
  return digestOf('sha256', hashes, 'base64url')
}

export function blockPlace(bits: number): number {
  return (bits >> BLOCKS_SHIFT) & 3
}
