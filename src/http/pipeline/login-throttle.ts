import { TwinfoldError } from '../../core/errors.ts'
import { Mutex } from '../../sync/mutex.ts'
import { Semaphore } from '../../sync/semaphore.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'

const FAILURE_DELAY_MS = 100
const FAILURE_JITTER_MS = 100
/** Failures without a delay, for typing errors; each further failure doubles the delay. */
const FREE_FAILURES = 5
const BACKOFF_MS_MIN = 250
const BACKOFF_MS_MAX = 15_000
const EVICT_MS = 10 * 60_000
const SOURCES_MAX = 1_000
const WAITING_MAX = 16
/** One thread checks passwords, a tenth of a second each; a second concurrent check keeps it busy. */
const CHECKS_AT_ONCE = 2
/** Of sources with failures, so that others get a check at once however many there are. */
const REPEATED_CHECKS_AT_ONCE = CHECKS_AT_ONCE - 1
/** Queued checks of all sources with failures, and of all without: seconds of work. */
const CHECKS_WAITING_MAX = 64
const CHECKS_RETRY_MS = 5_000

interface Source {
  readonly lock: Mutex
  waiting: number
  failures: number
  nextMs: number
  lastMs: number
}

/**
 * Limits the rate of password guesses. The attempts of each source are checked one after the other, every failure is
 * delayed by 100 to 200 ms, and many failures by more. No source is locked out, and API keys are not throttled.
 */
export class LoginThrottle {
  readonly #clock: Clock
  readonly #random: Random
  readonly #sources = new Map<string, Source>()
  readonly #checks = new Semaphore(CHECKS_AT_ONCE)
  readonly #repeatedChecks = new Semaphore(REPEATED_CHECKS_AT_ONCE)

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  /** Runs one check at a time per source. A check that rejects is not a failure. Throws when the queue is full. */
  async attempt(name: string, check: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    const source = this.#source(name)
    if (source.waiting >= WAITING_MAX) {
      await this.#clock.sleep(this.#failureDelayMs(), signal)
      throw new TooManyLogins(source.nextMs - this.#clock.monotonicMs())
    }
    source.waiting++
    try {
      using _lock = await source.lock.lock(signal)
      const waitMs = source.nextMs - this.#clock.monotonicMs()
      if (waitMs > 0) await this.#clock.sleep(waitMs, signal)
      const good = await this.#check(source, check, signal)
      source.lastMs = this.#clock.monotonicMs()
      if (good) source.failures = 0
      else await this.#delayFailure(source, signal)
      return good
    } finally {
      source.waiting--
    }
  }

  async #check({ failures }: Source, check: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    try {
      using _repeated = failures > 0 ? await this.#acquire(this.#repeatedChecks, signal) : undefined
      using _slot = await this.#acquire(this.#checks, signal)
      return await check()
    } catch (error) {
      await this.#clock.sleep(this.#failureDelayMs(), signal) // slows down a client that retries in a loop
      throw error
    }
  }

  #acquire(checks: Semaphore, signal: AbortSignal): Promise<Disposable> {
    if (checks.waitingCount >= CHECKS_WAITING_MAX) throw new TooManyLogins(CHECKS_RETRY_MS)
    return checks.acquire(signal)
  }

  /** Sets the time of the next attempt before the delay, so that a client cannot skip it by disconnecting. */
  async #delayFailure(source: Source, signal: AbortSignal): Promise<void> {
    source.failures++
    const over = source.failures - FREE_FAILURES
    const backoffMs = over <= 0 ? 0 : Math.min(BACKOFF_MS_MIN * 2 ** Math.min(over, 16), BACKOFF_MS_MAX)
    const delayMs = this.#failureDelayMs()
    source.nextMs = this.#clock.monotonicMs() + delayMs + backoffMs
    await this.#clock.sleep(delayMs, signal)
  }

  #failureDelayMs(): number {
    return FAILURE_DELAY_MS + this.#random.int(FAILURE_JITTER_MS)
  }

  #source(name: string): Source {
    const existing = this.#sources.get(name)
    if (existing !== undefined) return existing
    if (this.#sources.size >= SOURCES_MAX) this.#evict()
    const source = { lock: new Mutex(), waiting: 0, failures: 0, nextMs: 0, lastMs: this.#clock.monotonicMs() }
    this.#sources.set(name, source)
    return source
  }

  /** Removes idle sources, then the oldest ones without an attempt in progress: bounds the table. */
  #evict(): void {
    const oldMs = this.#clock.monotonicMs() - EVICT_MS
    for (const [name, source] of this.#sources) {
      if (source.waiting === 0 && source.lastMs < oldMs) this.#sources.delete(name)
    }
    for (const [name, source] of this.#sources) {
      if (this.#sources.size < SOURCES_MAX) break
      if (source.waiting === 0) this.#sources.delete(name)
    }
  }
}

/** An attempt that was refused without a check. */
export class TooManyLogins extends TwinfoldError {
  readonly retryAfterS: number

  constructor(retryAfterMs: number) {
    const retryAfterS = Math.max(1, Math.ceil(retryAfterMs / 1_000))
    super('too-many-logins', `too many logins are waiting; try again in ${retryAfterS} s`)
    this.retryAfterS = retryAfterS
  }
}
