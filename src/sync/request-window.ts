import type { Clock } from '../platform/clock.ts'
import { ByteWindow } from './byte-window.ts'

const START_BYTES = 2 * 1_024 * 1_024
/** Lower bound for a slow disk, if the network is fast enough. */
const SLOW_DISK_BYTES_MIN = 16 * 1_024 * 1_024
/** Limit of received data not yet written; further requests would only fill memory. */
const UNWRITTEN_BYTES_MAX = 8 * 1_024 * 1_024
/**
 * The window covers this much time of network throughput: more than any round trip, but short enough for changes of
 * priority.
 */
const IN_FLIGHT_MS = 1_000
const MEASURED_MS = 500

/**
 * Limits the bytes requested at a time from the network, to be written to the disk. The window starts small and grows
 * whenever the disk has written all received data, so that a connection with high latency soon is fully used. It
 * shrinks when the disk falls behind, which keeps data at its source and out of memory. On a slow connection it stays
 * small, so that a prioritized file is not delayed by minutes.
 */
export class RequestWindow {
  readonly #bytesMax: number
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #window: ByteWindow
  #diskBytes: number
  #networkBytes = Infinity
  #unwrittenBytes = 0
  #measure: { readonly sinceMs: number; bytes: number }

  constructor(bytesMax: number, clock: Pick<Clock, 'monotonicMs'>) {
    this.#bytesMax = bytesMax
    this.#clock = clock
    this.#diskBytes = START_BYTES
    this.#measure = { sinceMs: clock.monotonicMs(), bytes: 0 }
    this.#window = new ByteWindow(this.limitBytes)
  }

  get limitBytes(): number {
    return Math.min(this.#diskBytes, this.#networkBytes, this.#bytesMax)
  }

  /** Undefined where it would have to wait. */
  tryAcquire(sizeBytes: number): Disposable | undefined {
    return this.#window.tryAcquire(sizeBytes)
  }

  /** Rejects with `signal.reason` as soon as the signal aborts; then nothing is held. */
  acquire(sizeBytes: number, signal: AbortSignal): Promise<Disposable> {
    return this.#window.acquire(sizeBytes, signal)
  }

  /** Bytes were received and are being written until the returned function is called. */
  arrived(sizeBytes: number): () => void {
    this.#count(sizeBytes)
    // Excludes this block, which alone may exceed the limit.
    if (this.#unwrittenBytes >= UNWRITTEN_BYTES_MAX) {
      this.#diskBytes = Math.max(Math.min(SLOW_DISK_BYTES_MIN, this.#diskBytes), this.#diskBytes - sizeBytes)
    }
    this.#unwrittenBytes += sizeBytes
    this.#window.setLimit(this.limitBytes)
    return () => {
      this.#unwrittenBytes -= sizeBytes
      if (this.#unwrittenBytes > 0) return
      this.#diskBytes = Math.min(this.#diskBytes + sizeBytes, this.#bytesMax)
      this.#window.setLimit(this.limitBytes)
    }
  }

  /** Network throughput, measured twice a second. */
  #count(sizeBytes: number): void {
    this.#measure.bytes += sizeBytes
    const nowMs = this.#clock.monotonicMs()
    const tookMs = nowMs - this.#measure.sinceMs
    if (tookMs < MEASURED_MS) return
    this.#networkBytes = Math.max(START_BYTES, (this.#measure.bytes / tookMs) * IN_FLIGHT_MS)
    this.#measure = { sinceMs: nowMs, bytes: 0 }
  }
}
