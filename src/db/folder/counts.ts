import { weightBytes, type Countable } from '../../core/records/need.ts'
import type { Counts } from '../types.ts'

/** Numbers in their stored order: files, directories, symlinks, deleted, bytes. */
export type TallyText = readonly [number, number, number, number, string]

const EARLIER_ITEM_BYTES = 128n

/**
 * A running total. Bytes are a bigint: other devices may announce any size, and a rounded sum would not return to zero.
 */
export class Tally {
  files = 0
  directories = 0
  symlinks = 0
  deleted = 0
  bytes = 0n

  add(record: Countable, sign: 1 | -1): void {
    if (record.deleted) {
      this.deleted += sign
      return
    }
    if (record.type === 'file') this.files += sign
    else if (record.type === 'directory') this.directories += sign
    else this.symlinks += sign
    this.bytes += BigInt(sign * weightBytes(record))
  }

  get isEmpty(): boolean {
    return this.files === 0 && this.directories === 0 && this.symlinks === 0 && this.deleted === 0
  }

  clone(): Tally {
    const copy = new Tally()
    copy.files = this.files
    copy.directories = this.directories
    copy.symlinks = this.symlinks
    copy.deleted = this.deleted
    copy.bytes = this.bytes
    return copy
  }

  /** What is live in this total and not in the other, and the deletions of the other. */
  liveWithout(other: Tally): Tally {
    const rest = new Tally()
    rest.files = this.files - other.files
    rest.directories = this.directories - other.directories
    rest.symlinks = this.symlinks - other.symlinks
    rest.deleted = other.deleted
    rest.bytes = this.bytes - other.bytes
    return rest
  }

  counts(): Counts {
    const { files, directories, symlinks, deleted } = this
    return { files, directories, symlinks, deleted, bytes: Number(this.bytes) }
  }

  toText(): TallyText {
    return [this.files, this.directories, this.symlinks, this.deleted, this.bytes.toString()]
  }

  static fromText(text: TallyText): Tally {
    const tally = new Tally()
    ;[tally.files, tally.directories, tally.symlinks, tally.deleted] = text
    tally.bytes = BigInt(text[4])
    return tally
  }

  /** From the text of an earlier release, which counted 128 bytes for every directory and symlink. */
  static fromEarlierText(text: TallyText): Tally {
    const tally = Tally.fromText(text)
    tally.bytes -= EARLIER_ITEM_BYTES * BigInt(tally.directories + tally.symlinks)
    return tally
  }
}
