import { performance, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

/** No garbage was collected for this long. */
const QUIET_MS = 3_000
/** A transfer of large files creates no garbage; a full collection in the middle of it would discard compiled code. */
const BUSY_SHARE_MAX = 0.05
/** A full collection takes a tenth of a second, which less memory than this does not justify. */
const FREE_BYTES_MIN = 4 * 1_024 * 1_024
const INTERVAL_MS_MIN = 60_000

/**
 * Collects all garbage once the process is idle, which returns free heap pages to the system. V8 does so by itself only
 * one to two minutes later: until then an idle device takes 93 (Node 24) or 101 MiB (Node 26) instead of 86.
 */
export class IdleCollection implements Disposable {
  readonly #observer: PerformanceObserver
  readonly #quietMs: number
  #timer: NodeJS.Timeout | undefined
  #lastMs = Number.NEGATIVE_INFINITY
  /** Event loop utilization when the current wait began. */
  #utilization = performance.eventLoopUtilization()

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
    this.#utilization = performance.eventLoopUtilization()
    this.#timer = setTimeout(() => this.#collectIfIdle(), delayMs).unref()
  }

  #collectIfIdle(): void {
    const { total_heap_size: heldBytes, used_heap_size: usedBytes } = getHeapStatistics()
    if (heldBytes - usedBytes < FREE_BYTES_MIN) return
    if (performance.eventLoopUtilization(this.#utilization).utilization > BUSY_SHARE_MAX) return this.#wait(this.#quietMs)
    const sinceMs = performance.now() - this.#lastMs
    if (sinceMs < INTERVAL_MS_MIN) return this.#wait(INTERVAL_MS_MIN - sinceMs)
    this.#lastMs = performance.now()
    collectAll().catch(() => {}) // no inspector: V8 returns the memory a minute later
  }
}

/**
 * Node offers a full collection without `--expose-gc` through its inspector only; changing V8's flags in a running
 * process may crash it. The session stays inside this process and opens no port.
 */
async function collectAll(): Promise<void> {
  if (!process.features.inspector) return
  const { Session } = await import('node:inspector/promises')
  const session = new Session()
  session.connect()
  try {
    await session.post('HeapProfiler.collectGarbage')
  } finally {
    session.disconnect()
  }
}
