/** The levels of buckets. Minutes cover six hours, hours five weeks, days three months. */
export const SERIES_LEVELS = {
  minute: { stepMs: 60_000, slots: 360 },
  hour: { stepMs: 3_600_000, slots: 840 },
  day: { stepMs: 86_400_000, slots: 91 },
} as const

export type SeriesLevel = keyof typeof SERIES_LEVELS
export const LEVEL_NAMES = ['minute', 'hour', 'day'] as const satisfies readonly SeriesLevel[]

/** How figures of one bucket are joined. */
export type Joining = 'sum' | 'max' | 'last'

/**
 * The latest buckets of one level. A bucket is numbered by its start in UTC divided by the step, so that daylight
 * saving time changes nothing. Those without a figure are NaN.
 */
export interface Ring {
  /** The number of the latest bucket; -1 while there is none. */
  last: number
  readonly values: Float32Array
}

export function makeRing(level: SeriesLevel): Ring {
  return { last: -1, values: new Float32Array(SERIES_LEVELS[level].slots).fill(Number.NaN) }
}

/** The number of the bucket that contains a moment. */
export function bucketAt(level: SeriesLevel, timeMs: number): number {
  return Math.floor(timeMs / SERIES_LEVELS[level].stepMs)
}

/** A figure for a bucket; one that is older than the ring reaches is dropped. */
export function addToRing(ring: Ring, bucket: number, value: number, joining: Joining): void {
  const { values } = ring
  const { length } = values
  if (bucket < 0 || (ring.last >= 0 && bucket <= ring.last - length)) return
  if (bucket > ring.last) {
    const empty = Math.min(length, ring.last < 0 ? length : bucket - ring.last)
    for (let back = 0; back < empty; back++) values[slotOf(bucket - back, length)] = Number.NaN
    ring.last = bucket
  }
  const slot = slotOf(bucket, length)
  values[slot] = joined(values[slot] ?? Number.NaN, value, joining)
}

/** Undefined where the bucket has no figure. */
export function bucketValue({ last, values }: Ring, bucket: number): number | undefined {
  if (last < 0 || bucket > last || bucket <= last - values.length) return undefined
  const value = values[slotOf(bucket, values.length)]
  return value === undefined || Number.isNaN(value) ? undefined : value
}

/** Removes the buckets after one: those that a clock made which was ahead, and has been set back. */
export function dropFuture(ring: Ring, bucket: number): void {
  if (ring.last <= bucket) return
  const { values } = ring
  const count = Math.min(values.length, ring.last - bucket)
  for (let back = 0; back < count; back++) values[slotOf(ring.last - back, values.length)] = Number.NaN
  // All that is left may be older than the ring reaches from here: then it is as before.
  ring.last = bucket
  if (count === values.length) ring.last = -1
}

export function isEmptyRing({ values }: Ring): boolean {
  return values.every(Number.isNaN)
}

function slotOf(bucket: number, slots: number): number {
  return ((bucket % slots) + slots) % slots
}

function joined(before: number, value: number, joining: Joining): number {
  if (Number.isNaN(before) || joining === 'last') return value
  return joining === 'sum' ? before + value : Math.max(before, value)
}
