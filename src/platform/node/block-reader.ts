import type { BlockAnswer, BlockOrder, BlockReader } from '../files/block-reader.ts'
import type { DiskThreads } from './threads/disk-threads.ts'
import {
  HEADROOM_BYTES,
  packReadTask,
  READ_ABSENT,
  READ_DIFFERENT,
  READ_FAILED,
  ReadFiles,
  type ReadReport,
} from './threads/read-task.ts'
import { SharedMemory } from './threads/shared-memory.ts'

const KIB = 1024

/** Small blocks go to a thread many at a time, as many as fit into one piece of memory; a large one goes by itself. */
const TASK_ORDERS_MAX = 64
const TASK_BYTES_MAX = 256 * KIB
/** While one task is worked on the next already waits at the thread's door. */
const TASKS_PER_THREAD = 2
/** So many small blocks are worth waking another thread for; fewer wait for the one that is at work. */
const GATHERED_MIN = 8
/** A single small block is read here in less time than a thread takes to start. */
const INLINE_BYTES_MAX = 128 * KIB
/** Memory that is kept for the next blocks, until nobody has asked for any for a while. */
const KEPT_BYTES_MAX = 8 * KIB * KIB
const IDLE_MS = 10_000

interface Waiting {
  readonly order: BlockOrder
  readonly resolve: (answer: BlockAnswer) => void
  readonly reject: (reason: unknown) => void
}

/** Has the threads for the disk read, check and hash blocks. What is asked for in one turn goes to a thread together. */
export class NodeBlockReader implements BlockReader {
  readonly #threads: DiskThreads
  readonly #memory = new SharedMemory(KEPT_BYTES_MAX)
  readonly #here = new ReadFiles()
  #waiting: Waiting[] = []
  #scheduled = false
  #tasks = 0
  #idleTimer: NodeJS.Timeout | undefined

  constructor(threads: DiskThreads) {
    this.#threads = threads
  }

  read(order: BlockOrder): Promise<BlockAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<BlockAnswer>()
    this.#waiting.push({ order, resolve, reject })
    if (!this.#scheduled) {
      this.#scheduled = true
      setImmediate(() => {
        this.#scheduled = false
        this.#handOut()
      })
    }
    return promise
  }

  #handOut(): void {
    this.#idleTimer ??= setTimeout(() => this.#memory.clear(), IDLE_MS).unref()
    this.#idleTimer.refresh()
    const [first, second] = this.#waiting
    if (
      first !== undefined &&
      second === undefined &&
      !this.#threads.isStarted &&
      first.order.sizeBytes <= INLINE_BYTES_MAX
    ) {
      this.#waiting = []
      return this.#readHere(first)
    }
    while (this.#tasks < this.#threads.threadsMax * TASKS_PER_THREAD && this.#isWorthATask()) {
      void this.#readThere(this.#waiting.splice(0, countTogether(this.#waiting)))
    }
  }

  /** Every task wakes a thread, and that takes as long as reading a few small blocks. */
  #isWorthATask(): boolean {
    const [first] = this.#waiting
    if (first === undefined) return false
    return this.#tasks === 0 || this.#waiting.length >= GATHERED_MIN || first.order.sizeBytes > INLINE_BYTES_MAX
  }

  #readHere(waiting: Waiting): void {
    const memory = this.#memory.take(HEADROOM_BYTES + waiting.order.sizeBytes)
    this.#settle([waiting], memory, this.#here.run(packReadTask(0, [waiting.order], memory)))
  }

  /** Never rejects: those who wait are told. */
  async #readThere(together: readonly Waiting[]): Promise<void> {
    this.#tasks++
    const orders = together.map(({ order }) => order)
    const memory = this.#memory.take(orders.reduce((sum, { sizeBytes }) => sum + HEADROOM_BYTES + sizeBytes, 0))
    try {
      this.#settle(together, memory, await this.#threads.read((id) => packReadTask(id, orders, memory)))
    } catch (error) {
      for (const { reject } of together) reject(error) // the memory is left to whoever may still write to it
    }
    this.#tasks--
    this.#handOut()
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
          giveBack: once(leave),
        })
      } else if (count === READ_ABSENT) resolve({ kind: 'absent' })
      else if (count === READ_DIFFERENT) resolve(differentAnswer(report, at))
      else reject(failureOf(report, at))
      place += order.sizeBytes + HEADROOM_BYTES
    })
    leave()
  }
}

/** How many of those who wait go together: the first, and all after it that fit. */
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

function differentAnswer(report: ReadReport, at: number): BlockAnswer {
  const found = report.different.find((each) => each.at === at)
  if (found === undefined) throw new Error('a thread left out what it found')
  const { sizeBytes, modifiedS, modifiedNs } = found
  return { kind: 'different', sizeBytes, modifiedS, modifiedNs }
}

function failureOf(report: ReadReport, at: number): Error {
  const failure = report.errors.find((each) => each.at === at)
  return Object.assign(new Error(failure?.message ?? 'unknown'), { code: failure?.code })
}

/** Memory that is given back twice would be given out twice. */
function once(act: () => void): () => void {
  let done = false
  return () => {
    if (!done) act()
    done = true
  }
}
