/** Characters with which a value could mean more than itself, should the program hand its words to a shell. */
const MIXED_WITH = /[`"'<>;!#$&*?\s]/
const PLACEHOLDERS = ['%FOLDER_PATH%', '%FILE_PATH%', '%FOLDER_FILESYSTEM%'] as const

export type CommandValues = Readonly<Record<(typeof PLACEHOLDERS)[number], string>>

export type CommandWords =
  | { readonly kind: 'words'; readonly words: readonly [program: string, ...rest: string[]] }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * A command line as words, the way a shell splits it, without anything else a shell does: quotes group, a backslash
 * takes the next character as it is. Values are put in after splitting, so that no file name makes another word. Never
 * throws.
 */
export function commandWords(command: string, values: CommandValues): CommandWords {
  const words = splitWords(command)
  if (words === undefined) return refused('quotes in the command are not closed')
  const mixed = words.find(
    (word) => PLACEHOLDERS.some((placeholder) => word.includes(placeholder)) && MIXED_WITH.test(word),
  )
  if (mixed !== undefined)
    return refused(`a placeholder must not be mixed with special characters in one word: ${mixed}`)
  const [program, ...rest] = words.map((word) => replaceAll(word, values))
  if (program === undefined || program === '') return refused('command is empty')
  if ([program, ...rest].some((word) => word.includes('\0'))) return refused('command contains a NUL')
  return { kind: 'words', words: [program, ...rest] }
}

function refused(reason: string): CommandWords {
  return { kind: 'refused', reason }
}

/** In one pass: what a value brings along is not looked at again. */
function replaceAll(word: string, values: CommandValues): string {
  return word.replace(/%(?:FOLDER_PATH|FILE_PATH|FOLDER_FILESYSTEM)%/g, (found) => {
    const placeholder = PLACEHOLDERS.find((known) => known === found)
    return placeholder === undefined ? found : values[placeholder]
  })
}

/** Undefined where a quote is left open or a backslash has nothing after it. */
function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!
    if (character === '\\' && quote !== "'") {
      const next = text[++i]
      if (next === undefined) return undefined
      // Within double quotes a backslash is special only before what is special there.
      word = (word ?? '') + (quote === '"' && !'"\\$`'.includes(next) ? `\\${next}` : next)
    } else if (quote !== undefined) {
      if (character === quote) quote = undefined
      else word = (word ?? '') + character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (/\s/.test(character)) {
      if (word !== undefined) words.push(word)
      word = undefined
    } else word = (word ?? '') + character
  }
  if (quote !== undefined) return undefined
  if (word !== undefined) words.push(word)
  return words
}
