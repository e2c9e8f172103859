import type { DeviceId, FolderId } from '../../core/ids.ts'
import { FileShares } from '../../core/records/file-shares.ts'
import { earlierDevices } from '../../core/records/pull-order.ts'
import type { Records } from '../../db/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { JobQueue } from '../state/job-queue.ts'
import type { FileSharing, Sources } from '../state/sources.ts'
import type { FileFeed, NextJob } from './job-feed.ts'
import type { PullList } from './pull-list.ts'

/** Files whose holders are looked up before one is begun. */
const EXAMINED_AT_ONCE = 64
/** Bounds the memory of files that wait for other devices: their names are objects. */
const POSTPONED_MAX = 4_096
/** Larger files have blocks enough to be announced while they are unfinished: their blocks are divided, not they. */
const UNDIVIDED_SIZE_BYTES_MAX = 10 * 128 * 1_024

export interface SharedFeedDeps {
  readonly folder: FolderId
  readonly records: Pick<Records, 'availability'>
  readonly sources: Pick<Sources, 'connectedDevices' | 'shareFiles'>
  readonly jobs: JobQueue
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** A file that was postponed may be available. */
  onAnnounced(): void
}

/** Fills the queue while other connected devices may need the same files: `FileShares` decides which one is next. */
export class SharedFeed implements FileFeed {
  readonly #deps: SharedFeedDeps
  readonly #files: PullList
  readonly #order: Uint32Array
  readonly #shares: FileShares
  readonly #own: string
  #next = 0
  /** Of the queued and begun files. */
  readonly #places = new Map<string, number>()
  readonly #postponed = new Map<string, number>()
  /** Postponed files of which devices have sent records since they were looked up. */
  readonly #announced = new Map<string, Set<DeviceId>>()
  readonly #sharing: FileSharing

  constructor(deps: SharedFeedDeps, files: PullList, order: Uint32Array, own: string) {
    const { clock, folder, jobs, sources } = deps
    this.#deps = deps
    this.#files = files
    this.#order = order
    this.#own = own
    this.#shares = new FileShares(clock.monotonicMs())
    for (const name of jobs.prioritized()) this.#prioritize(name)
    jobs.takeRequested() // they are among these
    this.#sharing = sources.shareFiles(folder, (device, names) => this.#noteRecords(device, names))
  }

  get hasMore(): boolean {
    return this.#deps.jobs.peek() !== undefined || this.#postponed.size > 0 || this.#next < this.#order.length
  }

  /** Looks up who has the next files, and those that were announced. */
  async prepare(): Promise<void> {
    const { clock, folder, jobs, records, sources } = this.#deps
    const connected = new Set(sources.connectedDevices(folder))
    for (const [name, devices] of this.#announced) {
      this.#announced.delete(name)
      const place = this.#postponed.get(name)
      if (place === undefined) continue
      const holders = (await records.availability(name)).filter((device) => connected.has(device))
      const announcer = holders.find((device) => devices.has(device))
      if (holders.length < 2 || announcer === undefined || !this.#postponed.delete(name)) continue
      this.#shares.announced(place, announcer, clock.monotonicMs())
      this.#queue(place, name)
    }
    const earlier = earlierDevices({ own: this.#own, devices: [...connected] })
    for (let count = 0; count < EXAMINED_AT_ONCE && this.#next < this.#order.length; count++) {
      if (jobs.isFull || this.#postponed.size >= POSTPONED_MAX) return
      const place = this.#order[this.#next++]!
      if (this.#files.isRemoved(place)) continue
      const name = this.#files.name(place)
      const sizeBytes = this.#files.sizeBytes(place)
      const holders = (await records.availability(name)).filter((device) => connected.has(device))
      if (this.#files.isRemoved(place)) continue // prioritized meanwhile
      this.#files.remove(place)
      const before = earlier(name).filter((device) => !holders.includes(device as DeviceId))
      if (holders.length === 1) this.#sharing.spare(holders[0]!)
      if (holders.length > 1) this.#shares.addCommon(place, sizeBytes)
      else if (holders.length === 0 || before.length === 0 || sizeBytes > UNDIVIDED_SIZE_BYTES_MAX)
        this.#shares.addOwn(place, sizeBytes)
      else {
        this.#shares.postpone({ place, sizeBytes, before })
        this.#postponed.set(name, place)
        continue
      }
      this.#queue(place, name)
    }
  }

  next(): NextJob | undefined {
    const { clock, jobs } = this.#deps
    for (const name of jobs.takeRequested()) this.#prioritize(name)
    const prioritized = jobs.peekPrioritized()
    if (prioritized !== undefined) return this.#job(prioritized)
    const found = this.#shares.next(clock.monotonicMs())
    if (found.kind === 'wait') return found
    if (found.kind === 'begin') return this.#job(this.#files.name(found.place))
    return this.#next < this.#order.length ? { kind: 'wait', ms: 0 } : undefined
  }

  begin(name: string): void {
    const place = this.#places.get(name) ?? this.#postponed.get(name)
    this.#deps.jobs.begin(name)
    this.#postponed.delete(name)
    if (place === undefined) return
    this.#places.set(name, place)
    this.#shares.begun(place)
  }

  ended(name: string): void {
    const place = this.#places.get(name)
    this.#places.delete(name)
    if (place !== undefined) this.#shares.ended(place)
  }

  [Symbol.dispose](): void {
    this.#sharing[Symbol.dispose]()
  }

  #job(name: string): NextJob {
    const place = this.#places.get(name) ?? this.#postponed.get(name)
    return { kind: 'file', name, sizeBytes: place === undefined ? 0 : this.#files.sizeBytes(place) }
  }

  #noteRecords(device: DeviceId, names: readonly string[] | undefined): void {
    if (this.#postponed.size === 0) return
    for (const name of names ?? this.#postponed.keys()) {
      if (!this.#postponed.has(name)) continue
      const devices = this.#announced.get(name) ?? new Set()
      this.#announced.set(name, devices.add(device))
    }
    if (this.#announced.size > 0) this.#deps.onAnnounced()
  }

  #prioritize(name: string): void {
    const postponed = this.#postponed.get(name)
    const place = postponed ?? this.#files.find(name)
    if (place === undefined) return
    this.#postponed.delete(name)
    this.#shares.remove(place)
    this.#files.remove(place)
    this.#queue(place, name)
  }

  #queue(place: number, name: string): void {
    this.#places.set(name, place)
    this.#deps.jobs.push(name)
  }
}
