import type { Claim } from './claim.ts'
import { isInvalid, type FileHead, type FileInfo } from './file-info.ts'
import { compareVersions, editedVersion, mergeVersions, type CountTime } from './version-vector.ts'

// The rule on contested deletions (decision 021): the file wins, unless the deletion names its content; the winner is
// settled with a version above the other record.

/**
 * Whether other programs decide otherwise between our winning record and another one. Both devices would keep their
 * state for ever, and each would show the other as behind.
 */
export function isContested(winner: Claim, other: Claim): boolean {
  return winner.deleted ? deletionWinsContest(other, winner) : isContestedDeletion(winner, other)
}

/**
 * Whether the author of a concurrent deletion had the content of a live record: it has only another version, as after a
 * conflict that was decided elsewhere. To keep it would undo what a user did.
 */
export function deletionWinsContest(live: Claim, deletion: Claim): boolean {
  const { blocksHash } = live
  const { previousBlocksHash } = deletion
  if (blocksHash === undefined || previousBlocksHash === undefined) return false
  return Buffer.compare(blocksHash, previousBlocksHash) === 0 && isContestedDeletion(live, deletion)
}

/** Whether a deletion is concurrent with a live record and would win by the later time, as in Syncthing 2.x. */
function isContestedDeletion(live: Claim, deletion: Claim): boolean {
  if (live.deleted || isInvalid(live) || !deletion.deleted || isInvalid(deletion)) return false
  const order = compareVersions(deletion.version, live.version)
  if (order !== 'concurrent-newer' && order !== 'concurrent-older') return false
  const laterS = deletion.modifiedS - live.modifiedS || deletion.modifiedNs - live.modifiedNs
  return laterS > 0 || (laterS === 0 && order === 'concurrent-newer')
}

/**
 * Our record with a version above those that contest it: all devices take it, by any rule. A concurrent edit is not
 * among them: it must stay concurrent to be kept as a conflict copy. The author stays: the content is not ours.
 * Undefined when nothing contests it.
 */
export function settledRecord(local: FileInfo, others: Iterable<FileHead>, options: CountTime): FileInfo | undefined {
  const contesting = [...others].filter((other) => isContested(local, other))
  const [first] = contesting
  if (first === undefined) return undefined
  const above = contesting.reduce((version, other) => mergeVersions(version, other.version), local.version)
  return { ...local, version: editedVersion(above, options), sequence: 0, contestedBy: first.modifiedBy }
}
