import type { FileHead } from '../../core/records/file-info.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { JobQueue } from '../state/job-queue.ts'
import type { NeedPage, Paging } from '../types.ts'

/** Needed items read at a time to find those outside of the queue. */
const CHUNK = 4_096

/** The part of an index that lists needed items. */
export type NeedSource = Pick<FolderIndex, 'global' | 'need'>

/**
 * One page of what is needed: what is in progress, then what is queued, then the rest by name, counted once over all
 * three, so that no item is on two pages.
 */
export async function pageOf(index: NeedSource, jobs: JobQueue, paging: Paging): Promise<NeedPage> {
  const first = (paging.page - 1) * paging.perPage
  const inProgress = jobs.inProgress()
  const names = [...inProgress, ...jobs.waiting()]
  const progress: FileHead[] = []
  const queued: FileHead[] = []
  for (const [i, name] of names.slice(first, first + paging.perPage).entries()) {
    const record = await index.global(name)
    if (record !== undefined) (first + i < inProgress.length ? progress : queued).push(record)
  }
  const skip = Math.max(0, first - names.length)
  const room = paging.perPage - Math.max(0, Math.min(names.length - first, paging.perPage))
  return { progress, queued, rest: await restOf(index, new Set(names), { skip, limit: room }) }
}

async function restOf(
  index: NeedSource,
  elsewhere: ReadonlySet<string>,
  { skip, limit }: { skip: number; limit: number },
): Promise<readonly FileHead[]> {
  if (limit <= 0) return []
  if (elsewhere.size === 0) return await index.need({ offset: skip, limit })
  const rest: FileHead[] = []
  let left = skip
  for (let offset = 0; rest.length < limit; offset += CHUNK) {
    const chunk = await index.need({ offset, limit: CHUNK })
    for (const record of chunk.filter(({ name }) => !elsewhere.has(name))) {
      if (left > 0) left--
      else if (rest.length < limit) rest.push(record)
    }
    if (chunk.length < CHUNK) break
  }
  return rest
}
