import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { HashReport, HashTask } from './hash-task.ts'

/** Two tasks per thread: while one is hashed the next already waits at its door. */
const TASKS_PER_THREAD = 2
const IDLE_MS = 5_000
/** A thread that dies may have been unlucky; a task that takes two threads with it is to blame itself. */
const ATTEMPTS_MAX = 2

/** Threads handle plain arrays: a small nursery keeps a thread's share of memory small. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 256 }

/** The same program runs from source and compiled: the thread's file ends like this one. */
const ENTRY = new URL(`./hash-worker${extname(import.meta.url)}`, import.meta.url)

interface Waiting {
  readonly pack: (id: number) => HashTask
  readonly resolve: (report: HashReport) => void
  readonly reject: (reason: unknown) => void
  /** Threads that have it or had it. */
  attempts: number
  /** Given up by who asked: not worth another attempt. */
  abandoned: boolean
}

interface Thread {
  readonly worker: Worker
  readonly tasks: Map<number, Waiting>
}

/** Threads that hash: started when there is work, ended after a while without, replaced when they crash. */
export class HashPool implements AsyncDisposable {
  readonly #threadsMax: number
  readonly #entry: URL
  readonly #threads: Thread[] = []
  #queue = new Set<Waiting>()
  #nextId = 1
  #idleTimer: NodeJS.Timeout | undefined
  #closed = false

  constructor(threadsMax: number, entry = ENTRY) {
    this.#threadsMax = threadsMax
    this.#entry = entry
  }

  get isBusy(): boolean {
    return this.#queue.size > 0 || this.#threads.some((thread) => thread.tasks.size > 0)
  }

  /** `pack` is called when a thread is free: what waits stays small. */
  async run(pack: (id: number) => HashTask, signal: AbortSignal): Promise<HashReport> {
    signal.throwIfAborted()
    if (this.#closed) throw new Error('the hash pool is closed')
    const { promise, resolve, reject } = Promise.withResolvers<HashReport>()
    const waiting: Waiting = { pack, resolve, reject, attempts: 0, abandoned: false }
    const onAbort = (): void => {
      this.#queue.delete(waiting)
      waiting.abandoned = true
      reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort)
    this.#queue.add(waiting)
    this.#handOut()
    try {
      return await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true
    clearTimeout(this.#idleTimer)
    for (const waiting of this.#queue) waiting.reject(new Error('the hash pool is closed'))
    this.#queue.clear()
    await Promise.all(this.#threads.map((thread) => thread.worker.terminate()))
  }

  #handOut(): void {
    clearTimeout(this.#idleTimer)
    for (const waiting of this.#queue) {
      const thread = this.#freeThread()
      if (thread === undefined) return
      this.#queue.delete(waiting)
      const id = this.#nextId++
      waiting.attempts++
      if (thread.tasks.size === 0) thread.worker.ref()
      thread.tasks.set(id, waiting)
      thread.worker.postMessage(waiting.pack(id), [])
    }
    if (!this.isBusy) this.#endLater()
  }

  /** The thread with the least to do. A new one rather than a second task for one that is busy. */
  #freeThread(): Thread | undefined {
    let best: Thread | undefined
    for (const thread of this.#threads) {
      if (thread.tasks.size < (best?.tasks.size ?? TASKS_PER_THREAD)) best = thread
    }
    if (best?.tasks.size === 0 || this.#threads.length >= this.#threadsMax) return best
    return this.#start()
  }

  #start(): Thread {
    const worker = new Worker(this.#entry, { name: 'hash', resourceLimits: RESOURCE_LIMITS })
    const thread: Thread = { worker, tasks: new Map() }
    thread.worker.on('message', (report: HashReport) => this.#finish(thread, report))
    thread.worker.on('error', (error) => this.#lose(thread, error))
    thread.worker.on('exit', () => this.#lose(thread, new Error('the hashing thread ended')))
    this.#threads.push(thread)
    return thread
  }

  #finish(thread: Thread, report: HashReport): void {
    const waiting = thread.tasks.get(report.id)
    thread.tasks.delete(report.id)
    if (thread.tasks.size === 0) thread.worker.unref()
    waiting?.resolve(report)
    this.#handOut()
  }

  #lose(thread: Thread, reason: unknown): void {
    const place = this.#threads.indexOf(thread)
    if (place < 0) return
    this.#threads.splice(place, 1)
    for (const waiting of thread.tasks.values()) {
      if (this.#closed || waiting.attempts >= ATTEMPTS_MAX) waiting.reject(reason)
      else if (!waiting.abandoned) this.#queue.add(waiting)
    }
    if (!this.#closed) this.#handOut()
  }

  #endLater(): void {
    this.#idleTimer = setTimeout(() => {
      for (const thread of this.#threads.splice(0)) void thread.worker.terminate()
    }, IDLE_MS)
    this.#idleTimer.unref()
  }
}
