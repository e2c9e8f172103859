import type { Random } from '../../platform/random.ts'

const YEAR_MS = 365 * 24 * 3_600_000
const RECHECK_DELAY_MS_MIN = 5_000
const RECHECK_DELAY_MS_MAX = 300_000
/** Finer than the resolution of timers, small enough for `Random.int`. */
const JITTER_STEPS = 1_000_000

/** What a folder does by the clock. Time is a parameter: monotonic milliseconds. */
export class FolderSchedule {
  readonly rescans: RescanSchedule
  readonly cleaning: CleanSchedule
  readonly rechecks = new RecheckSchedule()

  constructor(rescanIntervalMs: number, cleanIntervalMs: number, random: Random) {
    this.rescans = new RescanSchedule(rescanIntervalMs, random)
    this.cleaning = new CleanSchedule(cleanIntervalMs)
  }

  /** Time until something is due. A folder in error is not cleaned up. */
  delayMs(nowMs: number, isInError: boolean): number {
    const rescanMs = this.rescans.delayMs(nowMs) ?? Number.POSITIVE_INFINITY
    const cleanMs = isInError ? Number.POSITIVE_INFINITY : this.cleaning.delayMs(nowMs)
    return Math.min(rescanMs, this.rechecks.delayMs(nowMs), cleanMs)
  }
}

/** When the next automatic rescan is due. Time is a parameter: monotonic milliseconds. */
class RescanSchedule {
  readonly #intervalMs: number
  readonly #random: Random
  #dueMs: number | undefined

  /** Due from the start. An interval of 0 rescans only on request. */
  constructor(intervalMs: number, random: Random) {
    this.#intervalMs = Math.min(intervalMs, YEAR_MS)
    this.#random = random
    this.#dueMs = Number.NEGATIVE_INFINITY
  }

  isDue(nowMs: number): boolean {
    return this.#dueMs !== undefined && this.#dueMs <= nowMs
  }

  /** Undefined when no rescan is scheduled. */
  delayMs(nowMs: number): number | undefined {
    return this.#dueMs === undefined ? undefined : Math.max(0, this.#dueMs - nowMs)
  }

  /** After a timed scan: uniformly between ¾ and 1¼ of the interval, to spread the scans of many folders. */
  rearm(nowMs: number): void {
    if (this.#intervalMs <= 0) {
      this.#dueMs = undefined
      return
    }
    const part = 0.75 + (0.5 * this.#random.int(JITTER_STEPS)) / JITTER_STEPS
    this.#dueMs = nowMs + Math.min(this.#intervalMs * part, YEAR_MS)
  }

  /** Due exactly once after this delay; 0 is now. The interval applies again afterwards. */
  rearmExactly(nowMs: number, delayMs: number): void {
    this.#dueMs = nowMs + delayMs
  }
}

/** When a folder in error is checked again: with exponential backoff. */
class RecheckSchedule {
  #delayMs = RECHECK_DELAY_MS_MIN
  #dueMs = Number.POSITIVE_INFINITY

  isDue(nowMs: number): boolean {
    return this.#dueMs <= nowMs
  }

  delayMs(nowMs: number): number {
    return this.#dueMs - nowMs
  }

  /** `atOnce`: the first check is due immediately. */
  failed(nowMs: number, atOnce: boolean): void {
    this.#dueMs = nowMs + (atOnce && this.#delayMs === RECHECK_DELAY_MS_MIN ? 0 : this.#delayMs)
    this.#delayMs = Math.min(this.#delayMs * 2, RECHECK_DELAY_MS_MAX)
  }

  /** The check has started. */
  taken(): void {
    this.#dueMs = Number.POSITIVE_INFINITY
  }

  recovered(): void {
    this.taken()
    this.#delayMs = RECHECK_DELAY_MS_MIN
  }
}

/** When old versions are cleaned up. The first clean-up is one interval after the start. */
class CleanSchedule {
  readonly #intervalMs: number
  #dueMs: number | undefined

  /** An interval of 0 disables the clean-up. */
  constructor(intervalMs: number) {
    this.#intervalMs = Math.min(Math.max(0, intervalMs), YEAR_MS)
  }

  isDue(nowMs: number): boolean {
    return this.delayMs(nowMs) <= 0
  }

  delayMs(nowMs: number): number {
    if (this.#intervalMs === 0) return Number.POSITIVE_INFINITY
    this.#dueMs ??= nowMs + this.#intervalMs
    return Math.max(0, this.#dueMs - nowMs)
  }

  rearm(nowMs: number): void {
    this.#dueMs = nowMs + this.#intervalMs
  }
}
