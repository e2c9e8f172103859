/** While less than this is on its way from their only holder, files of our own share are begun before any others. */
const OPEN_BYTES_MIN = 2 * 1_024 * 1_024
/** With less than this on its way from there, our line is not in use, and a wait for other devices costs time. */
const OPEN_BYTES_IDLE = 512 * 1_024
/** The same for small files, of which many are on their way at a time. */
const OPEN_FILES_MIN = 32
const OPEN_FILES_IDLE = 16
/** A device that has announced none of our files for so long is not waited for. */
const ACTIVE_MS = 2_000
/** A wait ends after this time, and is decided on again. */
const PAUSE_MS = 100
/** Limits of all waits of a pull: this part of its other time, and of the time that what is waited for takes us. */
const WAIT_PART = 0.4
/** An absolute limit of them. */
const WAIT_MS_MAX = 10_000
/** What is announced during a wait prolongs it, by this part of the time that it would have taken us. */
const GAINED_PART = 0.25

/** A file that only one connected device has. */
export interface ScarceFile {
  readonly place: number
  readonly sizeBytes: number
  /** The connected devices that lack it as well and whose turn is before ours. */
  readonly before: readonly string[]
}

export type NextFile =
  | { readonly kind: 'begin'; readonly place: number }
  /** Until a file has ended or was announced, at most this long. */
  | { readonly kind: 'wait'; readonly ms: number }
  | { readonly kind: 'none' }

interface OpenFile {
  readonly sizeBytes: number
  readonly isScarce: boolean
}

/**
 * The order of the files of one pull while several devices need the same ones: those of our own share, beside them what
 * more than one device has, and the shares of others when these have them. Behind the line of one slow source, a file
 * that is sent twice delays all. Others are waited for only while they announce what they have fetched.
 */
export class FileShares {
  readonly #own = new Map<number, number>()
  readonly #common = new Map<number, number>()
  readonly #others = new Map<number, ScarceFile>()
  /** When a device last announced one of the files that only one had. */
  readonly #announcedMs = new Map<string, number>()
  readonly #open = new Map<number, OpenFile>()
  #openScarce = { bytes: 0, count: 0 }
  #othersBytes = 0
  /** From their only holders. */
  #fetched = { bytes: 0, count: 0 }
  readonly #startMs: number
  #waitedMs = 0
  #waitingSinceMs: number | undefined
  /** Announced during waits. */
  #gainedBytes = 0
  /** The longest time that the shares of others would have taken us when they were waited for. */
  #othersMs = 0

  constructor(nowMs: number) {
    this.#startMs = nowMs
  }

  /** Files that wait for other devices. */
  get postponed(): number {
    return this.#others.size
  }

  /** A file that is ours to fetch, or is fetched in parts. */
  addOwn(place: number, sizeBytes: number): void {
    this.#own.set(place, sizeBytes)
  }

  /** A file that more than one device has. */
  addCommon(place: number, sizeBytes: number): void {
    this.#common.set(place, sizeBytes)
  }

  /** A file whose turn is first that of another device. */
  postpone(file: ScarceFile): void {
    this.#others.set(file.place, file)
    this.#othersBytes += file.sizeBytes
  }

  /** A device has announced a file that is postponed, and can send it. */
  announced(place: number, device: string, nowMs: number): void {
    const file = this.#takeOther(place)
    if (file === undefined) return
    this.#announcedMs.set(device, nowMs)
    if (this.#waitingSinceMs !== undefined) this.#gainedBytes += file.sizeBytes
    this.addCommon(place, file.sizeBytes)
  }

  /** It is pulled for another reason. */
  remove(place: number): void {
    this.#own.delete(place)
    this.#common.delete(place)
    this.#takeOther(place)
  }

  next(nowMs: number): NextFile {
    this.#endWait(nowMs)
    const { bytes, count } = this.#openScarce
    const isOwnNext = bytes < OPEN_BYTES_MIN && count < OPEN_FILES_MIN
    const [own] = this.#own.keys()
    const [common] = this.#common.keys()
    const first = isOwnNext ? (own ?? common) : (common ?? own)
    if (first !== undefined) return { kind: 'begin', place: first }
    if (this.#others.size === 0) return { kind: 'none' }
    const { file, active } = this.#leastAwaited(nowMs)
    if (active === 0) {
      // A second of what arrives keeps the line in use: devices that have not announced anything yet may still do so.
      const seconds = this.#workedMs(nowMs) / 1_000
      const mayBegin = isOwnNext || (bytes < this.#fetched.bytes / seconds && count < this.#fetched.count / seconds)
      return mayBegin ? { kind: 'begin', place: file.place } : { kind: 'wait', ms: PAUSE_MS }
    }
    if (bytes >= OPEN_BYTES_IDLE || count >= OPEN_FILES_IDLE) return { kind: 'wait', ms: PAUSE_MS }
    const leftMs = this.#waitMs(nowMs) - this.#waitedMs
    if (leftMs <= 0) return { kind: 'begin', place: file.place }
    this.#waitingSinceMs = nowMs
    return { kind: 'wait', ms: Math.min(PAUSE_MS, leftMs) }
  }

  begun(place: number): void {
    const common = this.#common.get(place)
    const sizeBytes = common ?? this.#own.get(place) ?? this.#others.get(place)?.sizeBytes
    if (sizeBytes === undefined) return
    this.remove(place)
    const isScarce = common === undefined
    this.#open.set(place, { sizeBytes, isScarce })
    if (isScarce) this.#openScarce = sum(this.#openScarce, sizeBytes, 1)
  }

  ended(place: number): void {
    const file = this.#open.get(place)
    if (file === undefined) return
    this.#open.delete(place)
    if (!file.isScarce) return
    this.#openScarce = sum(this.#openScarce, -file.sizeBytes, -1)
    this.#fetched = sum(this.#fetched, file.sizeBytes, 1)
  }

  #takeOther(place: number): ScarceFile | undefined {
    const file = this.#others.get(place)
    if (file === undefined) return undefined
    this.#others.delete(place)
    this.#othersBytes -= file.sizeBytes
    return file
  }

  #endWait(nowMs: number): void {
    if (this.#waitingSinceMs !== undefined) this.#waitedMs += nowMs - this.#waitingSinceMs
    this.#waitingSinceMs = undefined
  }

  /** The postponed file with the fewest devices that may still fetch it before us. */
  #leastAwaited(nowMs: number): { readonly file: ScarceFile; readonly active: number } {
    let least: { readonly file: ScarceFile; readonly active: number } | undefined
    for (const file of this.#others.values()) {
      let active = 0
      for (const device of file.before) if (this.#isActive(device, nowMs)) active++
      if (least === undefined || active < least.active) least = { file, active }
      if (active === 0) break
    }
    return least!
  }

  #isActive(device: string, nowMs: number): boolean {
    const announcedMs = this.#announcedMs.get(device)
    return announcedMs !== undefined && nowMs - announcedMs <= ACTIVE_MS
  }

  #workedMs(nowMs: number): number {
    return nowMs - this.#startMs - this.#waitedMs
  }

  /** How long this pull may wait in all. */
  #waitMs(nowMs: number): number {
    const workedMs = this.#workedMs(nowMs)
    const msPerByte = workedMs / Math.max(1, this.#fetched.bytes)
    this.#othersMs = Math.max(this.#othersMs, this.#othersBytes * msPerByte)
    const gainedMs = this.#gainedBytes * msPerByte * GAINED_PART
    return gainedMs + Math.min(WAIT_MS_MAX, WAIT_PART * Math.min(workedMs, this.#othersMs))
  }
}

function sum(open: { readonly bytes: number; readonly count: number }, bytes: number, count: number) {
  return { bytes: open.bytes + bytes, count: open.count + count }
}
