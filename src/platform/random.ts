/** The only source of randomness: keys and tokens, jitter, shuffles. */
export interface Random {
  bytes(count: number): Uint8Array
  /** A whole number, 0 ≤ n < below, every one equally likely. */
  int(below: number): number
}

const READABLE = '2345679abcdefghijkmnopqrstuvwxyzACDEFGHJKLMNPQRSTUVWXYZ'

/** A text for keys and tokens, without easily confused characters. */
export function randomText(random: Random, length: number): string {
  let text = ''
  for (let i = 0; i < length; i++) text += READABLE[random.int(READABLE.length)]
  return text
}
