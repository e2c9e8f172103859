import { TwinfoldError } from '../core/errors.ts'

const BLANK = /[ \t\r\n]/

/**
 * Splits a line as a shell does: blanks between words, quotes of both kinds, backslashes. Nothing is expanded. Throws
 * `usage` for a quote that is not closed.
 */
export function splitShellWords(line: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let index = 0; index < line.length; index++) {
    const character = line[index]!
    if (character === '\\' && quote !== "'") {
      const next = line[++index]
      if (next === undefined) throw new TwinfoldError('usage', 'the line ends in the middle of an escape')
      const kept = quote === '"' && !'"\\$`'.includes(next) ? `\\${next}` : next
      word = (word ?? '') + kept
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined
      else word += character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (BLANK.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else {
      word = (word ?? '') + character
    }
  }
  if (quote !== undefined) throw new TwinfoldError('usage', `a ${quote} is not closed`)
  if (word !== undefined) words.push(word)
  return words
}

/** One argument as it is typed in a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
