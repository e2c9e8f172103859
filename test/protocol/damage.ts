/** mulberry32: small, seedable, good enough to damage bytes. */
export function numbers(seed: number): (below: number) => number {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** Damaged bytes: changed, truncated, repeated, or random. */
export function damage(bytes: Uint8Array, random: (below: number) => number): Buffer {
  if (random(10) === 0) return Buffer.from(Array.from({ length: random(64) }, () => random(256)))
  const copy = Buffer.from(bytes)
  for (let i = random(4); i >= 0 && copy.length > 0; i--) copy[random(copy.length)] = random(256)
  if (random(4) === 0) return copy.subarray(0, random(copy.length + 1))
  if (random(4) === 0) return Buffer.concat([copy, copy.subarray(random(copy.length + 1))])
  return copy
}
