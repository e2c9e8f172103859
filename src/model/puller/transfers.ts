import type { JobQueue } from '../state/job-queue.ts'
import { abandon, type Contents, type WantedFile } from '../content/contents.ts'
import type { Random } from '../../platform/random.ts'
import type { Sources } from '../state/sources.ts'
import type { PullProgress } from '../state/file-progress.ts'
import type { Items, ReadRecord } from './items.ts'
import { JobFeed, type FileFeed } from './job-feed.ts'
import type { Leftovers } from './leftovers.ts'
import { NewFiles, type NewFileResult } from './new-files.ts'
import type { PullList } from './pull-list.ts'
import type { PullParts } from './pull-parts.ts'
import { SharedFeed } from './shared-feed.ts'
import type { SpaceCheck } from './space.ts'
import { TaskSet } from '../../sync/task-set.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import { NEVER } from '../../core/never.ts'

/**
 * Small files wait for the network and the disk, which both handle many at a time. Beside the other device twice as
 * many were no faster, and took 10 MiB more; with a round trip of 40 ms the highest limit was 1.7 times as fast. So the
 * limit grows while there is nothing to do for so long but to wait for replies.
 */
const SMALL_AT_ONCE = 96
const SMALL_AT_ONCE_MAX = 256
const SMALL_STEP = 32
const LONG_WAIT_MS = 30
/** Limit of consecutive files that cannot be put from memory: each costs a block. */
const MEMORY_FAILURES_MAX = 8
/** Large files hold open files and memory while they wait. */
const LARGE_AT_ONCE_MAX = 32
/** Larger files are started one by one, limited by the folder's `copiers`. */
const SMALL_FILE_SIZE_BYTES_MAX = 256 * 1_024
const COPIERS_DEFAULT = 2
const STORE_EVERY_MS = 500
/** The same while nothing can be begun before other devices have it. */
const STORE_WAITING_MS = 250
/** One connected device has the files: none is left that could fetch some of them for us. */
const SHARING_DEVICES_MIN = 2

export interface TransfersDeps extends Pick<PullParts, 'clock' | 'folder' | 'index' | 'records'> {
  readonly random: Random
  readonly cpuCount: number
  readonly sources: Sources
  readonly contents: Contents
  readonly space: SpaceCheck
  readonly items: Items
  readonly jobs: JobQueue
  /** The files being pulled, by name. */
  readonly progress: Map<string, PullProgress>
  readonly leftovers: Leftovers
  /** The first transfer begins. */
  onTransfer(): void
}

interface WayOfPull {
  readonly isLarge?: boolean
  /** It was begun as a new file, which did not succeed. */
  readonly isBegun?: boolean
  /** False where its content cannot be put from memory. */
  readonly mayUseMemory?: boolean
}

/**
 * Pulls several files at a time, in the order of the queue. A large file delays the next large one only until all its
 * blocks are requested: the next one starts while the last blocks arrive.
 */
export class Transfers {
  readonly #deps: TransfersDeps
  readonly #signal: AbortSignal
  /** Consecutive files that could not be put from memory. */
  #memoryFailures = 0
  readonly #copiers: number
  #copying = 0
  #begun = 0
  /** Small files that wait for other devices: in memory until they have arrived, others until all is requested. */
  #requesting = 0
  #smallMax = SMALL_AT_ONCE
  /** Rung when there may be capacity for another file. */
  readonly #wakeup = new Wakeup()
  #fatal: { readonly error: unknown } | undefined
  readonly #running = new TaskSet()

  constructor(deps: TransfersDeps, signal: AbortSignal) {
    this.#deps = deps
    this.#signal = signal
    const { copiers } = deps.folder
    this.#copiers = copiers > 0 ? Math.min(copiers, Math.max(1, 2 * deps.cpuCount)) : COPIERS_DEFAULT
  }

  /** Resolves with whether files were skipped because no connected device has them. */
  async run(files: PullList): Promise<boolean> {
    const { clock, jobs, records, sources } = this.#deps
    const { id } = this.#deps.folder
    using feed = this.#feed(files)
    const newFiles = this.#newFiles(feed)
    await this.#deps.space.begun()
    const storing = new AbortController()
    const stored = this.#storeInTime(storing.signal)
    const isOver = () => this.#signal.aborted || this.#fatal !== undefined || !sources.hasConnectedDevice(id)
    try {
      while (!isOver()) {
        const preparing = feed.prepare()
        if (preparing !== undefined) await preparing
        const next = feed.next()
        if (next === undefined || isOver()) break
        if (next.kind === 'wait') {
          await records.flushIfDue(STORE_WAITING_MS) // others may wait for what we have
          await this.#wakeup.waitAtMost(clock, next.ms, this.#signal).catch(() => {}) // an abort ends the loop
        } else if (!this.#mayBegin(next.sizeBytes) || newFiles.isTrying) await this.#waitForRoom()
        else {
          feed.begin(next.name)
          if (!newFiles.begin(next.name))
            this.#running.add(this.#pull(feed, next.name, { isLarge: isLarge(next.sizeBytes) }))
        }
      }
    } finally {
      await newFiles.ended()
      await this.#running.ended()
      storing.abort()
      await stored
    }
    const left = feed.hasMore
    jobs.clear()
    this.#signal.throwIfAborted()
    if (this.#fatal !== undefined) throw this.#fatal.error
    return left
  }

  /** Files are divided only in random order: any other is kept. */
  #feed(files: PullList): FileFeed {
    const { clock, contents, folder, index, jobs, random, sources } = this.#deps
    const chance = (below: number) => random.int(below)
    const { order, id } = folder
    const connected = order === 'random' ? sources.connectedDevices(id) : []
    if (connected.length < SHARING_DEVICES_MIN)
      return new JobFeed(jobs, files, files.inOrder(order, chance, contents.share))
    const { own } = contents.share
    const places = files.inOrder(order, chance, { own, devices: [own, ...connected] })
    const onAnnounced = () => this.#wakeup.ring()
    const { records } = index
    return new SharedFeed({ clock, folder: id, jobs, records, sources, onAnnounced }, files, places, own)
  }

  #mayBegin(sizeBytes: number): boolean {
    if (isLarge(sizeBytes)) return this.#begun < LARGE_AT_ONCE_MAX && this.#copying < this.#copiers
    return this.#begun < this.#smallMax
  }

  async #waitForRoom(): Promise<void> {
    const { clock } = this.#deps
    const isIdle = this.#begun > 0 && this.#begun === this.#requesting
    const startedMs = clock.monotonicMs()
    await this.#wakeup.wait(NEVER)
    if (isIdle && clock.monotonicMs() - startedMs >= LONG_WAIT_MS)
      this.#smallMax = Math.min(this.#smallMax + SMALL_STEP, SMALL_AT_ONCE_MAX)
  }

  /** On a slow network the next file may take minutes; completed ones are stored before. Never rejects, as below. */
  async #storeInTime(signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    while (!signal.aborted) {
      await clock.sleep(STORE_EVERY_MS, signal).catch(() => {}) // an abort ends the loop
      try {
        if (!signal.aborted) await this.#deps.records.flushIfDue()
      } catch (error) {
        this.#fatal ??= { error }
        this.#wakeup.ring()
      }
    }
  }

  #newFiles(feed: FileFeed): NewFiles {
    const { jobs, progress } = this.#deps
    const onBegun = (name: string, of: PullProgress) => {
      this.#deps.onTransfer()
      this.#begun++
      this.#requesting++
      progress.set(name, of)
    }
    const onArrived = () => {
      this.#requesting--
      this.#wakeup.ring()
    }
    const onEnded = (name: string, result: NewFileResult) => {
      this.#begun--
      progress.delete(name)
      if (result === 'not-received' || result === 'not-put')
        this.#running.add(this.#pull(feed, name, { isBegun: true, mayUseMemory: result !== 'not-put' }))
      else {
        jobs.finished(name, result === 'put')
        feed.ended(name)
      }
      this.#wakeup.ring()
    }
    const onFatal = (error: unknown) => {
      this.#fatal ??= { error }
      this.#wakeup.ring()
    }
    return new NewFiles({ ...this.#deps, onBegun, onArrived, onEnded, onFatal }, this.#signal)
  }

  /** Never rejects: a fatal error is thrown when all files have ended. */
  async #pull(feed: FileFeed, name: string, { isLarge: large = false, ...way }: WayOfPull): Promise<void> {
    const { items, jobs, leftovers, progress } = this.#deps
    this.#begun++
    let isRequesting = true
    if (large) this.#copying++
    else this.#requesting++
    const allRequested = () => {
      if (!isRequesting) return
      isRequesting = false
      if (large) this.#copying--
      else this.#requesting--
      this.#wakeup.ring()
    }
    let succeeded = false
    try {
      succeeded = await items.attempt(name, () => this.#pullOne(name, allRequested, way))
    } catch (error) {
      this.#fatal ??= { error }
    }
    allRequested()
    this.#begun--
    progress.delete(name)
    if (!succeeded) leftovers.add(name)
    jobs.finished(name, succeeded)
    feed.ended(name)
    this.#wakeup.ring()
  }

  async #pullOne(
    name: string,
    onAllRequested: () => void,
    { isBegun = false, mayUseMemory = true }: WayOfPull,
  ): Promise<void> {
    const { folder, index, items, sources, space } = this.#deps
    const setHolders = sources.expectHolders(folder.id)
    const state = index.records.localState
    const { local, global, holders } = await index.records.both(name)
    if (global === undefined) return
    setHolders(global, holders)
    if (items.plan(local, global).kind !== 'fetch') return // changed since: left to the next iteration
    items.checkTypeChange({ local, global, holders })
    await space.require(global.sizeBytes)
    this.#deps.onTransfer()
    const onBegun = (progress: PullProgress) => void this.#deps.progress.set(name, progress)
    const file = { global, local, state, mayUseMemory, onBegun, onAllRequested }
    await items.withItemEvents(global, 'update', () => this.#pullFile(file), isBegun)
  }

  /** A file whose content is not taken from memory is obtained again, in a temporary file. */
  async #pullFile(file: WantedFile & ReadRecord): Promise<void> {
    const mayUseMemory = file.mayUseMemory && this.#memoryFailures < MEMORY_FAILURES_MAX
    if (mayUseMemory && (await this.#isPut(file))) return
    await this.#isPut({ ...file, mayUseMemory: false })
  }

  async #isPut(file: WantedFile & ReadRecord): Promise<boolean> {
    const { contents, items } = this.#deps
    await using content = await contents.obtain(file, this.#signal)
    try {
      const isPut = await items.put(content, file.global, file)
      if (content.kind === 'file') return true
      this.#memoryFailures = isPut ? 0 : this.#memoryFailures + 1
      if (isPut) content.onPut()
      return isPut
    } catch (error) {
      if (!this.#signal.aborted) await abandon(content, file.global, error)
      throw error
    }
  }
}

function isLarge(sizeBytes: number): boolean {
  return sizeBytes > SMALL_FILE_SIZE_BYTES_MAX
}
