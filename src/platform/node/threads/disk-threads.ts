import { extname } from 'node:path'
import type { Worker } from 'node:worker_threads'
import { detach, messageOf } from '../../../core/errors.ts'
import type { WalkRequest } from '../../walk.ts'
import type { TaskReport, ThreadOrder, ThreadReport, ThreadTask } from './disk-worker.ts'
import type { HashReport, HashTask } from './hash-task.ts'
import { orderBytes, packOrders, unpackResults, type MakeReport, type Outcome, type WaitingOrder } from './make-pack.ts'
import type { ReadReport, ReadTask } from './read-task.ts'
import type { WalkReport } from '../disk/walk-slices.ts'

/** Two tasks per thread: while one is hashed the next is queued. */
const TASKS_PER_THREAD = 2
/**
 * Another thread takes twenty megabytes. Of small files the main thread has as much to do as one thread, so that a
 * second one is worth them only for so many bytes at a time, or on a disk that lets a thread wait.
 */
const LOAD_BYTES_MIN = 4 * 1_024 * 1_024
const SLOW_TASK_MS = 100
/** A thread holds twenty megabytes; a new one takes a few hundredths of a second. */
const IDLE_MS = 2_000
/** A thread may crash by accident; a task that crashes two threads is the cause. */
const ATTEMPTS_MAX = 2

/**
 * A small young generation limits the memory of a thread, 8 MB would cost 4 MB more without being faster; the rest must
 * hold the names of the largest directory. The flags of decision 014 take precedence in V8, also in a thread.
 */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 1_024 }

/** The worker file has the same extension as this one, from source and compiled. */
const ENTRY = new URL(`./disk-worker${extname(import.meta.url)}`, import.meta.url)

interface Waiting {
  readonly pack: (id: number) => ThreadTask
  readonly kind: ThreadTask['kind']
  readonly loadBytes: number
  readonly settle: (report: TaskReport) => void
  readonly reject: (reason: unknown) => void
  /** Number of threads that received it. */
  attempts: number
  /** When the last one did. */
  postedMs: number
  /** Aborted by the caller: not retried. */
  abandoned: boolean
}

/** Receives the reports of one walk, in order. `onLost` is the last call when the thread has crashed. */
export interface WalkListener {
  onReport(report: WalkReport): void
  onLost(reason: unknown): void
}

/** A walk under way. */
export interface WalkHandle {
  /** Requests one more batch. */
  credit(): void
  /** Requests its end, which the listener receives. */
  stop(): void
}

interface Thread {
  readonly worker: Worker
  readonly tasks: Map<number, Waiting>
  readonly walks: Map<number, WalkListener>
  /** Pending orders by number. */
  readonly making: Map<number, PendingOrder>
  /** Of all tasks and orders. */
  pendingBytes: number
  /** Since when it has been running what it receives; undefined until its first report. */
  readySinceMs: number | undefined
  /** When it was started, or last reported something. */
  usedMs: number
}

interface PendingOrder {
  readonly report: (outcome: Outcome) => void
  readonly sizeBytes: number
}

export interface DiskThreadsOptions {
  readonly threads: number
  /** The worker file, for tests of crashing threads. */
  readonly entry?: URL | undefined
  /** Idle timeout of threads. */
  readonly idleMs?: number
  /** Called for all that a thread reports: there is work. */
  readonly onReport?: () => void
  /** Called when all idle threads have ended. */
  readonly onEnded?: () => void
}

/**
 * Threads for blocking disk access: started on demand, ended when idle, replaced after a crash. All kinds of work share
 * them: each thread compiles the program and takes twenty megabytes.
 */
export class DiskThreads implements AsyncDisposable {
  readonly #threadsMax: number
  readonly #entry: URL
  readonly #idleMs: number
  readonly #onReport: () => void
  readonly #onEnded: () => void
  readonly #threads: Thread[] = []
  #queue = new Set<Waiting>()
  #nextId = 1
  /** The last task took long. */
  #isSlow = false
  #idleTimer: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: DiskThreadsOptions) {
    const { threads, entry = ENTRY, idleMs = IDLE_MS, onReport = () => {}, onEnded = () => {} } = options
    this.#threadsMax = Math.max(1, threads)
    this.#entry = entry
    this.#idleMs = idleMs
    this.#onReport = onReport
    this.#onEnded = onEnded
  }

  /** Limit of threads. */
  get threadsMax(): number {
    return this.#threadsMax
  }

  get startedCount(): number {
    return this.#threads.length
  }

  /** Whether a thread runs: if not, small work is done faster inline. */
  get isStarted(): boolean {
    return this.startedCount > 0
  }

  /** Whether a new task would have to wait for others. */
  get isHashing(): boolean {
    return this.#queue.size > 0 || this.#threads.some((thread) => thread.tasks.size > 0)
  }

  /** `pack` is called when a thread is free: queued tasks stay small. */
  async hash(pack: (id: number) => HashTask, sizeBytes: number, signal: AbortSignal): Promise<HashReport> {
    signal.throwIfAborted()
    this.#refuseIfClosed()
    const { promise, resolve, reject } = Promise.withResolvers<HashReport>()
    const settle = (report: TaskReport): void => (report.kind === 'hash' ? resolve(report) : reject(mixedUp()))
    const waiting = newWaiting({ pack, kind: 'hash', loadBytes: sizeBytes, settle, reject })
    const onAbort = (): void => {
      this.#queue.delete(waiting)
      waiting.abandoned = true
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort)
    this.#queue.add(waiting)
    this.#dispatch()
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Latency-sensitive: precedes queued hashing. For few tasks at a time. `loadBytes`: so many hashed take as long. */
  async read(pack: (id: number) => ReadTask, loadBytes: number): Promise<ReadReport> {
    this.#refuseIfClosed()
    clearTimeout(this.#idleTimer)
    const { promise, resolve, reject } = Promise.withResolvers<ReadReport>()
    const settle = (report: TaskReport): void => (report.kind === 'read' ? resolve(report) : reject(mixedUp()))
    const waiting = newWaiting({ pack, kind: 'read', loadBytes, settle, reject })
    const reading = this.#isSlow ? undefined : this.#threads.find(hasTimeToRead)
    this.#post(reading ?? this.#leastBusy() ?? this.#start(), waiting)
    return await promise
  }

  /** A walk takes little time of its thread, which also hashes meanwhile. */
  walk(request: WalkRequest, credit: number, listener: WalkListener): WalkHandle {
    this.#refuseIfClosed()
    clearTimeout(this.#idleTimer)
    const thread = this.#leastBusy() ?? this.#start()
    const walk = this.#nextId++
    thread.walks.set(walk, listener)
    thread.worker.ref()
    post(thread, { kind: 'start', walk, request, credit })
    return {
      credit: () => post(thread, { kind: 'credit', walk }),
      stop: () => post(thread, { kind: 'stop', walk }),
    }
  }

  /**
   * Never throws: each order reports its outcome. All orders are posted to one thread while it has any, except copies,
   * which take as much time as hashing.
   */
  make(orders: readonly WaitingOrder[]): void {
    if (this.#closed) {
      for (const { report } of orders) report(lost(closed()))
      return
    }
    clearTimeout(this.#idleTimer)
    const isCopy = orders.every(({ kind }) => kind === 'copy')
    const busy = isCopy ? undefined : this.#threads.find((each) => each.making.size > 0)
    const thread = busy ?? this.#leastBusy() ?? this.#start()
    const { task, transfer } = packOrders(orders, this.#nextId)
    for (const order of orders) {
      const sizeBytes = orderBytes(order)
      thread.pendingBytes += sizeBytes
      thread.making.set(this.#nextId++, { report: order.report, sizeBytes })
    }
    thread.worker.ref()
    thread.worker.postMessage(task, transfer)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#idleTimer)
    for (const waiting of this.#queue) waiting.reject(closed())
    this.#queue.clear()
    await Promise.all(this.#threads.map((thread) => thread.worker.terminate()))
  }

  #refuseIfClosed(): void {
    if (this.#closed) throw closed()
  }

  #dispatch(): void {
    clearTimeout(this.#idleTimer)
    for (const waiting of this.#queue) {
      const thread = this.#leastBusy() ?? this.#start()
      if (thread.tasks.size >= TASKS_PER_THREAD) return
      this.#queue.delete(waiting)
      this.#post(thread, waiting)
    }
    if (!this.#threads.some(isBusy)) this.#endLater()
  }

  #post(thread: Thread, waiting: Waiting): void {
    const id = this.#nextId++
    waiting.attempts++
    waiting.postedMs = performance.now()
    thread.pendingBytes += waiting.loadBytes
    thread.tasks.set(id, waiting)
    thread.worker.ref()
    post(thread, waiting.pack(id))
  }

  /** Undefined: a new thread is preferred to one with much work. */
  #leastBusy(): Thread | undefined {
    let best: Thread | undefined
    for (const thread of this.#threads) if (best === undefined || load(thread) < load(best)) best = thread
    if (best === undefined || this.#threads.length >= this.#threadsMax) return best
    return best.pendingBytes >= LOAD_BYTES_MIN || (this.#isSlow && isBusy(best)) ? undefined : best
  }

  #start(): Thread {
    const { Worker: NodeWorker } = process.getBuiltinModule('node:worker_threads') // 1.6 MiB that idle devices save
    const worker = new NodeWorker(this.#entry, { name: 'disk', resourceLimits: RESOURCE_LIMITS })
    const thread: Thread = {
      worker,
      tasks: new Map(),
      walks: new Map(),
      making: new Map(),
      pendingBytes: 0,
      readySinceMs: undefined,
      usedMs: performance.now(),
    }
    worker.on('message', (report: ThreadReport) => this.#take(thread, report))
    worker.on('error', (error) => this.#lose(thread, error))
    worker.on('exit', () => this.#lose(thread, new Error('a thread for the disk ended')))
    this.#threads.push(thread)
    return thread
  }

  #take(thread: Thread, report: ThreadReport): void {
    this.#onReport()
    if (report.kind === 'batch' || report.kind === 'end') {
      const listener = thread.walks.get(report.walk)
      if (report.kind === 'end') thread.walks.delete(report.walk)
      listener?.onReport(report)
      if (report.kind === 'batch') return
    } else if (report.kind === 'made') {
      reportMade(thread, report)
    } else {
      const waiting = thread.tasks.get(report.id)
      if (waiting !== undefined) {
        thread.tasks.delete(report.id)
        thread.pendingBytes -= waiting.loadBytes
        const nowMs = performance.now()
        const begunMs = Math.max(waiting.postedMs, thread.readySinceMs ?? nowMs)
        thread.readySinceMs ??= nowMs
        this.#isSlow = nowMs - begunMs > SLOW_TASK_MS
        waiting.settle(report)
      }
    }
    thread.usedMs = performance.now()
    if (!isBusy(thread)) thread.worker.unref()
    this.#endUnused(thread.usedMs)
    this.#dispatch()
  }

  #lose(thread: Thread, reason: unknown): void {
    const place = this.#threads.indexOf(thread)
    if (place < 0) return
    this.#threads.splice(place, 1)
    for (const listener of thread.walks.values()) listener.onLost(reason)
    for (const { report } of thread.making.values()) report(lost(reason))
    for (const waiting of thread.tasks.values()) {
      if (this.#closed || waiting.attempts >= ATTEMPTS_MAX) waiting.reject(reason)
      else if (!waiting.abandoned) this.#queue.add(waiting)
    }
    if (!this.#closed) this.#dispatch()
  }

  /** Those that have nothing to do while others work. */
  #endUnused(nowMs: number): void {
    const index = this.#threads.findIndex((thread) => !isBusy(thread) && nowMs - thread.usedMs >= this.#idleMs)
    if (index < 0) return
    const [thread] = this.#threads.splice(index, 1)
    detach(thread!.worker.terminate())
  }

  #endLater(): void {
    this.#idleTimer = setTimeout(() => {
      const ending = this.#threads.splice(0).map((thread) => thread.worker.terminate())
      detach(Promise.allSettled(ending).then(() => this.#closed || this.#onEnded()))
    }, this.#idleMs)
    this.#idleTimer.unref()
  }
}

function closed(): Error {
  return new Error('the threads for the disk are closed')
}

function mixedUp(): Error {
  return new Error('a thread returned a result of the wrong kind')
}

function post({ worker }: Thread, order: ThreadOrder): void {
  worker.postMessage(order, [])
}

function newWaiting(parts: Pick<Waiting, 'pack' | 'kind' | 'loadBytes' | 'settle' | 'reject'>): Waiting {
  return { ...parts, attempts: 0, postedMs: 0, abandoned: false }
}

/** All reads share one thread that does nothing else, so that others end. */
function hasTimeToRead({ tasks, walks, making, pendingBytes }: Thread): boolean {
  if (walks.size > 0 || making.size > 0 || pendingBytes >= LOAD_BYTES_MIN) return false
  return tasks.values().every(({ kind }) => kind === 'read')
}

function isBusy({ tasks, walks, making }: Thread): boolean {
  return tasks.size > 0 || walks.size > 0 || making.size > 0
}

function reportMade(thread: Thread, report: MakeReport): void {
  for (const { number, outcome } of unpackResults(report)) {
    const pending = thread.making.get(number)
    if (pending === undefined) continue
    thread.making.delete(number)
    thread.pendingBytes -= pending.sizeBytes
    pending.report(outcome)
  }
}

/** The outcome is unknown: the caller must check. */
function lost(reason: unknown): Outcome {
  return { kind: 'failed', code: 'EIO', message: messageOf(reason) }
}

/** A task occupies its thread; a walk mostly waits for the consumer of its batches. */
function load({ tasks, walks, making }: Thread): number {
  return 2 * tasks.size + walks.size + making.size
}
