import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'

/** Both halves together. */
const NURSERY_BYTES_MAX = 16 * 1024 * 1024
const GROWING = '--semi-space-growth-factor=2'
const STEADY = '--semi-space-growth-factor=1'

/**
 * Keeps the part of the heap where objects are born from growing further. During a scan V8 would let it grow to 128 MiB,
 * for no gain: of 200,000 files the first scan took as long, with a peak of 165 MiB instead of 238. The size can be
 * given to a process when it starts, but not every start is ours; what can be told later is the factor it grows by.
 * Asked after each collection, because V8 makes it small again in quiet times.
 */
export function limitNursery(): Disposable {
  let steady = false
  const observer = new PerformanceObserver(() => {
    const nursery = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
    const isLarge = (nursery?.space_size ?? 0) >= NURSERY_BYTES_MAX
    if (isLarge === steady) return
    steady = isLarge
    setFlagsFromString(steady ? STEADY : GROWING)
  })
  observer.observe({ entryTypes: ['gc'] })
  return { [Symbol.dispose]: () => observer.disconnect() }
}
