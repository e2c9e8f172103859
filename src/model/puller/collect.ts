import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import { keptFileOf } from '../../core/records/kept-file.ts'
import { deletionRecord } from '../../core/records/plan.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { PullParts } from './pull-parts.ts'

type CollectParts = Pick<PullParts, 'kept' | 'records' | 'tree'>

/**
 * Accepts the deletion of a file by another device and keeps the file. Rejects with `item-failed` where it does not
 * match our record. The caller holds the folder's lock.
 */
export async function collectFile({ kept, records, tree }: CollectParts, local: FileHead, deletion: FileInfo) {
  if (kept.isFull) throw itemFailed('too many files are kept that other devices have deleted; delete some of them here')
  if (await tree.isThere(local)) kept.set(keptFileOf(local, deletion))
  records.add(deletionRecord(deletion), local)
}

/** Frees the name of a new item for which a kept file, or a directory that holds some, stands in the way. */
export async function makeRoom({ kept, tree }: CollectParts, winner: FileHead): Promise<void> {
  const { name, type } = winner
  const found = kept.find(name)
  if (found !== undefined) {
    await tree.displacement.file(found.file, winner)
    kept.forget(name)
  } else if (type !== 'directory' && kept.hasBelow(name)) await tree.displacement.directory(name, winner)
  else if (kept.count > 0 && (await tree.displacement.hasOtherSpelling(name))) {
    // On a disk that does not distinguish case.
    const other = kept.otherSpelling(name)
    if (other === undefined) return
    await tree.displacement.file(other.file, winner)
    kept.forget(other.file.name)
  }
}
