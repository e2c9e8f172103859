import type { FileHead } from '../../core/records/file-info.ts'
import { damaged } from '../sqlite/damage.ts'
import type { Row } from '../sqlite/sql.ts'
import { extraOf } from './extra.ts'
import {
  blockPlace,
  BLOCKS,
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
import { stampOf } from './stamp-value.ts'
import { VersionCache } from './version-text.ts'

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
    (row[11] === null || typeof row[11] === 'string') &&
    (row[12] === null || typeof row[12] === 'number')
  if (!right) throw damaged('it holds a row that was never written')
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
    const stamp = row[12] === null ? undefined : stampOf(row[12])
    if (rowSum(device, row, row[1]) !== row[10]) {
      throw damaged(`its record of ${JSON.stringify(name)} is not what was written`)
    }
    const { vector, author } = this.#versions.get(row[6])
    const head: FileHead & { diskStamp?: number } = {
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
    if (stamp !== undefined) head.diskStamp = stamp
    return extra === null ? head : { ...head, ...extraOf(extra) }
  }

  /** Takes STORED_COLUMNS. */
  stored(device: number, row: Row): StoredRow {
    const head = this.head(device, row)
    const list = row[13]
    assertHeadRow(row)
    const listed = blockPlace(row[2]) === BLOCKS.list
    if (listed !== (typeof list === 'number')) throw damaged(`its block list of ${JSON.stringify(head.name)} is lost`)
    const sumWithMark = (mark: number) => rowSum(device, row, mark)
    return { head, mark: row[1], sum: row[10], hash: row[7], list: listed ? Number(list) : null, sumWithMark }
  }

  /**
   * The block hashes of a record, of a row of INFO_COLUMNS; `readList` reads the table of lists.
   * They must match the hash of the record, which the checksum of the row covers.
   */
  blockHashes(row: Row, readList: (list: number) => unknown): Uint8Array | undefined {
    const list = row[13]
    const single = row[14]
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
