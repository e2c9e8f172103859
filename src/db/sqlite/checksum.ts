const PRIME = 0x01000193
export const CHECKSUM_START = 0x811c9dc5 | 0

/**
 * Checksums of row contents: they detect flipped bits on the disk. SQLite itself returns damaged content as long as
 * its page structure is intact. Every step maps different inputs to different outputs, so damage in one place is
 * always detected. The checksum protects against accidents, not against attackers.
 */
export function mixText(sum: number, text: string): number {
  const { length } = text
  let mixed = Math.imul(sum ^ length, PRIME)
  // Two characters per step, because this runs over every name of every scan.
  const even = length & ~1
  for (let i = 0; i < even; i += 2) {
    mixed = Math.imul(mixed ^ text.charCodeAt(i) ^ (text.charCodeAt(i + 1) << 16), PRIME)
  }
  if (even < length) mixed = Math.imul(mixed ^ text.charCodeAt(even), PRIME)
  return mixed ^ (mixed >>> 15)
}

/** For whole numbers up to 2^53, negative ones included. */
export function mixNumber(sum: number, value: number): number {
  const low = Math.imul(sum ^ (value | 0), PRIME)
  const mixed = Math.imul(low ^ (low >>> 13) ^ (Math.floor(value / 0x1_0000_0000) | 0), PRIME)
  return mixed ^ (mixed >>> 16)
}

export function mixBytes(sum: number, bytes: Uint8Array): number {
  let mixed = Math.imul(sum ^ bytes.length, PRIME)
  for (const byte of bytes) mixed = Math.imul(mixed ^ byte, PRIME)
  return mixed ^ (mixed >>> 15)
}

const DIGEST_LIMIT = 2 ** 48

/** The checksum of a whole table is the sum of its row checksums, so that each change updates it incrementally. */
export function addToDigest(digest: number, rowSum: number): number {
  return (digest + (rowSum >>> 0)) % DIGEST_LIMIT
}

export function removeFromDigest(digest: number, rowSum: number): number {
  return (digest + DIGEST_LIMIT - (rowSum >>> 0)) % DIGEST_LIMIT
}
