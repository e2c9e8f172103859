const PRIME = 0x01000193
export const CHECKSUM_START = 0x811c9dc5 | 0

/**
 * Checksums of what a row holds, so that a flipped bit on the disk is noticed and never taken for a record. SQLite
 * itself would hand out damaged content as long as its page structure is whole. Every step maps different inputs to
 * different outputs, so damage in one place always shows. This is against accidents, not against people.
 */
export function mixText(sum: number, text: string): number {
  const { length } = text
  let mixed = Math.imul(sum ^ length, PRIME)
  // Two characters a step: this runs over every name of every scan.
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

/** The checksum of a whole table: that of its rows added up, so that it can follow each change at once. */
export function addToDigest(digest: number, rowSum: number): number {
  return (digest + (rowSum >>> 0)) % DIGEST_LIMIT
}

export function removeFromDigest(digest: number, rowSum: number): number {
  return (digest + DIGEST_LIMIT - (rowSum >>> 0)) % DIGEST_LIMIT
}
