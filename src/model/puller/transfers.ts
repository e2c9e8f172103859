import { ZeroBlocks } from '../../core/records/block-diff.ts'
import { sortForPull, type Orderable } from '../../core/records/pull-order.ts'
import type { JobQueue } from '../state/job-queue.ts'
import { BlockBuffers } from './block-buffers.ts'
import type { PullContext } from './context.ts'
import type { FetchResources } from './fetch.ts'
import type { PullProgress } from './file-progress.ts'
import type { Items } from './items.ts'
import type { Leftovers } from './leftovers.ts'
import { pullFile } from './pull-file.ts'
import { RequestWindow } from './request-window.ts'
import { SHORT_WAY_SIZE_BYTES_MAX } from './small-file.ts'
import { SpaceCheck } from './space.ts'

/** Small ones wait for a journey and for the disk, both of which take many at a time. */
const SMALL_AT_ONCE_MAX = 96
/** Those that go the short way need nothing while they wait. A fast line brings so many before the disk has had its turn. */
const SHORT_AT_ONCE_MAX = 192
/** A large one has files and memory open while it waits. */
const LARGE_AT_ONCE_MAX = 32
/** Larger files are begun one after the other, as many at a time as the folder's `copiers` says. */
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
  /** The first file is begun. */
  onTransfer(): void
}

/**
 * Pulls files, several at a time, in the order of the queue. A large file holds back the next large one only until all
 * its blocks are asked for: then the next is begun while the last of them arrive.
 */
export class Transfers {
  readonly #context: PullContext
  readonly #deps: TransfersDeps
  readonly #signal: AbortSignal
  readonly #space: SpaceCheck
  readonly #means: FetchResources
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
    this.#means = { window: new RequestWindow(windowBytes, clock), buffers, shortWay: { refusals: 0, isProven: false } }
    this.#copiers = copiers > 0 ? Math.min(copiers, Math.max(1, 2 * system.cpuCount)) : COPIERS_DEFAULT
  }

  /** Resolves with whether files were left because nobody is connected who could give them. */
  async run(files: readonly Orderable[]): Promise<boolean> {
    const { jobs } = this.#deps
    const { order, id } = this.#context.folder
    const { random } = this.#context.platform
    const sizes = new Map(files.map(({ name, sizeBytes }) => [name, sizeBytes]))
    for (const { name } of sortForPull(files, order, (below) => random.int(below))) jobs.push(name)
    const running = new Set<Promise<void>>()
    const storing = new AbortController()
    const stored = this.#storeInTime(storing.signal)
    const isOver = () => this.#signal.aborted || this.#fatal !== undefined || !this.#context.sources.isAnyoneThere(id)
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
    const { shortWay, window } = this.#means
    if (sizeBytes > SHORT_WAY_SIZE_BYTES_MAX || !shortWay.isProven || shortWay.refusals > 0) return false
    // On a slow line there is no room: whoever is wanted first would wait behind all that are begun.
    return this.#begun < SHORT_AT_ONCE_MAX && window.hasRoom(sizeBytes)
  }

  /** On a slow line the next file may take minutes; what is done is known before. Never rejects, as below. */
  async #storeInTime(signal: AbortSignal): Promise<void> {
    const { clock } = this.#context.platform
    while (!signal.aborted) {
      await clock.sleep(STORE_EVERY_MS, signal).catch(() => {}) // an abort ends the loop
      try {
        if (!signal.aborted) await this.#context.records.flushIfDue()
      } catch (error) {
        this.#fatal ??= { error }
        this.#ring()
      }
    }
  }

  /** Never rejects: what ends the pull is told when all files have let go. */
  async #pull(name: string, large: boolean): Promise<void> {
    const { items, jobs, leftovers, progress } = this.#deps
    this.#begun++
    let copying = large
    if (large) this.#copying++
    const allRequested = () => {
      if (!copying) return
      copying = false
      this.#copying--
      this.#ring()
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
    this.#ring()
  }

  async #pullOne(name: string, onAllRequested: () => void): Promise<void> {
    const context = this.#context
    const learn = context.sources.expectHolders(context.folder.id)
    const { local, global, holders } = await context.index.both(name)
    if (global === undefined) return
    learn(global, holders)
    if (this.#deps.items.plan(local, global).kind !== 'fetch') return // changed since: the next iteration has it
    await this.#space.demand(global.sizeBytes)
    this.#deps.onTransfer()
    const onBegun = (progress: PullProgress) => void this.#deps.progress.set(name, progress)
    const pull = { global, local, means: this.#means, zeros: this.#zeros, onBegun, onAllRequested }
    await this.#deps.items.told(global, 'update', () => pullFile(context, pull, this.#signal))
  }

  /** Somebody may begin: whoever waits looks again. */
  #ring(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers<void>()
  }
}

function isLarge(sizeBytes: number): boolean {
  return sizeBytes > SMALL_FILE_SIZE_BYTES_MAX
}
