import { extname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { IgnoreRules } from '../../core/ignore.ts'
import { joinPath } from '../../core/paths.ts'
import { BatchPacker, unpackBatch } from '../walk-batch.ts'
import { walkTree } from '../walk-tree.ts'
import type { WalkBatch, Walker, WalkRequest } from '../walk.ts'
import { walkDisk } from './walk-disk.ts'
import type { WalkCommand, WalkReport } from './walk-worker.ts'

/** Batches on their way to us at any time: the walk waits for those who read. */
const CREDIT = 4
/** A few single files are looked at here: waking a thread would take longer. */
const INLINE_SUBS_MAX = 16
const IDLE_MS = 10_000

/** A small nursery keeps a thread's share of memory small; the rest must hold the names of the largest directory. */
const RESOURCE_LIMITS = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 1_024 }

/** The same program runs from source and compiled: the thread's file ends like this one. */
const ENTRY = new URL(`./walk-worker${extname(import.meta.url)}`, import.meta.url)

export function createRealWalker(): Walker & AsyncDisposable {
  return new RealWalker()
}

class RealWalker implements Walker {
  readonly #threads = new Set<Worker>()
  readonly #idle: { readonly worker: Worker; readonly timer: NodeJS.Timeout }[] = []
  /** Parsing ten thousand lines takes longer than looking at one file. */
  readonly #rules = new WeakMap<readonly string[], IgnoreRules>()

  async *walk(request: WalkRequest, signal: AbortSignal): AsyncGenerator<WalkBatch, void, void> {
    signal.throwIfAborted()
    if (isSmall(request)) yield this.#walkHere(request)
    else yield* this.#walkInThread(request, signal)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { timer } of this.#idle.splice(0)) clearTimeout(timer)
    await Promise.all(Array.from(this.#threads, (worker) => worker.terminate()))
  }

  #walkHere(request: WalkRequest): WalkBatch {
    const packer = new BatchPacker()
    for (const _ of walkTree({ ...walkDisk, read: () => 0 }, request, packer, this.#rulesOf(request)));
    return unpackBatch(packer.take())
  }

  #rulesOf({ ignoreLines }: WalkRequest): IgnoreRules {
    if (ignoreLines === undefined) return new IgnoreRules([])
    let rules = this.#rules.get(ignoreLines)
    if (rules === undefined) this.#rules.set(ignoreLines, (rules = new IgnoreRules(ignoreLines)))
    return rules
  }

  async *#walkInThread(request: WalkRequest, signal: AbortSignal): AsyncGenerator<WalkBatch, void, void> {
    const worker = this.#take()
    const mail = new Mailbox(worker, signal)
    let free = false
    try {
      post(worker, { kind: 'start', request, credit: CREDIT })
      for (;;) {
        const report = await mail.next()
        if (report.kind === 'end') {
          free = true
          if (report.error === undefined) return
          throw Object.assign(new Error(report.error.message), { code: report.error.code })
        }
        yield unpackBatch(report.batch)
        post(worker, { kind: 'credit' })
        await setImmediate() // batches that wait already must not be taken in one breath: others want a turn
      }
    } finally {
      mail.close()
      if (free) this.#giveBack(worker)
      else await this.#drop(worker)
    }
  }

  #take(): Worker {
    const idle = this.#idle.pop()
    if (idle !== undefined) {
      clearTimeout(idle.timer)
      idle.worker.ref()
      return idle.worker
    }
    const worker = new Worker(ENTRY, { name: 'walk', resourceLimits: RESOURCE_LIMITS })
    this.#threads.add(worker)
    worker.once('exit', () => this.#threads.delete(worker))
    worker.on('error', () => {}) // whoever walks with it hears of it; an idle one is simply gone
    return worker
  }

  #giveBack(worker: Worker): void {
    worker.unref()
    if (this.#idle.length > 0) return void this.#drop(worker)
    const timer = setTimeout(() => {
      const place = this.#idle.findIndex((idle) => idle.worker === worker)
      if (place >= 0) this.#idle.splice(place, 1)
      void this.#drop(worker)
    }, IDLE_MS)
    timer.unref()
    this.#idle.push({ worker, timer })
  }

  /** A walk given up half way: ending its thread is the one way to stop it that cannot be late. */
  async #drop(worker: Worker): Promise<void> {
    this.#threads.delete(worker)
    await worker.terminate()
  }
}

function isSmall({ root, subs }: WalkRequest): boolean {
  if (subs.length > INLINE_SUBS_MAX) return false
  return subs.every((sub) => {
    try {
      return sub !== '' && walkDisk.lstat(joinPath(root, sub)).type !== 'directory'
    } catch {
      return true // the walk asks again and says what is wrong
    }
  })
}

function post(worker: Worker, command: WalkCommand): void {
  worker.postMessage(command, [])
}

/** Reports of one thread, in order, until the signal aborts or the thread dies. */
class Mailbox {
  readonly #worker: Worker
  readonly #signal: AbortSignal
  readonly #reports: WalkReport[] = []
  #waiting: PromiseWithResolvers<void> | undefined
  #failure: { readonly reason: unknown } | undefined

  constructor(worker: Worker, signal: AbortSignal) {
    this.#worker = worker
    this.#signal = signal
    worker.on('message', this.#onReport)
    worker.on('error', this.#onError)
    worker.on('exit', this.#onExit)
    signal.addEventListener('abort', this.#onAbort)
    if (signal.aborted) this.#onAbort()
  }

  async next(): Promise<WalkReport> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.reason
      const report = this.#reports.shift()
      if (report !== undefined) return report
      this.#waiting = Promise.withResolvers()
      await this.#waiting.promise
    }
  }

  close(): void {
    this.#worker.off('message', this.#onReport)
    this.#worker.off('error', this.#onError)
    this.#worker.off('exit', this.#onExit)
    this.#signal.removeEventListener('abort', this.#onAbort)
  }

  readonly #onReport = (report: WalkReport): void => {
    this.#reports.push(report)
    this.#waiting?.resolve()
  }

  readonly #onError = (error: unknown): void => this.#fail(error)
  readonly #onExit = (): void => this.#fail(new Error('the walking thread ended'))
  readonly #onAbort = (): void => this.#fail(this.#signal.reason)

  #fail(reason: unknown): void {
    this.#failure ??= { reason }
    this.#waiting?.resolve()
  }
}
