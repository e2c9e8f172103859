import { messageOf, TwinfoldError } from '../errors.ts'
import { GlobAutomaton, type PatternPlace } from './ignore-automaton.ts'
import { literalOf, parseGlob, variantsOf, type GlobItem, type GlobNode, type GlobTail } from './ignore-glob.ts'
import { trimLine } from './ignore-include.ts'
import { OverlapIndex, SimplePatternIndex } from './ignore-index.ts'

/** The result of matching one path. */
export interface IgnoreMatch {
  readonly ignored: boolean
  /** `(?d)`: may be removed when it prevents the removal of its directory. */
  readonly deletable: boolean
  /** For an ignored directory: nothing below it can be un-ignored, so it need not be scanned. */
  readonly maySkip: boolean
}

const SYNCED: IgnoreMatch = { ignored: false, deletable: false, maySkip: false }

/** The patterns that a selection wrote into an ignore file, as opposed to those of the user. */
export interface SectionPatterns {
  readonly patterns: ReadonlySet<string>
  /** The removal of dropped items has begun and not ended. */
  readonly isRemoving: boolean
}

interface Pattern {
  readonly unignore: boolean
  readonly fold: boolean
  readonly deletable: boolean
  /** The glob with its leading slash, if any; lower case when `fold` is set. */
  readonly text: string
  /** The original text of the line. */
  readonly source: string
}

/** The rules for one case mode: paths unchanged, or in lower case. */
interface View {
  readonly simple: SimplePatternIndex
  readonly general: GlobAutomaton
  readonly around: OverlapIndex
}

function emptyView(): View {
  return { simple: new SimplePatternIndex(), general: new GlobAutomaton(), around: new OverlapIndex() }
}

/** The patterns of one folder, in order: the first that matches a path decides. */
export class IgnoreRules {
  /** The effective lines, without comments and includes: parsing them again gives the same rules. */
  readonly lines: readonly string[]
  /** Every pattern as `GET /rest/db/ignores` returns it. */
  readonly expanded: readonly string[]
  /** Of the selection; undefined where all patterns are the user's. */
  readonly section: SectionPatterns | undefined
  readonly #exact = emptyView()
  readonly #folded = emptyView()
  readonly #results: IgnoreMatch[] = []
  #anyFolded = false

  /** Lines of an ignore file with its includes expanded. Throws `ignore-invalid` with the line. */
  constructor(text: readonly string[], section?: SectionPatterns) {
    this.section = section
    this.lines = [...new Set(text.map(trimLine))].filter((line) => line !== '' && !line.startsWith('//'))
    const patterns = this.lines.map(parseLine)
    this.expanded = patterns.flatMap(expand)
    let skippable = true
    patterns.forEach((pattern, line) => {
      if (pattern.unignore && !allowsSkipping(pattern)) skippable = false
      const ignored = !pattern.unignore
      this.#results.push({ ignored, deletable: pattern.deletable, maySkip: ignored && skippable })
      this.#anyFolded ||= pattern.fold
      addPattern(pattern.fold ? this.#folded : this.#exact, pattern, line)
    })
  }

  /** `name` is relative to the folder root, slash-separated, in NFC. Never throws. */
  match(name: string): IgnoreMatch {
    return this.#results[this.#deciding(name)] ?? SYNCED
  }

  /** Whether a name is ignored because of the selection. */
  isDropped(name: string): boolean {
    if (this.section === undefined || !this.match(name).ignored) return false
    return this.section.patterns.has(this.lines[this.#deciding(name)] ?? '')
  }

  /** Whether these are the same patterns in the same order. */
  hasLines(lines: readonly string[]): boolean {
    return lines.length === this.lines.length && lines.every((line, i) => line === this.lines[i])
  }

  /** The effective lines without those of the selection. */
  get userLines(): readonly string[] {
    const { section } = this
    return section === undefined ? this.lines : this.lines.filter((line) => !section.patterns.has(line))
  }

  /** The index in `lines` of the pattern that decides on a name; undefined when none matches. */
  decidingLine(name: string): number | undefined {
    const line = this.#deciding(name)
    return line < this.#results.length ? line : undefined
  }

  /** The cost of all matches so far, for tests: groups of 32 automaton positions, and overlaps, that were visited. */
  get steps(): number {
    return [this.#exact, this.#folded].reduce((sum, { general, around }) => sum + general.steps + around.steps, 0)
  }

  #deciding(name: string): number {
    const none = this.#results.length
    if (none === 0) return none
    const line = firstMatch(this.#exact, name, none)
    return this.#anyFolded ? firstMatch(this.#folded, name.toLowerCase(), line) : line
  }
}

function firstMatch(view: View, path: string, limit: number): number {
  return view.around.first(path, view.general.first(path, view.simple.first(path, limit)))
}

const PREFIX = /^(?:!|\(\?i\)|\(\?d\))/

function parseLine(line: string): Pattern {
  const seen = new Set<string>()
  let text = line
  for (;;) {
    const prefix = PREFIX.exec(text)?.[0]
    if (prefix === undefined || seen.has(prefix)) break
    seen.add(prefix)
    text = text.slice(prefix.length)
  }
  const fold = seen.has('(?i)')
  const unignore = seen.has('!')
  text = (fold ? text.toLowerCase() : text).normalize('NFC')
  try {
    if (text === '') throw new Error('missing pattern')
    parseGlob(text)
  } catch (error) {
    throw invalidPattern(line, error)
  }
  return { unignore, fold, deletable: seen.has('(?d)') && !unignore, text, source: line }
}

/** Limit of a line in an error message. */
const SHOWN_MAX = 300

function invalidPattern(line: string, error: unknown): TwinfoldError {
  const shown = line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX)}...` : line
  const message = `invalid pattern ${JSON.stringify(shown)} in ignore file: parse error: ${messageOf(error)}`
  return new TwinfoldError('ignore-invalid', message)
}

function expand(pattern: Pattern): string[] {
  const { text } = pattern
  const marks = `${pattern.deletable ? '(?d)' : ''}${pattern.fold ? '(?i)' : ''}${pattern.unignore ? '!' : ''}`
  const withContents = text.endsWith('/**') ? [text] : text.endsWith('/') ? [`${text}**`] : [text, `${text}/**`]
  return withContents
    .flatMap((one) => {
      if (one.startsWith('/')) return [one]
      return one.startsWith('**/') ? [one, one.slice(3)] : [one, `**/${one}`]
    })
    .map((one) => marks + one)
}

/** An un-ignored name directly in the root does not affect deeper names, so ignored directories are still skipped. */
function allowsSkipping({ text }: Pattern): boolean {
  if (!text.startsWith('/')) return false
  const name = text.slice(1).replace(/\/(\*\*)?$/, '')
  return !name.includes('/') && !name.replace(/\*\*$/, '').includes('**')
}

/** Where a pattern may start, its text, and whether it matches the item itself or only its contents. */
function anatomy(pattern: Pattern): { rooted: boolean; body: string; tail: GlobTail } {
  let body = pattern.text.endsWith('/') ? `${pattern.text}**` : pattern.text
  const rooted = body.startsWith('/')
  if (rooted) body = body.slice(1)
  else if (body.startsWith('**/')) body = body.slice(3)
  return body.endsWith('/**') ? { rooted, body: body.slice(0, -3), tail: 'contents' } : { rooted, body, tail: 'tree' }
}

function addPattern(view: View, pattern: Pattern, line: number): void {
  const { rooted, body, tail } = anatomy(pattern)
  try {
    const nodes = parseGlob(body)
    for (const items of variantsOf(nodes)) addVariant(view, items, { rooted, tail, line })
    const around = tail === 'tree' ? textsAround(nodes) : undefined
    if (around !== undefined) view.around.add(...around, line) // at most two
  } catch (error) {
    throw invalidPattern(pattern.source, error)
  }
}

function addVariant(view: View, items: readonly GlobItem[], place: PatternPlace): void {
  const { rooted, tail, line } = place
  const lines = { itself: tail === 'tree' ? line : Infinity, below: line, rooted }
  const literal = literalOf(items)
  if (literal !== undefined && view.simple.addLiteral(literal, lines)) return
  const [first, second, third] = items
  if (!rooted && third === undefined && first !== undefined && second !== undefined) {
    if (first.kind === 'star' && isName(second)) return view.simple.addEnding(second.text, lines)
    if (second.kind === 'star' && isName(first)) return view.simple.addBeginning(first.text, lines)
  }
  view.general.add(items, place)
}

function isName(item: GlobItem): item is Extract<GlobItem, { kind: 'literal' }> {
  return item.kind === 'literal' && !item.text.includes('/')
}

function textsAround(nodes: readonly GlobNode[]): readonly [string, string] | undefined {
  const [start, middle, end, more] = nodes
  if (more !== undefined || middle?.kind !== 'double-star') return undefined
  return start?.kind === 'literal' && end?.kind === 'literal' ? [start.text, end.text] : undefined
}
