import { detach } from '../core/errors.ts'
import type { Clock } from '../platform/clock.ts'
import type { ScanProgress } from './types.ts'

const RATE_WINDOW_MS = 60_000

/** Reports bytes hashed and to be hashed at intervals. A scan that hashes nothing reports nothing. */
export class ProgressMeter {
  readonly #clock: Clock
  readonly #onProgress: (progress: ScanProgress) => void
  /** One byte that is never hashed keeps the progress below 100 % until the scan ends. */
  #totalBytes = 1
  #currentBytes = 0
  #reportedBytes = 0
  #reportedMs: number
  readonly #startedMs: number
  #rate = 0
  #counted = false
  #begin: (() => void) | undefined

  constructor(clock: Clock, onProgress: (progress: ScanProgress) => void) {
    this.#clock = clock
    this.#onProgress = onProgress
    this.#startedMs = clock.monotonicMs()
    this.#reportedMs = this.#startedMs
  }

  get hashedBytes(): number {
    return this.#currentBytes
  }

  expect(bytes: number): void {
    this.#totalBytes += bytes
    this.#begin?.()
    this.#begin = undefined
  }

  /** Nothing more is expected. */
  endCounting(): void {
    this.#counted = true
  }

  readonly advance = (bytes: number): void => {
    this.#currentBytes += bytes
  }

  /** Runs from the first expected bytes on: a scan of one unchanged file needs no timer. */
  runLater(intervalMs: number, signal: AbortSignal): void {
    this.#begin = () => detach(this.run(intervalMs, signal))
  }

  /** Reports every `intervalMs` until the signal aborts. */
  async run(intervalMs: number, signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        await this.#clock.sleep(intervalMs, signal)
        this.report()
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  report(): void {
    if (this.#totalBytes === 1) return
    const nowMs = this.#clock.monotonicMs()
    const passedMs = Math.max(1, nowMs - this.#reportedMs)
    const recent = ((this.#currentBytes - this.#reportedBytes) * 1_000) / passedMs
    // The average since the start, later of about the last minute.
    const weight = Math.min(1, passedMs / Math.min(RATE_WINDOW_MS, Math.max(1, nowMs - this.#startedMs)))
    this.#rate += (recent - this.#rate) * weight
    this.#reportedMs = nowMs
    this.#reportedBytes = this.#currentBytes
    this.#onProgress({
      currentBytes: this.#currentBytes,
      totalBytes: this.#totalBytes,
      counted: this.#counted,
      rate: this.#rate,
    })
  }
}
