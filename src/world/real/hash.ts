import { blocksHashOf } from '../../core/blocks.ts'
import type { Hasher, HashJob, HashResult } from '../hasher.ts'
import { HashPool } from './hash-pool.ts'
import { HashBuffer, packTask, runTask, unpackReport, type HashPart } from './hash-task.ts'

const KIB = 1024
const MIB = 1024 * KIB

/** Small files go to a thread many at a time; a task stays short so that an abort is not felt. */
const TASK_FILES_MAX = 256
const TASK_BYTES_MAX = 16 * MIB
/** Files above this are shared out in ranges, a whole number of the largest blocks each. */
const RANGE_BYTES = 32 * MIB
/** One file of this size is hashed here in less time than a thread takes to wake. */
const INLINE_BYTES_MAX = 128 * KIB

export function createRealHasher(options: { readonly threads: number }): Hasher & AsyncDisposable {
  return new RealHasher(options.threads)
}

class RealHasher implements Hasher {
  readonly #pool: HashPool
  readonly #buffer = new HashBuffer()

  constructor(threads: number) {
    this.#pool = new HashPool(Math.max(1, threads))
  }

  async hash(
    jobs: readonly HashJob[], onBytes: (count: number) => void, signal: AbortSignal,
  ): Promise<readonly HashResult[]> {
    signal.throwIfAborted()
    const [first, second] = jobs
    if (first === undefined) return []
    const isTiny = second === undefined && first.sizeBytes <= INLINE_BYTES_MAX
    if (isTiny && !this.#pool.isBusy) return this.#hashHere(first, onBytes)

    const results: HashResult[] = []
    const large = new Map<number, HashResult[]>()
    const running = planTasks(jobs).map(async ({ parts, places }) => {
      const found = unpackReport(await this.#pool.run((id) => packTask(id, parts), signal), parts)
      found.forEach((result, i) => {
        const place = places[i]!
        const part = parts[i]!
        if (part.endBytes - part.startBytes === part.sizeBytes) results[place] = result
        else inOrder(large, place, part.startBytes / RANGE_BYTES, result)
      })
      onBytes(parts.reduce((sum, part) => sum + part.endBytes - part.startBytes, 0))
    })
    await Promise.all(running)
    for (const [place, ranges] of large) results[place] = joinRanges(ranges)
    return results
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool[Symbol.asyncDispose]()
  }

  #hashHere(job: HashJob, onBytes: (count: number) => void): readonly HashResult[] {
    const parts = [wholeFile(job)]
    const results = unpackReport(runTask(packTask(0, parts), this.#buffer), parts)
    onBytes(job.sizeBytes)
    return results
  }
}

/** Parts that go to a thread together, and the place of each part's job. */
interface PlannedTask {
  readonly parts: HashPart[]
  readonly places: number[]
}

function planTasks(jobs: readonly HashJob[]): readonly PlannedTask[] {
  const tasks: PlannedTask[] = []
  let open: PlannedTask = { parts: [], places: [] }
  let openBytes = 0
  jobs.forEach((job, place) => {
    if (job.sizeBytes > RANGE_BYTES) return void tasks.push(...ranges(job, place))
    if (open.parts.length >= TASK_FILES_MAX || (openBytes + job.sizeBytes > TASK_BYTES_MAX && open.parts.length > 0)) {
      tasks.push(open)
      open = { parts: [], places: [] }
      openBytes = 0
    }
    open.parts.push(wholeFile(job))
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

function wholeFile(job: HashJob): HashPart {
  // Written out: fifty thousand of these are made in a scan, and a spread takes ten times as long.
  const { path, sizeBytes, modifiedS, modifiedNs, blockSizeBytes } = job
  return { path, sizeBytes, modifiedS, modifiedNs, blockSizeBytes, startBytes: 0, endBytes: sizeBytes }
}

function inOrder(large: Map<number, HashResult[]>, place: number, index: number, result: HashResult): void {
  let ranges = large.get(place)
  if (ranges === undefined) large.set(place, (ranges = []))
  ranges[index] = result
}

/** Each range saw the file unchanged before and after, and all of them expected the same: so they fit together. */
function joinRanges(ranges: readonly HashResult[]): HashResult {
  const parts: Uint8Array[] = []
  for (const range of ranges) {
    if (range.kind !== 'hashed') return range
    parts.push(range.blockHashes)
  }
  const blockHashes = Buffer.concat(parts)
  return { kind: 'hashed', blockHashes, blocksHash: blocksHashOf(blockHashes) }
}
