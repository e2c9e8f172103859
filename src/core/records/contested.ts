import { isInvalid, type FileHead, type FileInfo } from './file-info.ts'
import type { Claim } from './need.ts'
import { compareVersions, editedVersion, mergeVersions, type CountTime } from './version-vector.ts'

/**
 * Whether a deletion that loses against a live record here wins where the later time decides, as in Syncthing 2.x. Both
 * devices would keep their state for ever, and each would show the other as behind.
 */
export function isContested(live: Claim, deletion: Claim): boolean {
  if (live.deleted || isInvalid(live) || !deletion.deleted || isInvalid(deletion)) return false
  const order = compareVersions(deletion.version, live.version)
  if (order !== 'concurrent-newer' && order !== 'concurrent-older') return false
  const laterS = deletion.modifiedS - live.modifiedS || deletion.modifiedNs - live.modifiedNs
  return laterS > 0 || (laterS === 0 && order === 'concurrent-newer')
}

/**
 * Our record with a version above the deletions that contest it: all devices take it, by any rule. Only deletions are
 * merged, because a concurrent edit must stay concurrent to be kept as a conflict copy. The author stays: the content
 * is not ours. Undefined when nothing contests it.
 */
export function keptRecord(local: FileInfo, others: Iterable<FileHead>, options: CountTime): FileInfo | undefined {
  const deletions = [...others].filter((other) => isContested(local, other))
  const [first] = deletions
  if (first === undefined) return undefined
  const above = deletions.reduce((version, deletion) => mergeVersions(version, deletion.version), local.version)
  return { ...local, version: editedVersion(above, options), sequence: 0, keptOver: first.modifiedBy }
}
