import { ZeroBlocks } from '../../core/records/block-diff.ts'
import { sortForPull, type Orderable } from '../../core/records/pull-order.ts'
import type { JobQueue } from '../state/job-queue.ts'
import { BlockBuffers } from './block-buffers.ts'
import type { PullContext } from './context.ts'
import type { FetchResources } from './fetch.ts'
import type { PullProgress } from '../state/file-progress.ts'
import type { Items } from './items.ts'
import type { Leftovers } from './leftovers.ts'
import { pullFile } from './pull-file.ts'
import { RequestWindow } from './request-window.ts'
import { FAST_PATH_SIZE_BYTES_MAX } from './small-file.ts'
import { SpaceCheck } from './space.ts'

/** Small files wait for the network and the disk, which both handle many at a time. */
const SMALL_AT_ONCE_MAX = 96
/**
 * Files on the fast path hold no resources while they wait. A fast network delivers this many before the disk has
 * caught up.
 */
const FAST_PATH_AT_ONCE_MAX = 192
/** Large files hold open files and memory while they wait. */
const LARGE_AT_ONCE_MAX = 32
/** Larger files are started one by one, limited by the folder's `copiers`. */
const SMALL_FILE_SIZE_BYTES_MAX = 256 * 1_024
const WINDOW_KIB_DEFAULT = 32_768
const WINDOW_KIB_MIN = 16_384
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
  readonly #resources: FetchResources
  readonly #zeros = new ZeroBlocks()
  readonly #copiers: number
  #copying = 0
  #begun = 0
  #changed = Promise.withResolvers<void>()
  #fatal: { readonly error: unknown } | undefined

  constructor(context: PullContext, deps: TransfersDeps, signal: AbortSignal) {
    this.#context = context
    this.#deps = deps
    this.#signal = signal
    const { disk, clock, system, fileMaker } = context.platform
    const { copiers, minDiskFree, pullerMaxPendingKiB } = context.folder
    this.#space = new SpaceCheck({ disk, clock, root: context.root, label: () => context.label() }, minDiskFree)
    const windowKiB = pullerMaxPendingKiB > 0 ? Math.max(pullerMaxPendingKiB, WINDOW_KIB_MIN) : WINDOW_KIB_DEFAULT
    const windowBytes = windowKiB * 1_024
    const buffers = new BlockBuffers(windowBytes, (sizeBytes) => fileMaker.memory(sizeBytes))
    this.#resources = {
      window: new RequestWindow(windowBytes, clock),
      buffers,
      fastPath: { failures: 0, isProven: false },
    }
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
    const { fastPath, window } = this.#resources
    if (sizeBytes > FAST_PATH_SIZE_BYTES_MAX || !fastPath.isProven || fastPath.failures > 0) return false
    // On a slow network there is no room: a prioritized file would wait for all files in progress.
    return this.#begun < FAST_PATH_AT_ONCE_MAX && window.hasRoom(sizeBytes)
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
    const pull = { global, local, resources: this.#resources, zeros: this.#zeros, onBegun, onAllRequested }
    await this.#deps.items.withItemEvents(global, 'update', () => pullFile(context, pull, this.#signal))
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
