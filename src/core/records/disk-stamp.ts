import type { FileTime } from './file-info.ts'

/** For a file that may have been edited unnoticed: it differs from every stamp, so that the next scan hashes it. */
export const STAMP_UNVERIFIED = 0

/** The fields of an item on the disk that a stamp covers. */
export interface StampFields extends FileTime {
  /** Nanoseconds as a double; undefined where the disk has none. */
  readonly changeStamp?: number | undefined
  readonly inode?: number | bigint | undefined
}

const words = new Uint32Array(4)
const doubles = new Float64Array(words.buffer)
const NS_PER_S = 1e9
/** Nanoseconds since 1970 as doubles are rounded to 256. */
const ROUNDED_NS_MAX = 1_024
const PRIME_A = 0x85ebca6b
const PRIME_B = 0xc2b2ae35

/**
 * Inode and change time of a file as one number of 40 bits; undefined where the disk has no change time. A program can
 * set the modification time back, but not the change time: with another stamp the content may be different, although
 * size and modification time are the same.
 *
 * Where both times are equal the inode is left out: FAT has no change time, and its inodes change at any time. A file
 * that replaces another one by a rename has a later change time there as well, if the disk has one.
 */
export function diskStampOf({ changeStamp, inode, modifiedS, modifiedNs }: StampFields): number | undefined {
  if (changeStamp === undefined) return undefined
  doubles[0] = changeStamp
  const isModification = Math.abs(changeStamp - (modifiedS * NS_PER_S + modifiedNs)) < ROUNDED_NS_MAX
  doubles[1] = isModification ? 0 : Number(inode ?? 0)
  let high = 0
  let low = 0x9e3779b9
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    high = mix(high ^ word, PRIME_A)
    low = mix(low ^ word ^ (high >>> 7), PRIME_B)
  }
  return (high & 0xff) * 2 ** 32 + (low >>> 0) || 1
}

function mix(word: number, prime: number): number {
  const once = Math.imul(word ^ (word >>> 16), prime)
  return Math.imul(once ^ (once >>> 13), 0x27d4eb2f)
}

/** Whether the stamp of an item differs from that of the record; false where one of them is unknown. */
export function hasOtherStamp(recorded: number | undefined, item: StampFields): boolean {
  if (recorded === undefined) return false
  const now = diskStampOf(item)
  return now !== undefined && now !== recorded
}
