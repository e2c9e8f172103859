export type Strength = 'weak' | 'fair' | 'strong'

const FAIR_BITS = 50
const STRONG_BITS = 75
/** Letters and digits that are not confused with each other: a password is also typed from paper. */
const ALPHABET = 'abcdefghijkmnpqrstuvwxyz23456789'
const GROUPS = 5
const GROUP_LENGTH = 5

/** An estimate from above: common words and patterns are not recognized, except for repeated characters. */
export function strengthOf(password: string): Strength {
  const characters = [...password]
  const kinds = [/\p{Ll}/u, /\p{Lu}/u, /\p{Nd}/u, /[^\p{L}\p{Nd}]/u].filter((kind) => kind.test(password)).length
  const fresh = characters.filter((char, i) => char !== characters[i - 1]).length
  const length = Math.min(fresh, 2 * new Set(characters).size)
  const bits = length * Math.log2(10 + 16 * kinds)
  return bits >= STRONG_BITS ? 'strong' : bits >= FAIR_BITS ? 'fair' : 'weak'
}

/** A strong password of `PASSWORD_BYTES` random bytes. */
export function passwordFrom(bytes: Uint8Array): string {
  return groupedPassword([...bytes].map((byte) => ALPHABET[byte % ALPHABET.length]).join(''))
}

/** In groups that are easily copied by hand. */
export function groupedPassword(text: string): string {
  return Array.from({ length: GROUPS }, (_, i) => text.slice(i * GROUP_LENGTH, (i + 1) * GROUP_LENGTH)).join('-')
}

export const PASSWORD_BYTES = GROUPS * GROUP_LENGTH
