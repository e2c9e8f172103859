import { FLAG_IGNORED, FLAG_RECEIVE_ONLY, isInvalid, type FileHead } from './file-info.ts'
import type { Claim } from './claim.ts'
import { deletionWinsContest } from './contested-deletion.ts'
import { compareVersions } from './version-vector.ts'

/** The fields that decide how a record is counted. */
export type Countable = Pick<FileHead, 'type' | 'deleted' | 'sizeBytes' | 'localFlags'>

/** How a program decides between a file and a deletion that are concurrent. Simulations have devices of others. */
export interface ConflictRules {
  /** The file wins whatever the times are, as in Syncthing 1.x; else the later one wins, as in 2.x. */
  readonly filesWin: boolean
  /** Contested deletions are settled: the winner gets a version above the other record (`contested-deletion.ts`). */
  readonly settlesContested: boolean
}

export const OWN_RULES: ConflictRules = { filesWin: true, settlesContested: true }

/**
 * The index in `records` of the global record of a name, or -1 when there are none. Our own record must come first in
 * the list, those of others in a fixed order: of equals the first wins.
 *
 * A valid record beats all invalid ones. Among the valid, a record with a newer successor is out, and so is one that
 * loses against a contested deletion. The rest are concurrent: a live file beats a deletion whatever their times (a
 * deletion must not discard an edit), then the later modification wins, then the direction of the concurrency. Each
 * step is a total order, so the winner does not depend on the order in which records arrived.
 */
export function findWinner(records: readonly Claim[], rules = OWN_RULES): number {
  if (records.length < 2) return records.length - 1 // the common case
  const firstValid = records.findIndex((record) => !isInvalid(record))
  // Equal records, the usual case: one pass over the versions of many devices, not one for each of them.
  const [{ version }] = records as readonly [Claim]
  if (records.every((record) => compareVersions(record.version, version) === 'equal')) return Math.max(0, firstValid)
  const anyValid = firstValid >= 0
  let best = -1
  records.forEach((record, place) => {
    if (anyValid && isInvalid(record)) return
    if (isOutdated(record, records, anyValid)) return
    if (rules.settlesContested && records.some((other) => deletionWinsContest(record, other))) return
    const leader = records[best]
    if (leader === undefined || beats(record, leader, rules)) best = place
  })
  return best
}

function isOutdated(record: Claim, records: readonly Claim[], validOnly: boolean): boolean {
  return records.some((other) => {
    return !(validOnly && isInvalid(other)) && compareVersions(record.version, other.version) === 'older'
  })
}

/** For two concurrent records; of two with the same version the first in the list wins. */
function beats(challenger: Claim, leader: Claim, { filesWin }: ConflictRules): boolean {
  const order = compareVersions(challenger.version, leader.version)
  if (order === 'equal') return false
  if (filesWin && challenger.deleted !== leader.deleted) return leader.deleted
  if (challenger.modifiedS !== leader.modifiedS) return challenger.modifiedS > leader.modifiedS
  if (challenger.modifiedNs !== leader.modifiedNs) return challenger.modifiedNs > leader.modifiedNs
  return order === 'concurrent-newer'
}

/**
 * Whether we need the global record. An ignored record of ours with the same version counts as having it. The deletion
 * of an item of which we have no record is needed only while another device has the item (`isHeldElsewhere`): that
 * device may receive the deletion from us alone.
 */
export function isNeeded(local: Claim | undefined, global: Claim, heldElsewhere: boolean): boolean {
  if (isInvalid(global)) return false
  if (local === undefined) return !global.deleted || heldElsewhere
  const order = compareVersions(local.version, global.version)
  return order !== 'equal' && order !== 'newer'
}

/** Whether another device needs the global record, according to its index. */
export function isNeededByRemote(remote: Claim | undefined, global: Claim): boolean {
  if (isInvalid(global)) return false
  if (global.deleted) return remote !== undefined && !remote.deleted && !isInvalid(remote)
  return remote === undefined || compareVersions(remote.version, global.version) !== 'equal'
}

/** Whether the global record deletes an item that one of these devices still has. */
export function isHeldElsewhere(others: Iterable<Claim>, global: Claim): boolean {
  if (!global.deleted) return false
  for (const other of others) if (isNeededByRemote(other, global)) return true
  return false
}

/** Whether another device can send us the global version. */
export function hasWinner(remote: Claim, global: Claim): boolean {
  return !isInvalid(remote) && compareVersions(remote.version, global.version) === 'equal'
}

/** The sets a record of ours, or a global record, is counted in. */
export function countsAsLocal(record: Countable): boolean {
  return (record.localFlags & FLAG_IGNORED) === 0
}

export function countsAsReceiveOnlyChanged(record: Countable): boolean {
  return (record.localFlags & FLAG_RECEIVE_ONLY) !== 0
}

/** The bytes a record adds to a total: only live files have any, as in Syncthing 2.x. */
export function weightBytes({ type, deleted, sizeBytes }: Countable): number {
  return deleted || type !== 'file' ? 0 : sizeBytes
}
