const PREFIX = /^(?:!|\(\?i\)|\(\?d\))/
/** Letters, `*`, `**`, `?` and single slashes inside: what can be translated without knowing the code under test. */
const SIMPLE = /^\/?(?:[\w.-]|\?|\*{1,2}(?!\*))(?:[\w.-]|\?|\*{1,2}(?!\*)|\/(?!\/))*(?<!\/)$/
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
    this.isSimple = SIMPLE.test(text) && (text.match(/\*+/g) ?? []).length <= WILDCARDS_MAX && !/\*{3}/.test(text)
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
  const body = pattern.replace(/\*\*|\*|\?|[.]/g, (sign) => {
    if (sign === '**') return '.*'
    return sign === '*' ? '[^/]*' : sign === '?' ? '[^/]' : `\\${sign}`
  })
  return `^${isRooted ? '' : '(?:.*/)?'}${body}(?:/.*)?$${overlapping}`
}

function escaped(text: string): string {
  return text.replaceAll('.', '\\.')
}
