/** Characters that could give a value a special meaning if the program passes its arguments to a shell. */
const MIXED_WITH = /[`"'<>;!#$&*?\s]/
const PLACEHOLDERS = ['%FOLDER_PATH%', '%FILE_PATH%', '%FOLDER_FILESYSTEM%'] as const

export type CommandValues = Readonly<Record<(typeof PLACEHOLDERS)[number], string>>

export type SplitCommand =
  | { readonly kind: 'words'; readonly words: readonly [program: string, ...rest: string[]] }
  | { readonly kind: 'refused'; readonly reason: string }

/**
 * Splits a command line into words as a shell does, without other shell features: quotes group, a backslash escapes the
 * next character. Values are inserted after splitting, so that no file name adds a word. Never throws.
 */
export function splitCommand(command: string, values: CommandValues): SplitCommand {
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

function refused(reason: string): SplitCommand {
  return { kind: 'refused', reason }
}

/** In one pass: placeholders inside a value are not replaced. */
function replaceAll(word: string, values: CommandValues): string {
  return word.replace(/%(?:FOLDER_PATH|FILE_PATH|FOLDER_FILESYSTEM)%/g, (found) => {
    const placeholder = PLACEHOLDERS.find((each) => each === found)
    return placeholder === undefined ? found : values[placeholder]
  })
}

/** Undefined for an unclosed quote or a trailing backslash. */
function splitWords(text: string): readonly string[] | undefined {
  const words: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let i = 0; i < text.length; i++) {
    const character = text[i]!
    if (character === '\\' && quote !== "'") {
      const next = text[++i]
      if (next === undefined) return undefined
      // Within double quotes a backslash is special only before characters that are special there.
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
