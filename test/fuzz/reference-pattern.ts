const PREFIX = /^(?:!|\(\?i\)|\(\?d\))/
/** Letters, `*`, `**`, `?` and single slashes inside: what can be translated without knowing the code under test. */
const SIMPLE = /^\/?(?:[\w.-]|\?|\*{1,2}(?!\*))(?:[\w.-]|\?|\*{1,2}(?!\*)|\/(?!\/))*(?<!\/)$/
/** A class, and alternatives without wildcards; both are a letter to `SIMPLE`. */
const CLASS = /\[!?(?:[a-zA-Z0-9]-[a-zA-Z0-9]|[a-zA-Z0-9]+)\]/
const CHOICE = `(?:[\\w.-]|${CLASS.source})+`
const PARTS = new RegExp(`\\{${CHOICE}(?:,${CHOICE})*\\}|${CLASS.source}`, 'g')
const WILDCARDS_MAX = 4

/** One line of an ignore file as a regular expression, by the documentation of Syncthing; slow and short. */
export class ReferencePattern {
  /** False for a line with anything else: it is not translated. */
  readonly isSimple: boolean
  readonly #expression: RegExp | undefined
  readonly #isFolded: boolean

  constructor(line: string) {
    const seen = new Set<string>()
    let text = line
    for (let prefix = PREFIX.exec(text)?.[0]; prefix !== undefined; prefix = PREFIX.exec(text)?.[0]) {
      if (seen.has(prefix)) break
      seen.add(prefix)
      text = text.slice(prefix.length)
    }
    const plain = text.replace(PARTS, 'x')
    const wildcards = (text.match(/\*+/g) ?? []).length
    // How alternatives combine with `**` is not documented.
    const isCombined = plain !== text && text.includes('**')
    this.isSimple =
      SIMPLE.test(plain) && wildcards <= WILDCARDS_MAX && !/\*{3}/.test(text) && !isCombined && isOrdered(text)
    this.#isFolded = seen.has('(?i)')
    if (this.isSimple) this.#expression = new RegExp(expressionOf(this.#isFolded ? text.toLowerCase() : text), 'su')
  }

  matches(name: string): boolean {
    return this.#expression?.test(this.#isFolded ? name.toLowerCase() : name) === true
  }
}

/**
 * A pattern covers what is below what it matches; without a leading slash it begins in any directory. Two texts around
 * a single `**` may overlap, as in Syncthing: `ab**bc` matches `abc`.
 */
function expressionOf(text: string): string {
  const isRooted = text.startsWith('/')
  const pattern = isRooted ? text.slice(1) : text.startsWith('**/') ? text.slice(3) : text
  const around = /^([^*?]+)\*\*([^*?]+)$/.exec(pattern)
  const overlapping = around === null ? '' : `|^(?=${escaped(around[1]!)}).*${escaped(around[2]!)}$`
  const body = pattern.replace(/\*\*|\[!?|[*?.{},]/g, (sign) => SIGNS[sign] ?? `\\${sign}`)
  return `^${isRooted ? '' : '(?:.*/)?'}${body}(?:/.*)?$${overlapping}`
}

const SIGNS: Readonly<Record<string, string>> = {
  '**': '.*',
  '*': '[^/]*',
  '?': '[^/]',
  '{': '(?:',
  ',': '|',
  '}': ')',
  '[': '[',
  '[!': '[^/',
}

/** Every range has its ends in order, also in lower case; others are refused. */
function isOrdered(text: string): boolean {
  return [...text.matchAll(/\[!?(.)-(.)\]/g)].every(
    ([, low, high]) => low! <= high! && low!.toLowerCase() <= high!.toLowerCase(),
  )
}

function escaped(text: string): string {
  return text.replaceAll('.', '\\.')
}
