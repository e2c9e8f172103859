import { delayMs, fullBucket, takeBytes, withRate, type Bucket } from '../core/network/rate.ts'
import type { Clock } from '../platform/clock.ts'
import { Mutex } from './mutex.ts'

/** Token bucket, first in, first out. A new rate takes effect immediately, also for pending callers. */
export class RateLimiter {
  readonly #clock: Clock
  readonly #lock = new Mutex()
  #bucket: Bucket
  #rateChanged = new AbortController()

  constructor(clock: Clock) {
    this.#clock = clock
    this.#bucket = fullBucket(0, clock.monotonicMs())
  }

  get isLimiting(): boolean {
    return this.#bucket.bytesPerS > 0
  }

  setRate(bytesPerS: number): void {
    if (bytesPerS === this.#bucket.bytesPerS) return
    this.#bucket = withRate(this.#bucket, bytesPerS, this.#clock.monotonicMs())
    this.#rateChanged.abort()
    this.#rateChanged = new AbortController()
  }

  /** Rejects with the reason of the signal, if there is one, when it aborts. */
  async pass(bytes: number, signal?: AbortSignal): Promise<void> {
    if (!this.isLimiting) return
    using _lock = await this.#lock.lock()
    for (;;) {
      signal?.throwIfAborted()
      const waitMs = delayMs(this.#bucket, this.#clock.monotonicMs())
      if (waitMs === 0) break
      const changed = this.#rateChanged.signal
      const either = signal === undefined ? changed : AbortSignal.any([changed, signal])
      await this.#clock.sleep(waitMs, either).catch(() => {}) // checks again with the new rate
    }
    this.#bucket = takeBytes(this.#bucket, bytes, this.#clock.monotonicMs())
  }
}
