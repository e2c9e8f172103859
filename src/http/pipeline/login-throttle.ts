import { TwinfoldError } from '../../core/errors.ts'
import { Mutex } from '../../sync/mutex.ts'
import { Semaphore } from '../../sync/semaphore.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'

const FAILURE_DELAY_MS = 100
const FAILURE_JITTER_MS = 100
/** A person mistypes a few times; from here on each failure doubles the wait. */
const FREE_FAILURES = 5
const BACKOFF_MS_MIN = 250
const BACKOFF_MS_MAX = 15_000
const FORGET_MS = 10 * 60_000
const SOURCES_MAX = 1_000
const WAITING_MAX = 16
/** One thread checks passwords, a tenth of a second each; a second check at hand keeps it busy. */
const CHECKS_AT_ONCE = 2
/** Of all sources together: seconds of work. */
const CHECKS_WAITING_MAX = 64

interface Source {
  readonly turn: Mutex
  waiting: number
  failures: number
  nextMs: number
  lastMs: number
}

/**
 * Slows down those who guess passwords. Each source has its guesses checked one after the other, every failure costs
 * 100 to 200 ms, and many failures cost more. Nobody is locked out for good, and API keys never come through here.
 */
export class LoginThrottle {
  readonly #clock: Clock
  readonly #random: Random
  readonly #sources = new Map<string, Source>()
  readonly #checks = new Semaphore(CHECKS_AT_ONCE)

  constructor(clock: Clock, random: Random) {
    this.#clock = clock
    this.#random = random
  }

  /** Runs one check in its turn. A check that rejects is no failure. With too many waiting, none is made. */
  async attempt(name: string, check: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    const source = this.#source(name)
    if (source.waiting >= WAITING_MAX) {
      await this.#clock.sleep(this.#failureDelayMs(), signal)
      throw tooMany()
    }
    source.waiting++
    try {
      using _turn = await source.turn.lock(signal)
      const waitMs = source.nextMs - this.#clock.monotonicMs()
      if (waitMs > 0) await this.#clock.sleep(waitMs, signal)
      const good = await this.#check(check, signal)
      source.lastMs = this.#clock.monotonicMs()
      if (good) source.failures = 0
      else await this.#punish(source, signal)
      return good
    } finally {
      source.waiting--
    }
  }

  async #check(check: () => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    try {
      if (this.#checks.waitingCount >= CHECKS_WAITING_MAX) throw tooMany()
      using _slot = await this.#checks.acquire(signal)
      return await check()
    } catch (error) {
      await this.#clock.sleep(this.#failureDelayMs(), signal) // what fails at once is not worth asking in a loop
      throw error
    }
  }

  /** The wait for the next guess is noted before we sleep: who hangs up early does not escape it. */
  async #punish(source: Source, signal: AbortSignal): Promise<void> {
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
    const known = this.#sources.get(name)
    if (known !== undefined) return known
    if (this.#sources.size >= SOURCES_MAX) this.#forget()
    const source = { turn: new Mutex(), waiting: 0, failures: 0, nextMs: 0, lastMs: this.#clock.monotonicMs() }
    this.#sources.set(name, source)
    return source
  }

  /** Forgets those who have been quiet; when all are busy, the oldest, so that the table cannot grow. */
  #forget(): void {
    const oldMs = this.#clock.monotonicMs() - FORGET_MS
    for (const [name, source] of this.#sources) {
      if (source.waiting === 0 && source.lastMs < oldMs) this.#sources.delete(name)
    }
    for (const [name, source] of this.#sources) {
      if (this.#sources.size < SOURCES_MAX) break
      if (source.waiting === 0) this.#sources.delete(name)
    }
  }
}

function tooMany(): TwinfoldError {
  return new TwinfoldError('password-unavailable', 'too many logins are waiting; try again in some seconds')
}
