/** Untrusted text as one line for display and logs: printable characters only, limited length. */
export function plainText(text: string, lengthMax: number): string {
  return text
    .replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim()
    .slice(0, lengthMax)
    .trim()
    .toWellFormed()
}

/** The same for a text of several lines: line breaks are kept, consecutive empty lines are merged. */
export function plainLines(text: string, lengthMax: number): string {
  const lines = text.slice(0, 2 * lengthMax).split(/\r\n|[\n\r\p{Zl}\p{Zp}]/u)
  const shown = lines.map((line) => line.replace(/[\p{C}\t]+/gu, ' ').trimEnd()).join('\n')
  return shown
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .slice(0, lengthMax)
    .trim()
    .toWellFormed()
}
