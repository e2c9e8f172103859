import type { FileHead } from '../../core/records/file-info.ts'
import type { Records } from '../../db/types.ts'
import type { JobQueue } from '../state/job-queue.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'
import type { NeedPage, Paging } from '../types.ts'
import { NeededRest, type NeededSource } from './needed-rest.ts'

/** The part of an index that lists needed items. */
export interface NeedSource {
  readonly needs: NeededSource
  readonly records: Pick<Records, 'global'>
}

export const NOTHING_NEEDED: NeedPage = { progress: [], queued: [], rest: [] }

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
    const record = await index.records.global(name)
    if (record !== undefined) (first + i < inProgress.length ? progress : queued).push(record)
  }
  const skip = Math.max(0, first - names.length)
  const room = paging.perPage - Math.max(0, Math.min(names.length - first, paging.perPage))
  const rest = await new NeededRest(index.needs, jobs, slice).after({ skip, limit: room })
  return { progress, queued, rest }
}
