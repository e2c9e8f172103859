/** A text of a stranger as one line that can be shown and logged: nothing unprintable, no more than this long. */
export function plainText(text: string, lengthMax: number): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim().slice(0, lengthMax).trim().toWellFormed()
}
