import type { Clock } from '../../platform/clock.ts'
import { ByteWindow } from '../../sync/byte-window.ts'

const START_BYTES = 2 * 1_024 * 1_024
/** A disk that does not keep up is still asked for so much, if the line brings it. */
const SLOW_DISK_BYTES = 16 * 1_024 * 1_024
/** So much may have arrived and wait for the disk; to ask for more would only fill memory. */
const UNWRITTEN_BYTES_MAX = 8 * 1_024 * 1_024
/** What the line brings in this time is under way: more than any journey takes, and not so much that nothing else gets in. */
const UNDER_WAY_MS = 1_000
const MEASURED_MS = 500

/**
 * How much is asked of other devices at a time. It begins small. Whenever the disk has written all that has arrived, it
 * grows, so that a line with a long delay soon has as much under way as it holds; when the disk does not keep up, it
 * shrinks: what is not asked for waits at its source and not in our memory. On a slow line it stays small, so that a
 * file that a person wants first does not wait behind minutes of others.
 */
export class RequestWindow {
  readonly #bytesMax: number
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #window: ByteWindow
  #diskBytes: number
  #lineBytes = Infinity
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
    return Math.min(this.#diskBytes, this.#lineBytes, this.#bytesMax)
  }

  /** Whether so much could be asked for at once. */
  hasRoom(sizeBytes: number): boolean {
    return this.#window.heldBytes + sizeBytes <= this.limitBytes
  }

  /** Rejects with `signal.reason` as soon as the signal aborts; then nothing is held. */
  acquire(sizeBytes: number, signal: AbortSignal): Promise<Disposable> {
    return this.#window.acquire(sizeBytes, signal)
  }

  /** Bytes have arrived and are on their way to the disk until the returned function is called. */
  arrived(sizeBytes: number): () => void {
    this.#count(sizeBytes)
    // Not counting this one, which may be larger than that by itself.
    if (this.#unwrittenBytes >= UNWRITTEN_BYTES_MAX) {
      this.#diskBytes = Math.max(Math.min(SLOW_DISK_BYTES, this.#diskBytes), this.#diskBytes - sizeBytes)
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

  /** What the line brings, measured anew twice a second. */
  #count(sizeBytes: number): void {
    this.#measure.bytes += sizeBytes
    const nowMs = this.#clock.monotonicMs()
    const tookMs = nowMs - this.#measure.sinceMs
    if (tookMs < MEASURED_MS) return
    this.#lineBytes = Math.max(START_BYTES, (this.#measure.bytes / tookMs) * UNDER_WAY_MS)
    this.#measure = { sinceMs: nowMs, bytes: 0 }
  }
}
