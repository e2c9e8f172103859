const HUES = 8

/** One of the colours of `tokens.css`, the same for an id wherever it is shown. */
export function hueOf(id: string): number {
  let sum = 0
  for (const character of id) sum = (sum * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  return sum % HUES
}
