import { detach } from '../../core/errors.ts'
import type { BlockResult, BlockOrder, BlockReader } from '../files/block-reader.ts'
import type { DiskThreads } from './threads/disk-threads.ts'
import {
  HEADROOM_BYTES,
  packReadTask,
  READ_ABSENT,
  READ_DIFFERENT,
  READ_FAILED,
  ReadFiles,
  slotSize,
  type ReadReport,
} from './threads/read-task.ts'
import { SharedMemory } from './threads/shared-memory.ts'

const KIB = 1024

/** Small blocks are posted to a thread in batches that fit into one buffer; a large one separately. */
const TASK_ORDERS_MAX = 64
const TASK_BYTES_MAX = 256 * KIB
/** While a thread processes one task the next is queued for it. */
const TASKS_PER_THREAD = 2
/** Minimum of small blocks that justifies another thread; fewer wait for the busy one. */
const GATHERED_MIN = 8
/** A block that is only read counts as this part of one that is hashed, which is less than another thread is worth. */
const READ_LOAD = 1 / 8
/** A single small block is read inline in less time than a thread takes to start, or to wake up. */
const INLINE_BYTES_MAX = 128 * KIB
/** Others follow sooner where many are requested. */
const QUIET_MS = 20
/** A disk that lets a read wait for so long must not stop the event loop again soon. */
const SLOW_MS = 5
const SLOW_PAUSE_MS = 10_000
/**
 * Buffers kept for the next blocks, until none was requested for a while: as much as a device has open, 2 MiB for each
 * connection or two of the largest blocks. What is not kept is garbage outside the heap, which V8 hardly collects.
 */
const KEPT_BYTES_MAX = 32 * KIB * KIB
const IDLE_MS = 10_000

interface Waiting {
  readonly order: BlockOrder
  readonly resolve: (result: BlockResult) => void
  readonly reject: (reason: unknown) => void
}

/** Reads, checks and hashes blocks in the disk threads. Requests of one turn of the event loop form a batch. */
export class NodeBlockReader implements BlockReader {
  readonly #threads: DiskThreads
  readonly #nowMs: () => number
  readonly #memory = new SharedMemory(KEPT_BYTES_MAX)
  readonly #here = new ReadFiles()
  #waiting: Waiting[] = []
  #scheduled = false
  #tasks = 0
  /** When something was last read. */
  #readMs = Number.NEGATIVE_INFINITY
  /** Before this time nothing is read inline. */
  #hereAfterMs = Number.NEGATIVE_INFINITY
  #idleTimer: NodeJS.Timeout | undefined

  constructor(threads: DiskThreads, nowMs = () => performance.now()) {
    this.#threads = threads
    this.#nowMs = nowMs
  }

  read(order: BlockOrder): Promise<BlockResult> {
    const { promise, resolve, reject } = Promise.withResolvers<BlockResult>()
    this.#waiting.push({ order, resolve, reject })
    if (!this.#scheduled) {
      this.#scheduled = true
      setImmediate(() => {
        this.#scheduled = false
        this.#dispatch()
      })
    }
    return promise
  }

  #dispatch(): void {
    this.#idleTimer ??= setTimeout(() => this.#memory.clear(), IDLE_MS).unref()
    this.#idleTimer.refresh()
    const [first, second] = this.#waiting
    const mayReadHere = this.#mayReadHere()
    this.#readMs = this.#nowMs()
    if (first !== undefined && second === undefined && mayReadHere && first.order.sizeBytes <= INLINE_BYTES_MAX) {
      this.#waiting = []
      return this.#readHere(first)
    }
    while (this.#tasks < this.#threads.threadsMax * TASKS_PER_THREAD && this.#isWorthATask()) {
      detach(this.#readInThread(this.#waiting.splice(0, countTogether(this.#waiting))))
    }
  }

  /** Nothing else has been read for a moment, and the last one that was read inline did not wait for the disk. */
  #mayReadHere(): boolean {
    if (this.#tasks > 0) return false
    const nowMs = this.#nowMs()
    return nowMs >= this.#hereAfterMs && (nowMs - this.#readMs >= QUIET_MS || !this.#threads.isStarted)
  }

  /** Waking a thread takes as long as reading a few small blocks. */
  #isWorthATask(): boolean {
    const [first] = this.#waiting
    if (first === undefined) return false
    return this.#tasks === 0 || this.#waiting.length >= GATHERED_MIN || first.order.sizeBytes > INLINE_BYTES_MAX
  }

  #readHere(waiting: Waiting): void {
    const startedMs = this.#nowMs()
    const memory = this.#memory.take(slotSize(waiting.order))
    const report = this.#here.run(packReadTask(0, [waiting.order], memory))
    if (this.#nowMs() - startedMs >= SLOW_MS) this.#hereAfterMs = startedMs + SLOW_PAUSE_MS
    this.#settle([waiting], memory, report)
  }

  /** Never rejects: the waiting requests are rejected. */
  async #readInThread(together: readonly Waiting[]): Promise<void> {
    this.#tasks++
    const orders = together.map(({ order }) => order)
    const memory = this.#memory.take(orders.reduce((sum, order) => sum + slotSize(order), 0))
    const loadBytes = orders.reduce((sum, order) => sum + loadOf(order), 0)
    try {
      const report = await this.#threads.read((id) => packReadTask(id, orders, memory), loadBytes)
      this.#settle(together, memory, report)
    } catch (error) {
      for (const { reject } of together) reject(error) // the memory is not reused: the thread may still write to it
    }
    this.#tasks--
    this.#dispatch()
  }

  #settle(together: readonly Waiting[], memory: SharedArrayBuffer, report: ReadReport): void {
    let users = 1
    const leave = (): void => {
      users--
      if (users === 0) this.#memory.give(memory)
    }
    let place = HEADROOM_BYTES
    together.forEach(({ order, resolve, reject }, at) => {
      const count = report.counts[at] ?? READ_FAILED
      if (count >= 0) {
        users++
        resolve({
          kind: 'read',
          data: Buffer.from(memory, place, count),
          headroomBytes: HEADROOM_BYTES,
          releaseBuffer: once(leave),
        })
      } else if (count === READ_ABSENT) resolve({ kind: 'absent' })
      else if (count === READ_DIFFERENT) resolve(differentResult(report, at))
      else reject(failureOf(report, at))
      place += slotSize(order)
    })
    leave()
  }
}

/** So many hashed bytes count as much. */
function loadOf({ sizeBytes, recorded, seal }: BlockOrder): number {
  return recorded === undefined || seal !== undefined ? sizeBytes : sizeBytes * READ_LOAD
}

/** Size of the next batch: the first request, and all after it that fit. */
function countTogether(waiting: readonly Waiting[]): number {
  let bytes = 0
  let count = 0
  for (const { order } of waiting) {
    bytes += order.sizeBytes
    if (count > 0 && (bytes > TASK_BYTES_MAX || count >= TASK_ORDERS_MAX)) break
    count++
  }
  return count
}

function differentResult(report: ReadReport, at: number): BlockResult {
  const found = report.different.find((each) => each.at === at)
  if (found === undefined) throw new Error('a thread left out what it found')
  const { sizeBytes, modifiedS, modifiedNs } = found
  return { kind: 'different', sizeBytes, modifiedS, modifiedNs }
}

function failureOf(report: ReadReport, at: number): Error {
  const failure = report.errors.find((each) => each.at === at)
  return Object.assign(new Error(failure?.message ?? 'unknown'), { code: failure?.code })
}

/** Memory released twice would be handed out twice. */
function once(act: () => void): () => void {
  let done = false
  return () => {
    if (!done) act()
    done = true
  }
}
