import type { FileTime } from '../records/file-info.ts'

/** What the metadata of an item show of it. */
export interface MovedStat extends FileTime {
  readonly type: string
  readonly sizeBytes: number
  readonly mode: number
  readonly changeStamp?: number | undefined
}

export interface CopyRules {
  /** The folder does not synchronize permissions, so that another disk may lack them. */
  readonly ignorePerms: boolean
  /** The difference of modification times that the folder tolerates. */
  readonly windowNs: number
}

const NS_PER_S = 1e9
/** Without those that only mean something for programs. */
const PERMISSION_BITS = 0o777

/** Whether two files, as far as their metadata show, have the same content: size and time are those of the original. */
export function isCopyOf(copy: MovedStat, original: MovedStat, windowNs = 0): boolean {
  if (copy.type !== original.type) return false
  if (copy.type !== 'file') return true
  return copy.sizeBytes === original.sizeBytes && differenceNs(copy, original) <= windowNs
}

/** What the new place cannot store of an item, in words; undefined if nothing is lost. */
export function lostMetadata(copy: MovedStat, original: MovedStat, rules: CopyRules): 'time' | 'mode' | undefined {
  if (differenceNs(copy, original) > rules.windowNs) return 'time'
  return !rules.ignorePerms && hasOtherMode(copy, original) ? 'mode' : undefined
}

export function hasOtherMode(one: MovedStat, other: MovedStat): boolean {
  return ((one.mode ^ other.mode) & PERMISSION_BITS) !== 0
}

/**
 * Whether an item may have been changed since the move began, although size and time are the same: then its content is
 * compared. A program cannot set the change time. `since` is that of a file made on the same disk when the move began,
 * so that no other clock matters.
 */
export function mayHaveChanged({ changeStamp }: MovedStat, since: number | undefined): boolean {
  return since !== undefined && changeStamp !== undefined && changeStamp >= since
}

function differenceNs(one: FileTime, other: FileTime): number {
  return Math.abs((one.modifiedS - other.modifiedS) * NS_PER_S + one.modifiedNs - other.modifiedNs)
}
