import type { FileInfo } from '../../core/records/file-info.ts'
import { sortForPull, type Orderable } from '../../core/records/pull-order.ts'
import type { JobQueue } from '../state/job-queue.ts'
import type { Obtained, WantedFile } from '../content/contents.ts'
import { adopted, type PullContext } from './context.ts'
import type { PullProgress } from '../state/file-progress.ts'
import type { Items } from './items.ts'
import type { Leftovers } from './leftovers.ts'
import { planAgain } from './plan-again.ts'
import { SpaceCheck } from './space.ts'

/** Small files wait for the network and the disk, which both handle many at a time. */
const SMALL_AT_ONCE_MAX = 96
/**
 * Files that are obtained in memory have no open file while they wait. A fast network delivers this many before the
 * disk has caught up.
 */
const IN_MEMORY_AT_ONCE_MAX = 192
/** Limit of consecutive files that cannot be put from memory: each costs a block. */
const MEMORY_FAILURES_MAX = 8
/** Large files hold open files and memory while they wait. */
const LARGE_AT_ONCE_MAX = 32
/** Larger files are started one by one, limited by the folder's `copiers`. */
const SMALL_FILE_SIZE_BYTES_MAX = 256 * 1_024
const COPIERS_DEFAULT = 2
const STORE_EVERY_MS = 2_000

export interface TransfersDeps {
  readonly items: Items
  readonly jobs: JobQueue
  /** The files being pulled, by name. */
  readonly progress: Map<string, PullProgress>
  readonly leftovers: Leftovers
  /** The first transfer begins. */
  onTransfer(): void
}

/**
 * Pulls several files at a time, in the order of the queue. A large file delays the next large one only until all its
 * blocks are requested: the next one starts while the last blocks arrive.
 */
export class Transfers {
  readonly #context: PullContext
  readonly #deps: TransfersDeps
  readonly #signal: AbortSignal
  readonly #space: SpaceCheck
  /** Consecutive files that could not be put from memory. */
  #memoryFailures = 0
  /** One was put from there. */
  #isMemoryProven = false
  readonly #copiers: number
  #copying = 0
  #begun = 0
  #changed = Promise.withResolvers<void>()
  #fatal: { readonly error: unknown } | undefined

  constructor(context: PullContext, deps: TransfersDeps, signal: AbortSignal) {
    this.#context = context
    this.#deps = deps
    this.#signal = signal
    const { disk, clock, system } = context.platform
    const { copiers, minDiskFree } = context.folder
    this.#space = new SpaceCheck({ disk, clock, root: context.root, label: () => context.label() }, minDiskFree)
    this.#copiers = copiers > 0 ? Math.min(copiers, Math.max(1, 2 * system.cpuCount)) : COPIERS_DEFAULT
  }

  /** Resolves with whether files were skipped because no connected device has them. */
  async run(files: readonly Orderable[]): Promise<boolean> {
    const { jobs } = this.#deps
    const { order, id } = this.#context.folder
    const { random } = this.#context.platform
    const sizes = new Map(files.map(({ name, sizeBytes }) => [name, sizeBytes]))
    for (const { name } of sortForPull(files, order, (below) => random.int(below))) jobs.push(name)
    const running = new Set<Promise<void>>()
    const storing = new AbortController()
    const stored = this.#storeInTime(storing.signal)
    const isOver = () =>
      this.#signal.aborted || this.#fatal !== undefined || !this.#context.sources.hasConnectedDevice(id)
    try {
      for (let next = jobs.peek(); next !== undefined && !isOver(); next = jobs.peek()) {
        const sizeBytes = sizes.get(next) ?? 0
        if (!this.#mayBegin(sizeBytes)) {
          await this.#changed.promise
          continue
        }
        jobs.pop()
        const task = this.#pull(next, isLarge(sizeBytes)).finally(() => running.delete(task))
        running.add(task)
      }
    } finally {
      await Promise.all(running)
      storing.abort()
      await stored
    }
    const left = jobs.peek() !== undefined
    jobs.clear()
    this.#signal.throwIfAborted()
    if (this.#fatal !== undefined) throw this.#fatal.error
    return left
  }

  #mayBegin(sizeBytes: number): boolean {
    if (isLarge(sizeBytes)) return this.#begun < LARGE_AT_ONCE_MAX && this.#copying < this.#copiers
    if (this.#begun < SMALL_AT_ONCE_MAX) return true
    // On a slow network there is no room: a prioritized file would wait for all files in progress.
    const isFast = this.#isMemoryProven && this.#memoryFailures === 0 && this.#begun < IN_MEMORY_AT_ONCE_MAX
    return isFast && this.#context.contents.hasRoom(sizeBytes)
  }

  /** On a slow network the next file may take minutes; completed ones are stored before. Never rejects, as below. */
  async #storeInTime(signal: AbortSignal): Promise<void> {
    const { clock } = this.#context.platform
    while (!signal.aborted) {
      await clock.sleep(STORE_EVERY_MS, signal).catch(() => {}) // an abort ends the loop
      try {
        if (!signal.aborted) await this.#context.records.flushIfDue()
      } catch (error) {
        this.#fatal ??= { error }
        this.#wake()
      }
    }
  }

  /** Never rejects: a fatal error is thrown when all files have ended. */
  async #pull(name: string, large: boolean): Promise<void> {
    const { items, jobs, leftovers, progress } = this.#deps
    this.#begun++
    let copying = large
    if (large) this.#copying++
    const allRequested = () => {
      if (!copying) return
      copying = false
      this.#copying--
      this.#wake()
    }
    let succeeded = false
    try {
      succeeded = await items.attempt(name, () => this.#pullOne(name, allRequested))
    } catch (error) {
      this.#fatal ??= { error }
    }
    allRequested()
    this.#begun--
    progress.delete(name)
    if (!succeeded) leftovers.add(name)
    jobs.finished(name, succeeded)
    this.#wake()
  }

  async #pullOne(name: string, onAllRequested: () => void): Promise<void> {
    const context = this.#context
    const setHolders = context.sources.expectHolders(context.folder.id)
    const { local, global, holders } = await context.index.both(name)
    if (global === undefined) return
    setHolders(global, holders)
    if (this.#deps.items.plan(local, global).kind !== 'fetch') return // changed since: left to the next iteration
    await this.#space.require(global.sizeBytes)
    this.#deps.onTransfer()
    const onBegun = (progress: PullProgress) => void this.#deps.progress.set(name, progress)
    const file = { global, local, mayUseMemory: true, onBegun, onAllRequested }
    await this.#deps.items.withItemEvents(global, 'update', () => this.#pullFile(file))
  }

  async #pullFile(file: WantedFile): Promise<void> {
    const { contents } = this.#context
    if (this.#memoryFailures < MEMORY_FAILURES_MAX) {
      await using content = await contents.obtain(file, this.#signal)
      const isPut = await this.#put(content, file.global)
      if (content.kind === 'memory') this.#memoryFailures = isPut ? 0 : this.#memoryFailures + 1
      this.#isMemoryProven ||= content.kind === 'memory' && isPut
      if (isPut) return
    }
    await using content = await contents.obtain({ ...file, mayUseMemory: false }, this.#signal)
    await this.#put(content, file.global)
  }

  /** Puts and records it under the lock, so that no scan finds it without a record. False where it needs a file. */
  async #put(content: Obtained, global: FileInfo): Promise<boolean> {
    const { contents, folderLock, records, tree } = this.#context
    try {
      using _lock = await folderLock.shared(this.#signal)
      const plan = await planAgain(this.#context, global)
      if (plan === undefined) {
        await contents.discard(global.name, content)
        return true
      }
      const state = await tree.put(content, { global, ...plan })
      if (state === undefined) return false
      if (content.kind === 'memory') content.onPut()
      records.add(adopted(global, state))
      return true
    } catch (error) {
      if (!this.#signal.aborted) await contents.abandon({ global }, content, error)
      throw error
    }
  }

  /** Wakes the loop to check for capacity. */
  #wake(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers<void>()
  }
}

function isLarge(sizeBytes: number): boolean {
  return sizeBytes > SMALL_FILE_SIZE_BYTES_MAX
}
