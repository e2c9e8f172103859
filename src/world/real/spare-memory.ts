import { performance, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** Nothing was collected for this long, and hardly anything done: nobody notices a tenth of a second. */
const QUIET_MS = 3_000
/** Who sends large files works without leaving anything to collect; to forget compiled code would cost that one dearly. */
const QUIET_SHARE_MAX = 0.05
/** Less than this is not worth the trouble. */
const SPARE_BYTES_MIN = 8 * 1_024 * 1_024
const INTERVAL_MS_MIN = 60_000

/**
 * Gives memory back to the system in quiet times. V8 keeps what a start or a scan made it take, for the next one; a
 * program that mostly waits has no right to it. An idle device takes 78 MiB instead of 87.
 */
export class SpareMemory implements Disposable {
  readonly #observer: PerformanceObserver
  readonly #quietMs: number
  #timer: NodeJS.Timeout | undefined
  #lastMs = Number.NEGATIVE_INFINITY
  /** How the time was spent until the last wait began. */
  #spent = performance.eventLoopUtilization()

  constructor(quietMs: number = QUIET_MS) {
    this.#quietMs = quietMs
    this.#observer = new PerformanceObserver(() => this.#wait(quietMs))
    this.#observer.observe({ entryTypes: ['gc'] })
    this.#wait(quietMs)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#observer.disconnect()
  }

  #wait(delayMs: number): void {
    clearTimeout(this.#timer)
    this.#spent = performance.eventLoopUtilization()
    this.#timer = setTimeout(() => this.#giveBack(), delayMs).unref()
  }

  #giveBack(): void {
    const { total_heap_size: heldBytes, used_heap_size: usedBytes } = getHeapStatistics()
    if (heldBytes - usedBytes < SPARE_BYTES_MIN) return
    if (performance.eventLoopUtilization(this.#spent).utilization > QUIET_SHARE_MAX) return this.#wait(this.#quietMs)
    const sinceMs = performance.now() - this.#lastMs
    if (sinceMs < INTERVAL_MS_MIN) return this.#wait(INTERVAL_MS_MIN - sinceMs)
    this.#lastMs = performance.now()
    collectAll()
  }
}

/** Only this kind of collection makes the nursery small again. Node offers it to those who ask V8 for its own means. */
function collectAll(): void {
  setFlagsFromString('--expose-gc')
  try {
    runInNewContext("gc({ type: 'major', execution: 'sync', flavor: 'last-resort' })")
  } finally {
    // Threads that start later find V8 as they know it: compiled code is kept for these settings only.
    setFlagsFromString('--no-expose-gc')
  }
}
