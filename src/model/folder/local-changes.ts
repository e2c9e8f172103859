import { FLAG_RECEIVE_ONLY, type FileHead } from '../../core/records/file-info.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'
import type { Paging } from '../types.ts'

const PAGE = 1_000

/** A page of the receive-only changes, in name order. Reads no further than the last of them. */
export async function localChanges(
  { needs, records }: Pick<FolderIndex, 'needs' | 'records'>,
  { page, perPage }: Paging,
  slice: TimeSlice,
): Promise<readonly FileHead[]> {
  const { files, directories, symlinks, deleted } = (await needs.counts()).receiveOnlyChanged
  const end = Math.min(page * perPage, files + directories + symlinks + deleted)
  const start = (page - 1) * perPage
  const found: FileHead[] = []
  for (let afterName = '', seen = 0; seen < end;) {
    const heads = await records.page('local', { within: '', afterName, limit: PAGE })
    for (const head of heads) {
      if ((head.localFlags & FLAG_RECEIVE_ONLY) === 0) continue
      if (seen >= start && seen < end) found.push(head)
      seen++
    }
    const last = heads.at(-1)
    if (last === undefined) break
    afterName = last.name
    if (slice.isDue) await slice.yield()
  }
  return found
}
