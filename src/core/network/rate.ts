/** What may go through at once after a silence. */
export const BURST_BYTES = 512 * 1024

/**
 * So many bytes a second, with a reserve for bursts. Bytes that are taken before they are there make a debt, which the
 * next one waits for: no piece is too large, and the mean holds all the same.
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

/** The bucket as it stands now. */
function refill(bucket: Bucket, nowMs: number): Bucket {
  const passedMs = Math.max(0, nowMs - bucket.atMs)
  const reserveBytes = Math.min(BURST_BYTES, bucket.reserveBytes + (bucket.bytesPerS * passedMs) / 1_000)
  return { ...bucket, reserveBytes, atMs: nowMs }
}

/** How long to wait until something may be taken; 0 when it may be now. */
export function delayMs(bucket: Bucket, nowMs: number): number {
  if (bucket.bytesPerS <= 0) return 0
  const { reserveBytes } = refill(bucket, nowMs)
  return reserveBytes > 0 ? 0 : Math.max(1, Math.ceil(((1 - reserveBytes) * 1_000) / bucket.bytesPerS))
}

export function take(bucket: Bucket, bytes: number, nowMs: number): Bucket {
  if (bucket.bytesPerS <= 0) return bucket
  const now = refill(bucket, nowMs)
  return { ...now, reserveBytes: now.reserveBytes - bytes }
}

/** The same bucket with another rate. A debt made under a low rate is forgiven: the change shall be felt at once. */
export function withRate(bucket: Bucket, bytesPerS: number, nowMs: number): Bucket {
  if (bytesPerS === bucket.bytesPerS) return bucket
  const now = bucket.bytesPerS <= 0 ? fullBucket(bytesPerS, nowMs) : refill(bucket, nowMs)
  return { ...now, bytesPerS, reserveBytes: Math.max(0, now.reserveBytes) }
}
