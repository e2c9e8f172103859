import { executionAsyncResource } from 'node:async_hooks'
import { performance, PerformanceObserver } from 'node:perf_hooks'
import { setTimeout as setTimeoutAsync } from 'node:timers/promises'
import { residentNow } from './page-drops.ts'

/** No garbage was collected for this long. */
const QUIET_MS = 3_000
/** A transfer of large files creates no garbage; a full collection in the middle of it would discard compiled code. */
const BUSY_SHARE_MAX = 0.05
/** A full collection takes a tenth of a second, which a smaller growth of the heap does not justify. */
const GROWTH_BYTES_MIN = 4 * 1_024 * 1_024
/** Of memory outside the heap, too: large messages are there. */
const RESIDENT_GROWTH_BYTES_MIN = 16 * 1_024 * 1_024
const INTERVAL_MS_MIN = 30_000
/** Most starts are over by then. */
const STARTED_MS = 1_000
/** What a start leaves is 5 MiB, which is not worth a tenth of a second while other programs start, too. */
const FIRST_MS = 60_000
/** So much is returned sooner, and after threads have ended also while the process is busy. */
const LARGE_GROWTH_BYTES_MIN = 32 * 1_024 * 1_024
const LARGE_INTERVAL_MS_MIN = 10_000
/** Buffers are freed by other threads after a collection. */
const TRIM_DELAY_MS = 500

export interface IdleCollectionOptions {
  readonly quietMs?: number
  /** Before that, only much garbage is collected. */
  readonly firstMs?: number
  /**
   * Nothing is collected while there are other threads: V8 keeps their heap pages, when they end, until a collection.
   */
  readonly hasThreads?: () => boolean
  /** Returns free memory of the allocator to the system. */
  readonly trim?: () => Promise<void>
  /** Takes what the program has used of its executable out of the resident memory. */
  readonly dropPages?: () => Promise<void>
  /** Garbage was collected: the process is at work. */
  readonly onCollected?: () => void
}

/**
 * Collects all garbage once the process is idle, and returns free pages of the heap and the allocator to the system. V8
 * does so for its heap only, one to two minutes later: until then an idle device takes 93 (Node 24) or 101 MiB (Node
 * 26) instead of 86.
 */
export class IdleCollection implements Disposable {
  readonly #observer: PerformanceObserver
  readonly #quietMs: number
  readonly #firstMs: number
  readonly #hasThreads: () => boolean
  readonly #trim: () => Promise<void>
  readonly #dropPages: () => Promise<void>
  readonly #startTimer: NodeJS.Timeout
  #timer: NodeJS.Timeout | undefined
  /** Not postponed by garbage that is collected meanwhile, as the other one is. */
  #endedTimer: NodeJS.Timeout | undefined
  #lastMs = Number.NEGATIVE_INFINITY
  /** Size of the heap after the last collection. V8 counts garbage as used: only growth indicates garbage. */
  #collectedBytes = 0
  /** Own resident memory after that. */
  #residentBytes = ownResidentBytes()
  /** Event loop utilization when the current wait began. */
  #utilization = performance.eventLoopUtilization()
  /**
   * What Node queues for a callback of `nextTick`. Without one of its kind a full collection discards the hidden class
   * of these objects, and V8 stores into all later ones by name: a tenth of the processor time of a busy server.
   */
  readonly #ticks: object[] = []

  constructor(options: IdleCollectionOptions = {}) {
    const { quietMs = QUIET_MS, firstMs = FIRST_MS, hasThreads = () => false } = options
    const { trim = async () => {}, dropPages = async () => {}, onCollected = () => {} } = options
    this.#quietMs = quietMs
    this.#firstMs = performance.now() + firstMs
    this.#trim = trim
    this.#dropPages = dropPages
    this.#startTimer = setTimeout(() => {
      dropPages().catch(() => {}) // they stay
    }, STARTED_MS).unref()
    this.#hasThreads = hasThreads
    process.nextTick(() => void this.#ticks.push(executionAsyncResource()))
    this.#observer = new PerformanceObserver(() => {
      this.#wait(quietMs)
      onCollected()
    })
    this.#observer.observe({ entryTypes: ['gc'] })
    this.#wait(quietMs)
  }

  [Symbol.dispose](): void {
    this.#ticks.length = 0
    for (const timer of [this.#startTimer, this.#timer, this.#endedTimer]) clearTimeout(timer)
    this.#observer.disconnect()
  }

  /**
   * To be called when the last thread has ended: what it leaves does not show in the size of the heap. A scan leaves
   * much, and requests that follow it at once would keep it resident while they last.
   */
  threadsEnded(): void {
    this.#collectedBytes = 0
    this.#wait(this.#quietMs)
    clearTimeout(this.#endedTimer)
    this.#endedTimer = setTimeout(() => this.#collectIfLarge(), this.#quietMs).unref()
  }

  #wait(delayMs: number): void {
    clearTimeout(this.#timer)
    this.#utilization = performance.eventLoopUtilization()
    this.#timer = setTimeout(() => this.#collectIfIdle(), delayMs).unref()
  }

  #collectIfLarge(): void {
    if (this.#hasThreads() || !this.#growth().isLarge) return
    this.#collectAt(LARGE_INTERVAL_MS_MIN)
  }

  #collectIfIdle(): void {
    if (this.#hasThreads()) return // until threadsEnded
    const { isSmall, isLarge } = this.#growth()
    if (isSmall) return
    const untilFirstMs = isLarge ? 0 : this.#firstMs - performance.now()
    if (untilFirstMs > 0) {
      this.#trim().catch(() => {}) // half a millisecond for 2 MiB
      return this.#wait(untilFirstMs)
    }
    if (this.#isBusy) return this.#wait(this.#quietMs)
    this.#collectAt(isLarge ? LARGE_INTERVAL_MS_MIN : INTERVAL_MS_MIN)
  }

  get #isBusy(): boolean {
    return performance.eventLoopUtilization(this.#utilization).utilization > BUSY_SHARE_MAX
  }

  #growth(): { readonly isSmall: boolean; readonly isLarge: boolean } {
    const { heapTotal: heapBytes } = process.memoryUsage()
    const residentBytes = ownResidentBytes()
    this.#collectedBytes = Math.min(this.#collectedBytes, heapBytes) // V8 has collected by itself
    this.#residentBytes = Math.min(this.#residentBytes, residentBytes)
    const grownBytes = residentBytes - this.#residentBytes
    const isSmall = heapBytes - this.#collectedBytes < GROWTH_BYTES_MIN && grownBytes < RESIDENT_GROWTH_BYTES_MIN
    return { isSmall, isLarge: grownBytes >= LARGE_GROWTH_BYTES_MIN }
  }

  /** Now, or as soon as so much time has passed since the last collection. */
  #collectAt(intervalMsMin: number): void {
    const sinceMs = performance.now() - this.#lastMs
    if (sinceMs < intervalMsMin) return this.#wait(intervalMsMin - sinceMs)
    this.#lastMs = performance.now()
    this.#collect().catch(() => {}) // no inspector: V8 returns the memory by itself, later
  }

  async #collect(): Promise<void> {
    const wasBusy = this.#isBusy
    await collectAll()
    const collectedBytes = process.memoryUsage().heapTotal
    await setTimeoutAsync(TRIM_DELAY_MS, undefined, { ref: false })
    await this.#trim()
    await this.#dropPages()
    if (wasBusy) return // what a busy process still has is collected again when it is idle
    this.#collectedBytes = collectedBytes
    this.#residentBytes = ownResidentBytes()
  }
}

/** Without pages of files: those of the executable come and go. */
function ownResidentBytes(): number {
  const { bytes, ofFilesBytes } = residentNow()
  return bytes - ofFilesBytes
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
