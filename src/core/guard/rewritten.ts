/** Of each sampled file this much is read. */
export const SAMPLE_BYTES = 4_096
export const SAMPLES_MAX = 32

const FILES_MIN = 20
/** Most files, and not a part that a user converts to another format. */
const SHARE_MIN = 0.5
/** Of eight bits per byte: compressed and encrypted data have more, text and documents less. */
const BITS_MIN = 7.5
const SAMPLES_SHARE_MIN = 0.8

/** Whether most files of a folder were replaced by files of another extension. */
export function isMassRewrite(replaced: number, files: number): boolean {
  return replaced >= FILES_MIN && replaced >= files * SHARE_MIN
}

/** Whether most samples are as random as encrypted data. Short ones show nothing. */
export function looksEncrypted(samples: readonly Uint8Array[]): boolean {
  const long = samples.filter(({ length }) => length >= SAMPLE_BYTES / 4)
  if (long.length === 0) return false
  return (
    long.filter((sample) => entropyBits(sample) >= bitsMin(sample.length)).length >= long.length * SAMPLES_SHARE_MIN
  )
}

/** A short sample of random bytes has less entropy: it has not every value as often. */
function bitsMin(length: number): number {
  return length >= SAMPLE_BYTES ? BITS_MIN : BITS_MIN - 0.3
}

/** Entropy in bits per byte, from 0 to 8. */
function entropyBits(data: Uint8Array): number {
  const counts = new Uint32Array(256)
  for (const byte of data) counts[byte]!++
  let bits = 0
  for (const count of counts) if (count > 0) bits -= (count / data.length) * Math.log2(count / data.length)
  return bits
}
