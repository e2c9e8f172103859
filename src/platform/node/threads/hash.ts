import type { Hasher, HashJob, HashOptions, HashResult } from '../../hasher.ts'
import { DiskThreads, type DiskThreadsOptions } from './disk-threads.ts'
import {
  bytesOf,
  HashBuffer,
  joinRanges,
  packTask,
  runTask,
  unpackReport,
  type HashPart,
  type RangeResult,
} from './hash-task.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Small files are batched; a task stays short so that an abort takes effect quickly. */
const TASK_FILES_MAX = 256
const TASK_BYTES_MAX = 16 * MIB
/** Larger files are split into ranges, each a whole number of the largest blocks. */
const RANGE_BYTES = 32 * MIB
/** One file of this size is hashed inline in less time than a thread takes to wake. */
const INLINE_BYTES_MAX = 128 * KIB

/** With its own threads unless shared ones are given. */
export function createNodeHasher(threads: DiskThreads | DiskThreadsOptions): Hasher & AsyncDisposable {
  return new NodeHasher(threads instanceof DiskThreads ? threads : new DiskThreads(threads))
}

class NodeHasher implements Hasher {
  readonly #threads: DiskThreads
  readonly #buffer = new HashBuffer()

  constructor(threads: DiskThreads) {
    this.#threads = threads
  }

  async hash(
    jobs: readonly HashJob[],
    onBytes: (count: number) => void,
    signal: AbortSignal,
    options: HashOptions = {},
  ): Promise<readonly HashResult[]> {
    signal.throwIfAborted()
    const [first, second] = jobs
    if (first === undefined) return []
    const isTiny = second === undefined && first.sizeBytes <= INLINE_BYTES_MAX
    if (isTiny && !this.#threads.isHashing) return this.#hashHere(first, onBytes)

    const results: HashResult[] = []
    const large = new Map<number, RangeResult[]>()
    const hashTask = async ({ parts, places }: PlannedTask): Promise<void> => {
      const sizeBytes = parts.reduce((sum, part) => sum + bytesOf(part), 0)
      const report = await this.#threads.hash((id) => packTask(id, parts), sizeBytes, signal)
      unpackReport(report, parts).forEach((result, i) => {
        const place = places[i]!
        const part = parts[i]!
        if (part.startBytes === undefined) results[place] = result
        else inOrder(large, place, part.startBytes / RANGE_BYTES, { result, stamp: report.stamps[i]! })
      })
      onBytes(sizeBytes)
    }
    const tasks = planTasks(jobs)
    const waiting = tasks.values()
    const runTasks = async (): Promise<void> => {
      for (const task of waiting) await hashTask(task)
    }
    await Promise.all(Array.from({ length: Math.min(tasks.length, options.tasksMax ?? tasks.length) }, runTasks))
    for (const [place, ranges] of large) results[place] = joinRanges(ranges)
    return results
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#threads[Symbol.asyncDispose]()
  }

  #hashHere(job: HashJob, onBytes: (count: number) => void): readonly HashResult[] {
    const parts = [job]
    const results = unpackReport(runTask(packTask(0, parts), this.#buffer), parts)
    onBytes(job.sizeBytes)
    return results
  }
}

/** Parts of one task, and the index of each part's job. */
interface PlannedTask {
  readonly parts: HashPart[]
  readonly places: number[]
}

function planTasks(jobs: readonly HashJob[]): readonly PlannedTask[] {
  const tasks: PlannedTask[] = []
  let open: PlannedTask = { parts: [], places: [] }
  let openBytes = 0
  jobs.forEach((job, place) => {
    if (job.sizeBytes > RANGE_BYTES) {
      for (const task of ranges(job, place)) tasks.push(task)
      return
    }
    if (open.parts.length >= TASK_FILES_MAX || (openBytes + job.sizeBytes > TASK_BYTES_MAX && open.parts.length > 0)) {
      tasks.push(open)
      open = { parts: [], places: [] }
      openBytes = 0
    }
    open.parts.push(job)
    open.places.push(place)
    openBytes += job.sizeBytes
  })
  if (open.parts.length > 0) tasks.push(open)
  return tasks
}

function ranges(job: HashJob, place: number): PlannedTask[] {
  const tasks: PlannedTask[] = []
  for (let startBytes = 0; startBytes < job.sizeBytes; startBytes += RANGE_BYTES) {
    const endBytes = Math.min(startBytes + RANGE_BYTES, job.sizeBytes)
    tasks.push({ parts: [{ ...job, startBytes, endBytes }], places: [place] })
  }
  return tasks
}

function inOrder(large: Map<number, RangeResult[]>, place: number, index: number, range: RangeResult): void {
  let ranges = large.get(place)
  if (ranges === undefined) large.set(place, (ranges = []))
  ranges[index] = range
}
