import type { FileHead } from '../../core/records/file-info.ts'
import type { Needs } from '../../db/types.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'
import type { JobQueue } from '../state/job-queue.ts'

/** Items read at a time: a few milliseconds. */
const CHUNK = 1_000
/** So that a run of queued names after the last chunk is not read one by one. */
const CHUNK_MIN = 100
/** Names skipped at a time, which are only counted by the index. */
const STRIDE = 20_000

/** The part of an index that lists needed items. */
export type NeededSource = Pick<Needs, 'need' | 'neededNames'>

/** Where a part of the rest begins: after a name, and then after `skip` items. */
export interface RestPlace {
  readonly afterName?: string
  readonly skip?: number
  readonly limit: number
}

/** The needed items that are in no queue, by name. */
export class NeededRest {
  readonly #index: NeededSource
  readonly #jobs: Pick<JobQueue, 'has' | 'isEmpty'>
  readonly #slice: TimeSlice

  constructor(index: NeededSource, jobs: Pick<JobQueue, 'has' | 'isEmpty'>, slice: TimeSlice) {
    this.#index = index
    this.#jobs = jobs
    this.#slice = slice
  }

  async after({ afterName = '', skip = 0, limit }: RestPlace): Promise<readonly FileHead[]> {
    const found: FileHead[] = []
    if (limit <= 0) return found
    let place = await this.#skip(afterName, skip)
    while (place !== undefined) {
      const wanted = Math.min(CHUNK, Math.max(CHUNK_MIN, limit - found.length))
      const chunk = await this.#index.need({ afterName: place, offset: 0, limit: wanted })
      for (const head of chunk) {
        if (this.#jobs.has(head.name)) continue
        found.push(head)
        if (found.length === limit) return found
      }
      place = chunk.length < wanted ? undefined : chunk.at(-1)?.name
      if (this.#slice.isDue) await this.#slice.yield()
    }
    return found
  }

  /** The names of the last items before a name, in order. */
  async before(beforeName: string, limit: number): Promise<readonly string[]> {
    let found: readonly string[] = []
    for (let place: string | undefined = beforeName; place !== undefined && found.length < limit;) {
      const chunk: readonly string[] = await this.#index.neededNames({ beforeName: place, limit: CHUNK })
      found = [...chunk.filter((name) => !this.#jobs.has(name)), ...found]
      place = chunk.length < CHUNK ? undefined : chunk[0]
      if (this.#slice.isDue) await this.#slice.yield()
    }
    return found.slice(-limit)
  }

  /** The name after which an item follows `skip` others; undefined behind the end. */
  async #skip(afterName: string, skip: number): Promise<string | undefined> {
    return this.#jobs.isEmpty ? this.#skipBySteps(afterName, skip) : this.#skipByNames(afterName, skip)
  }

  async #skipBySteps(afterName: string, skip: number): Promise<string | undefined> {
    let place = afterName
    for (let left = skip; left > 0; left -= STRIDE) {
      const offset = Math.min(left, STRIDE) - 1
      const [name] = await this.#index.neededNames({ afterName: place, offset, limit: 1 })
      if (name === undefined) return undefined
      place = name
      if (this.#slice.isDue) await this.#slice.yield()
    }
    return place
  }

  /** Also over queued names before the first item, as the queue usually holds the first names. */
  async #skipByNames(afterName: string, skip: number): Promise<string | undefined> {
    let place = afterName
    for (let left = skip; ;) {
      const chunk = await this.#index.neededNames({ afterName: place, offset: 0, limit: CHUNK })
      for (const name of chunk) {
        if (!this.#jobs.has(name) && left-- === 0) return place
        place = name
      }
      if (chunk.length < CHUNK) return undefined
      if (this.#slice.isDue) await this.#slice.yield()
    }
  }
}
