import { hasWinner, isHeldElsewhere, isNeeded } from '../../core/records/need.ts'
import { waitingAction } from '../../core/records/item-state.ts'
import type { QueuePlace } from '../../core/records/reasons.ts'
import type { FolderIndex, NameRecords } from '../../db/types.ts'
import type { WaitingItem } from './explorer-types.ts'
import type { Folder } from '../folder/folder.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'
import type { Paging } from '../types.ts'

/** Needed items read per chunk. */
const CHUNK = 1_000

/** The queue of a running folder. */
export type Queue = Pick<Folder, 'jobs' | 'pulling' | 'problems'>

/** A page of what is needed: what is being downloaded, what is queued, then the rest by name. Each item once. */
export async function waitingItems(
  index: FolderIndex,
  queue: Queue | undefined,
  { page, perPage }: Paging,
  slice: TimeSlice,
): Promise<readonly WaitingItem[]> {
  const first = (page - 1) * perPage
  const inProgress = queue?.jobs.inProgress() ?? []
  const ahead = [...inProgress, ...(queue?.jobs.waiting() ?? [])]
  const names = ahead.slice(first, first + perPage)
  const rest = await restOf(
    index,
    ahead,
    { skip: Math.max(0, first - ahead.length), limit: perPage - names.length },
    slice,
  )
  const downloading = new Set(inProgress)
  const queued = new Set(names)
  const problems = new Map(queue?.problems.map(({ path, error }) => [path, error]))
  const stageOf = (name: string) => (downloading.has(name) ? 'downloading' : queued.has(name) ? 'queued' : 'waiting')
  return (await index.records([...names, ...rest]))
    .filter(isNameNeeded) // some were pulled meanwhile
    .map((records) => ({
      records,
      action: waitingAction(records.local, records.global),
      stage: stageOf(records.name),
      bytesDone: queue?.pulling.get(records.name)?.bytesDone ?? 0,
      problem: problems.get(records.name),
      holders: holdersOf(records),
    }))
}

export function isNameNeeded({ local, global, others }: NameRecords): boolean {
  return isNeeded(local, global, isHeldElsewhere(others.values(), global))
}

/** Devices with the newest version, connected or not. */
function holdersOf({ others, global }: NameRecords): WaitingItem['holders'] {
  return [...others].filter(([, record]) => hasWinner(record, global)).map(([device]) => device)
}

/** Names of needed items that are in no queue. */
async function restOf(
  index: Pick<FolderIndex, 'need'>,
  ahead: readonly string[],
  { skip, limit }: { skip: number; limit: number },
  slice: TimeSlice,
): Promise<readonly string[]> {
  if (limit <= 0) return []
  if (ahead.length === 0) return (await index.need({ offset: skip, limit })).map(({ name }) => name)
  const elsewhere = new Set(ahead)
  const rest: string[] = []
  let left = skip
  for (let afterName = ''; ;) {
    const chunk = await index.need({ offset: 0, limit: CHUNK, afterName })
    for (const { name } of chunk) {
      if (elsewhere.has(name)) continue
      if (left > 0) left--
      else if (rest.push(name) === limit) return rest
    }
    const last = chunk.at(-1)
    if (last === undefined || chunk.length < CHUNK) return rest
    afterName = last.name
    await slice.yield()
  }
}

/** The stage of one needed file. */
export function placeOf({ jobs }: Pick<Queue, 'jobs'>, name: string): QueuePlace {
  if (jobs.inProgress().includes(name)) return { stage: 'downloading' }
  const place = jobs.waiting().indexOf(name)
  return place === -1 ? { stage: 'waiting' } : { stage: 'queued', place }
}
