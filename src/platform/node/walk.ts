import { setImmediate } from 'node:timers/promises'
import { IgnoreRules } from '../../core/ignore/ignore.ts'
import { joinPath } from '../../core/paths.ts'
import { BatchPacker, unpackBatch } from '../files/walk-batch.ts'
import { findFile } from '../files/find-file.ts'
import { walkTree } from '../files/walk-tree.ts'
import type { DiskStat } from '../disk.ts'
import type { WalkBatch, Walker, WalkRequest } from '../walk.ts'
import { DiskThreads, type WalkHandle, type WalkListener } from './threads/disk-threads.ts'
import { walkDisk } from './disk/walk-disk.ts'
import type { WalkReport } from './disk/walk-slices.ts'

/** Limit of batches in transit: backpressure for the walk. */
const CREDIT = 4
/** A few single files are read inline: waking a thread would take longer. */
const INLINE_SUBS_MAX = 16

/** With its own threads unless shared ones are given. */
export function createNodeWalker(threads?: DiskThreads): Walker & AsyncDisposable {
  return new NodeWalker(threads ?? new DiskThreads({ threads: 1 }))
}

class NodeWalker implements Walker {
  readonly #threads: DiskThreads
  /** Parsing ten thousand lines takes longer than reading one file. */
  readonly #rules = new WeakMap<readonly string[], IgnoreRules>()

  constructor(threads: DiskThreads) {
    this.#threads = threads
  }

  async *walk(request: WalkRequest, signal: AbortSignal): AsyncGenerator<WalkBatch, void, void> {
    signal.throwIfAborted()
    const subs = readSubs(request)
    if (subs !== undefined) yield this.#walkHere(request, subs)
    else yield* this.#walkInThread(request, signal)
  }

  findFile(name: string, request: Pick<WalkRequest, 'root' | 'ignoreLines'>) {
    return findFile(walkDisk, request.root, name, this.#rulesOf(request))
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#threads[Symbol.asyncDispose]()
  }

  #walkHere(request: WalkRequest, subs: ReadonlyMap<string, DiskStat>): WalkBatch {
    const packer = new BatchPacker(request)
    const lstat = (path: string) => subs.get(path) ?? walkDisk.lstat(path)
    for (const _ of walkTree({ ...walkDisk, lstat, read: () => 0 }, request, packer, this.#rulesOf(request)));
    return unpackBatch(packer.take())
  }

  #rulesOf({ ignoreLines }: Pick<WalkRequest, 'ignoreLines'>): IgnoreRules {
    if (ignoreLines === undefined) return new IgnoreRules([])
    let rules = this.#rules.get(ignoreLines)
    if (rules === undefined) this.#rules.set(ignoreLines, (rules = new IgnoreRules(ignoreLines)))
    return rules
  }

  async *#walkInThread(request: WalkRequest, signal: AbortSignal): AsyncGenerator<WalkBatch, void, void> {
    const mail = new Mailbox(signal)
    const walk = this.#threads.walk(request, CREDIT, mail)
    try {
      for (;;) {
        const report = await mail.next()
        if (report.kind === 'end') {
          if (report.error === undefined) return
          throw Object.assign(new Error(report.error.message), { code: report.error.code })
        }
        yield unpackBatch(report.batch)
        walk.credit()
        await setImmediate() // queued batches must not block the event loop
      }
    } finally {
      await mail.close(walk)
    }
  }
}

/** The states of the subs by their paths, if they are a few single files. */
function readSubs({ root, subs }: WalkRequest): ReadonlyMap<string, DiskStat> | undefined {
  if (subs.length > INLINE_SUBS_MAX || subs.includes('')) return undefined
  const states = new Map<string, DiskStat>()
  for (const sub of subs) {
    const path = joinPath(root, sub)
    try {
      const state = walkDisk.lstat(path)
      if (state.type === 'directory') return undefined
      states.set(path, state)
    } catch {
      // The walk reports the error.
    }
  }
  return states
}

/** Reports of one walk, in order, until the signal aborts or its thread crashes. */
class Mailbox implements WalkListener {
  readonly #signal: AbortSignal
  readonly #reports: WalkReport[] = []
  readonly #over = Promise.withResolvers<void>()
  #isOver = false
  #waiting: PromiseWithResolvers<void> | undefined
  #failure: { readonly reason: unknown } | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
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

  /** Resolves when the walk no longer accesses the disk: an aborted one might still remove old temporary files. */
  async close(walk: WalkHandle): Promise<void> {
    this.#signal.removeEventListener('abort', this.#onAbort)
    if (this.#isOver) return
    walk.stop()
    await this.#over.promise
  }

  onReport(report: WalkReport): void {
    if (report.kind === 'end') this.#end()
    this.#reports.push(report)
    this.#waiting?.resolve()
  }

  onLost(reason: unknown): void {
    this.#end()
    this.#fail(reason)
  }

  readonly #onAbort = (): void => this.#fail(this.#signal.reason)

  #end(): void {
    this.#isOver = true
    this.#over.resolve()
  }

  #fail(reason: unknown): void {
    this.#failure ??= { reason }
    this.#waiting?.resolve()
  }
}
