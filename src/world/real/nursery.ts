import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Both halves together. */
const NURSERY_BYTES_MAX = 16 * 1024 * 1024
/** How V8 starts. */
const GROWING = '--semi-space-growth-factor=2'
const STEADY = '--semi-space-growth-factor=1'

/**
 * Keeps the part of the heap where objects are born from growing further. During a scan V8 would let it grow to 128 MiB,
 * for no gain: of 200,000 files the first scan took as long, with a peak of 165 MiB instead of 238. The size can be
 * given to a process when it starts, but not every start is ours; what can be told later is the factor it grows by.
 * Asked after each collection, because V8 makes it small again in quiet times.
 */
export class NurseryLimit implements Disposable {
  readonly #observer: PerformanceObserver
  #steady = false
  #holds = 0

  constructor() {
    this.#observer = new PerformanceObserver(() => this.#look())
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  /**
   * Leaves V8 as it starts until the returned function is called. Compiled code that was kept is used only under the
   * settings it was made with: a thread that starts under others compiles all of Node again, for 90 ms.
   */
  hold(): () => void {
    this.#holds++
    this.#set(false)
    let held = true
    return () => {
      if (held) this.#holds--
      held = false
    }
  }

  [Symbol.dispose](): void {
    this.#observer.disconnect()
  }

  #look(): void {
    if (this.#holds > 0) return
    const nursery = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
    this.#set((nursery?.space_size ?? 0) >= NURSERY_BYTES_MAX)
  }

  #set(steady: boolean): void {
    if (steady === this.#steady) return
    this.#steady = steady
    setFlagsFromString(steady ? STEADY : GROWING)
  }
}
