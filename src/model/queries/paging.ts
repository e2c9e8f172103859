import type { FileHead } from '../../core/records/file-info.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { JobQueue } from '../state/job-queue.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'
import type { NeedPage, Paging } from '../types.ts'

/** Needed items read at a time: a few milliseconds. */
const CHUNK = 1_000

/** The part of an index that lists needed items. */
export type NeedSource = Pick<FolderIndex, 'global' | 'need'>

/**
 * One page of what is needed: what is in progress, then what is queued, then the rest by name, counted once over all
 * three, so that no item is on two pages.
 */
export async function pageOf(index: NeedSource, jobs: JobQueue, paging: Paging, slice: TimeSlice): Promise<NeedPage> {
  const first = (paging.page - 1) * paging.perPage
  const inProgress = jobs.inProgress()
  const names = [...inProgress, ...jobs.waiting()]
  const progress: FileHead[] = []
  const queued: FileHead[] = []
  for (const [i, name] of names.slice(first, first + paging.perPage).entries()) {
    if (slice.isDue) await slice.yield()
    const record = await index.global(name)
    if (record !== undefined) (first + i < inProgress.length ? progress : queued).push(record)
  }
  const skip = Math.max(0, first - names.length)
  const room = paging.perPage - Math.max(0, Math.min(names.length - first, paging.perPage))
  return { progress, queued, rest: await restOf(index, new Set(names), { skip, limit: room }, slice) }
}

async function restOf(
  index: NeedSource,
  elsewhere: ReadonlySet<string>,
  { skip, limit }: { skip: number; limit: number },
  slice: TimeSlice,
): Promise<readonly FileHead[]> {
  const rest: FileHead[] = []
  // Without a queue the index skips the earlier pages itself.
  let offset = elsewhere.size === 0 ? skip : 0
  let left = skip - offset
  for (let afterName = ''; rest.length < limit;) {
    const chunk = await index.need({ offset, limit: CHUNK, afterName })
    for (const record of chunk) {
      if (elsewhere.has(record.name)) continue
      if (left > 0) left--
      else if (rest.length < limit) rest.push(record)
    }
    const last = chunk.at(-1)
    if (last === undefined || chunk.length < CHUNK) break
    afterName = last.name
    offset = 0
    if (slice.isDue) await slice.yield()
  }
  return rest
}
