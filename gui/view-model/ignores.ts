/** The lines of a text as the daemon expects them: without the empty ones at the end. */
export function ignoreLines(text: string): readonly string[] {
  const lines = text.split(/\r\n|\n|\r/)
  const last = lines.findLastIndex((line) => line !== '')
  return lines.slice(0, last + 1)
}

/** The same lines as one text, for an input field. */
export function ignoreText(lines: readonly string[] | null): string {
  return (lines ?? []).map((line) => `${line}\n`).join('')
}
