import { hasWinner, isHeldElsewhere, isNeeded } from '../../core/records/need.ts'
import { waitingAction } from '../../core/records/item-state.ts'
import type { QueuePlace } from '../../core/records/reasons.ts'
import type { Listing, NameRecords } from '../../db/types.ts'
import type { NextTo, WaitingItem } from './explorer-types.ts'
import type { Folder } from '../folder/folder.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'
import { JobQueue } from '../state/job-queue.ts'
import { NeededRest, type NeededSource } from './needed-rest.ts'

/** The part of an index that lists what is waiting. */
export interface WaitingSource {
  readonly needs: NeededSource
  readonly listing: Pick<Listing, 'recordsOf'>
}

/** The queue of a running folder. */
export type Queue = Pick<Folder, 'jobs' | 'pulling' | 'problems'>

/**
 * A page of what is needed: what is being downloaded, what is queued, then the rest by name. Each item once. Next to an
 * item that is still needed the place is found by its name, whatever has changed before it; else by the page number.
 */
export async function waitingItems(
  index: WaitingSource,
  queue: Queue | undefined,
  paging: NextTo,
  slice: TimeSlice,
): Promise<readonly WaitingItem[]> {
  const jobs = queue?.jobs ?? new JobQueue(0)
  const inProgress = jobs.inProgress()
  const ahead = [...inProgress, ...jobs.waiting()]
  const names = await namesOf({ index, ahead, rest: new NeededRest(index.needs, jobs, slice) }, paging)
  const downloading = new Set(inProgress)
  const problems = new Map(queue?.problems.map(({ path, error }) => [path, error]))
  const stageOf = (name: string) => (downloading.has(name) ? 'downloading' : jobs.has(name) ? 'queued' : 'waiting')
  return (await index.listing.recordsOf(names))
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

interface Needed {
  readonly index: WaitingSource
  /** What is being downloaded and what is queued. */
  readonly ahead: readonly string[]
  readonly rest: NeededRest
}

async function namesOf(needed: Needed, { page, perPage, after, before }: NextTo): Promise<readonly string[]> {
  if (after !== undefined && (await isStillNeeded(needed, after))) return namesAfter(needed, after, perPage)
  if (before !== undefined && (await isStillNeeded(needed, before))) return namesBefore(needed, before, perPage)
  return namesFrom(needed, (page - 1) * perPage, perPage)
}

async function isStillNeeded({ index }: Needed, name: string): Promise<boolean> {
  return (await index.listing.recordsOf([name])).some(isNameNeeded)
}

async function namesAfter(needed: Needed, name: string, limit: number): Promise<readonly string[]> {
  const place = needed.ahead.indexOf(name)
  if (place !== -1) return namesFrom(needed, place + 1, limit)
  return (await needed.rest.after({ afterName: name, limit })).map((head) => head.name)
}

async function namesBefore({ ahead, rest }: Needed, name: string, limit: number): Promise<readonly string[]> {
  const place = ahead.indexOf(name)
  if (place !== -1) return ahead.slice(Math.max(0, place - limit), place)
  const names = await rest.before(name, limit)
  return [...ahead.slice(Math.max(0, ahead.length - (limit - names.length))), ...names]
}

async function namesFrom({ ahead, rest }: Needed, first: number, limit: number): Promise<readonly string[]> {
  const names = ahead.slice(first, first + limit)
  const skip = Math.max(0, first - ahead.length)
  const heads = await rest.after({ skip, limit: limit - names.length })
  return [...names, ...heads.map((head) => head.name)]
}

export function isNameNeeded({ local, global, others }: NameRecords): boolean {
  return isNeeded(local, global, isHeldElsewhere(others.values(), global))
}

/** Devices with the newest version, connected or not. */
function holdersOf({ others, global }: NameRecords): WaitingItem['holders'] {
  return [...others].filter(([, record]) => hasWinner(record, global)).map(([device]) => device)
}

/** The stage of one needed file. */
export function placeOf({ jobs }: Pick<Queue, 'jobs'>, name: string): QueuePlace {
  if (jobs.inProgress().includes(name)) return { stage: 'downloading' }
  const place = jobs.waiting().indexOf(name)
  return place === -1 ? { stage: 'waiting' } : { stage: 'queued', place }
}
