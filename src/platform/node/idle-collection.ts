import { performance, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'

/** No garbage was collected for this long. */
const QUIET_MS = 3_000
/** A transfer of large files creates no garbage; a full collection in the middle of it would discard compiled code. */
const BUSY_SHARE_MAX = 0.05
/** A full collection takes a tenth of a second, which a smaller growth of the heap does not justify. */
const GROWTH_BYTES_MIN = 4 * 1_024 * 1_024
const INTERVAL_MS_MIN = 60_000

export interface IdleCollectionOptions {
  readonly quietMs?: number
  /**
   * Nothing is collected while there are other threads: V8 keeps their heap pages, when they end, until a collection.
   */
  readonly hasThreads?: () => boolean
}

/**
 * Collects all garbage once the process is idle, which returns free heap pages to the system. V8 does so by itself only
 * one to two minutes later: until then an idle device takes 93 (Node 24) or 101 MiB (Node 26) instead of 86.
 */
export class IdleCollection implements Disposable {
  readonly #observer: PerformanceObserver
  readonly #quietMs: number
  readonly #hasThreads: () => boolean
  #timer: NodeJS.Timeout | undefined
  #lastMs = Number.NEGATIVE_INFINITY
  /** Size of the heap after the last collection. V8 counts garbage as used: only growth indicates garbage. */
  #collectedBytes = 0
  /** Event loop utilization when the current wait began. */
  #utilization = performance.eventLoopUtilization()

  constructor({ quietMs = QUIET_MS, hasThreads = () => false }: IdleCollectionOptions = {}) {
    this.#quietMs = quietMs
    this.#hasThreads = hasThreads
    this.#observer = new PerformanceObserver(() => this.#wait(quietMs))
    this.#observer.observe({ entryTypes: ['gc'] })
    this.#wait(quietMs)
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#observer.disconnect()
  }

  /** To be called when the last thread has ended: what it leaves does not show in the size of the heap. */
  threadsEnded(): void {
    this.#collectedBytes = 0
    this.#wait(this.#quietMs)
  }

  #wait(delayMs: number): void {
    clearTimeout(this.#timer)
    this.#utilization = performance.eventLoopUtilization()
    this.#timer = setTimeout(() => this.#collectIfIdle(), delayMs).unref()
  }

  #collectIfIdle(): void {
    if (this.#hasThreads()) return // until threadsEnded
    const heapBytes = getHeapStatistics().total_heap_size
    this.#collectedBytes = Math.min(this.#collectedBytes, heapBytes) // V8 has collected by itself
    if (heapBytes - this.#collectedBytes < GROWTH_BYTES_MIN) return
    if (performance.eventLoopUtilization(this.#utilization).utilization > BUSY_SHARE_MAX)
      return this.#wait(this.#quietMs)
    const sinceMs = performance.now() - this.#lastMs
    if (sinceMs < INTERVAL_MS_MIN) return this.#wait(INTERVAL_MS_MIN - sinceMs)
    this.#lastMs = performance.now()
    collectAll().then(
      () => (this.#collectedBytes = getHeapStatistics().total_heap_size),
      () => {}, // no inspector: V8 returns the memory by itself, later
    )
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
