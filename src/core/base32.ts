/** RFC 4648, without padding. */
export const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
/** The extended hex alphabet, which keeps the order of the bytes. */
export const BASE32_HEX = '0123456789ABCDEFGHIJKLMNOPQRSTUV'

const BITS = 5

export function encodeBase32(bytes: Uint8Array, alphabet: string): string {
  let text = ''
  let bits = 0
  let value = 0
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff
    bits += 8
    for (; bits >= BITS; bits -= BITS) text += alphabet[(value >> (bits - BITS)) & 31]
  }
  return bits > 0 ? text + alphabet[(value << (BITS - bits)) & 31] : text
}

/** Undefined if a character is not in the alphabet. Bits that fill no byte are dropped. */
export function decodeBase32(text: string, alphabet: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * BITS) / 8))
  let at = 0
  let bits = 0
  let value = 0
  for (const character of text) {
    const digit = alphabet.indexOf(character)
    if (digit < 0) return undefined
    value = ((value << BITS) | digit) & 0xfff
    bits += BITS
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = (value >> bits) & 0xff
  }
  return bytes
}
