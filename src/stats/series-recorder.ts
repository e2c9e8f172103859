import { messageOf } from '../core/errors.ts'
import {
  makeBook,
  observe,
  readSeries,
  type Observation,
  type SeriesBook,
  type SeriesQuery,
} from '../core/series/book.ts'
import { decodeBook, encodeBook } from '../core/series/encode.ts'
import type { EventBus } from '../events/bus.ts'
import type { EventType, Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { Disk } from '../platform/disk.ts'
import { writeFileAtomically } from '../platform/files/atomic-write.ts'
import { readFileOfHome } from '../platform/files/json-file.ts'
import { Mutex } from '../sync/mutex.ts'
import { Wakeup } from '../sync/wakeup.ts'

/** What the recorder asks for when it looks. The counters of a device only grow while it is connected. */
export interface SeriesFacts {
  readonly inBytesTotal: number
  readonly outBytesTotal: number
  readonly devices: readonly {
    readonly id: string
    /** Undefined while it is not connected. */
    readonly bytes: { readonly in: number; readonly out: number } | undefined
  }[]
  readonly folders: Observation['folders']
}

export interface SeriesRecorderDeps {
  readonly clock: Clock
  readonly disk: Disk
  readonly events: Pick<EventBus, 'listen'>
  readonly log: Logger
  facts(): SeriesFacts
  /** The free space of the disks of all folders. */
  disks(): Promise<Observation['disks']>
}

/** The series as others read them. */
export interface SeriesView {
  read(query: Omit<SeriesQuery, 'nowMs'>): ReturnType<typeof readSeries>
}

const MINUTE_MS = 60_000
/** Changes are stored together: a crash loses at most these minutes. */
const SAVE_INTERVAL_MS = 10 * MINUTE_MS
/** Without changes nothing is written, so that disks may sleep; a crash loses at most this time of unchanged states. */
const QUIET_SAVE_INTERVAL_MS = 24 * 60 * MINUTE_MS
/** Free space is looked at after work on a folder, and otherwise once in this time. */
const SPACE_INTERVAL_MS = 5 * MINUTE_MS
const FILE_MODE = 0o600

const CONNECTION_EVENTS: readonly EventType[] = ['DeviceConnected', 'DeviceDisconnected']
const WORK_EVENTS: readonly EventType[] = ['LocalIndexUpdated', 'FolderSummary']

/** Records figures over time: every minute in memory, on the disk only when something has changed. */
export class SeriesRecorder implements SeriesView {
  readonly name = 'series'
  readonly #deps: SeriesRecorderDeps
  readonly #file: string
  readonly #woken = new Wakeup()
  readonly #saving = new Mutex()
  #book: SeriesBook = makeBook()
  #isChanged = false
  #isSpaceWanted = true
  #lookedMs: number | undefined
  #savedMs: number
  #spaceMs = Number.NEGATIVE_INFINITY
  #total: { readonly in: number; readonly out: number } = { in: 0, out: 0 }
  #counters: ReadonlyMap<string, { readonly in: number; readonly out: number }> = new Map()

  private constructor(deps: SeriesRecorderDeps, file: string) {
    this.#deps = deps
    this.#file = file
    this.#savedMs = deps.clock.monotonicMs()
  }

  /** A file that cannot be read is replaced: figures are not essential. */
  static async open(deps: SeriesRecorderDeps, file: string): Promise<SeriesRecorder> {
    const recorder = new SeriesRecorder(deps, file)
    try {
      const data = await readFileOfHome(deps.disk, file)
      const book = data === undefined ? undefined : decodeBook(data)
      if (book !== undefined) recorder.#book = book
      else if (data !== undefined) deps.log.warn(`${file} is damaged: the plots begin anew`)
    } catch (error) {
      deps.log.warn(`${file} cannot be read, the plots begin anew: ${messageOf(error)}`)
    }
    return recorder
  }

  read(query: Omit<SeriesQuery, 'nowMs'>): ReturnType<typeof readSeries> {
    return readSeries(this.#book, { ...query, nowMs: this.#deps.clock.nowMs() })
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, events } = this.#deps
    events.listen(new Set(CONNECTION_EVENTS), () => this.#woken.ring(), signal)
    events.listen(new Set(WORK_EVENTS), () => void (this.#isSpaceWanted = true), signal)
    try {
      while (!signal.aborted) {
        await this.#look()
        await this.#saveIfDue()
        await this.#woken.waitAtMost(clock, MINUTE_MS - (clock.nowMs() % MINUTE_MS), signal)
      }
    } finally {
      await this.#look()
      await this.#save()
    }
  }

  async #look(): Promise<void> {
    const { clock } = this.#deps
    const disks = await this.#spaces()
    const { inBytesTotal, outBytesTotal, devices, folders } = this.#deps.facts()
    const monotonicMs = clock.monotonicMs()
    const elapsedMs = this.#lookedMs === undefined ? 0 : monotonicMs - this.#lookedMs
    this.#lookedMs = monotonicMs
    const total = { in: inBytesTotal, out: outBytesTotal }
    const isChanged = observe(this.#book, {
      nowMs: clock.nowMs(),
      elapsedMs,
      ...growth(this.#total, total),
      devices: devices.map(({ id, bytes }) => ({
        id,
        isConnected: bytes !== undefined,
        ...growth(this.#counters.get(id), bytes),
      })),
      folders,
      disks,
    })
    this.#total = total
    this.#counters = new Map(devices.flatMap(({ id, bytes }) => (bytes === undefined ? [] : [[id, bytes] as const])))
    this.#isChanged ||= isChanged
  }

  async #spaces(): Promise<Observation['disks']> {
    const sinceMs = this.#deps.clock.monotonicMs() - this.#spaceMs
    const isDue = sinceMs >= (this.#isSpaceWanted ? SPACE_INTERVAL_MS : QUIET_SAVE_INTERVAL_MS)
    if (!isDue) return []
    this.#spaceMs = this.#deps.clock.monotonicMs()
    this.#isSpaceWanted = false
    return await this.#deps.disks()
  }

  async #saveIfDue(): Promise<void> {
    const sinceMs = this.#deps.clock.monotonicMs() - this.#savedMs
    if (sinceMs >= (this.#isChanged ? SAVE_INTERVAL_MS : QUIET_SAVE_INTERVAL_MS)) await this.#save()
  }

  async #save(): Promise<void> {
    using _lock = await this.#saving.lock()
    this.#savedMs = this.#deps.clock.monotonicMs()
    this.#isChanged = false
    try {
      await writeFileAtomically(this.#deps.disk, this.#file, encodeBook(this.#book), FILE_MODE, 'twinfold-series.tmp')
    } catch (error) {
      this.#deps.log.warn(`the figures of the plots cannot be stored in ${this.#file}: ${messageOf(error)}`)
    }
  }
}

interface Counters {
  readonly in: number
  readonly out: number
}

/** Counters that are smaller than before are those of a new connection. */
function growth(before: Counters | undefined, now: Counters | undefined): { inBytes: number; outBytes: number } {
  if (now === undefined) return { inBytes: 0, outBytes: 0 }
  const isNew = before === undefined || now.in < before.in || now.out < before.out
  return isNew
    ? { inBytes: now.in, outBytes: now.out }
    : { inBytes: now.in - before.in, outBytes: now.out - before.out }
}
