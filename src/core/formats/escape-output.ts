/** Characters that could move the cursor, colour the screen, reorder a line or be invisible in it. */
export const UNSAFE =
  /[\p{Cc}\p{Cs}\u{00AD}\u{061C}\u{200B}\u{200E}\u{200F}\u{2028}-\u{202E}\u{2060}-\u{2069}\u{FEFF}]/gu

/** Escapes them in whole output as JSON does, so that JSON stays valid; line ends and tabs are kept. */
export function escapeOutput(text: string): string {
  return text.replace(UNSAFE, (character) =>
    character === '\n' || character === '\t'
      ? character
      : `\\u${character.codePointAt(0)!.toString(16).padStart(4, '0')}`,
  )
}
