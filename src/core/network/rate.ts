/** Burst size after an idle period. */
export const BURST_BYTES = 512 * 1024

/**
 * A token bucket. The reserve may become negative; the next caller then waits until it is refilled, so that a write of
 * any size passes and the mean rate still holds.
 */
export interface Bucket {
  /** 0 is no limit. */
  readonly bytesPerS: number
  readonly reserveBytes: number
  readonly atMs: number
}

export function fullBucket(bytesPerS: number, nowMs: number): Bucket {
  return { bytesPerS, reserveBytes: BURST_BYTES, atMs: nowMs }
}

/** The bucket at the current time. */
function refill(bucket: Bucket, nowMs: number): Bucket {
  const passedMs = Math.max(0, nowMs - bucket.atMs)
  const reserveBytes = Math.min(BURST_BYTES, bucket.reserveBytes + (bucket.bytesPerS * passedMs) / 1_000)
  return { ...bucket, reserveBytes, atMs: nowMs }
}

/** The delay until bytes may be taken; 0 when they may be taken now. */
export function delayMs(bucket: Bucket, nowMs: number): number {
  if (bucket.bytesPerS <= 0) return 0
  const { reserveBytes } = refill(bucket, nowMs)
  return reserveBytes > 0 ? 0 : Math.max(1, Math.ceil(((1 - reserveBytes) * 1_000) / bucket.bytesPerS))
}

export function takeBytes(bucket: Bucket, bytes: number, nowMs: number): Bucket {
  const now = refill(bucket, nowMs)
  return { ...now, reserveBytes: now.reserveBytes - bytes }
}

/** The same bucket with another rate. A negative reserve is reset, so that the new rate applies at once. */
export function withRate(bucket: Bucket, bytesPerS: number, nowMs: number): Bucket {
  if (bytesPerS === bucket.bytesPerS) return bucket
  const now = bucket.bytesPerS <= 0 ? fullBucket(bytesPerS, nowMs) : refill(bucket, nowMs)
  return { ...now, bytesPerS, reserveBytes: Math.max(0, now.reserveBytes) }
}
