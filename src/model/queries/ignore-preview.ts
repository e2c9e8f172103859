import { TwinfoldError } from '../../core/errors.ts'
import { IgnoreRules } from '../../core/ignore/ignore.ts'
import { resolveIncludes, trimLine, type IncludeLookup } from '../../core/ignore/ignore-include.ts'
import type { Listing } from '../../db/types.ts'
import type { DiskNames } from './disk-names.ts'
import type { IgnoreChange, IgnorePreview, PreviewedLine } from './explorer-types.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'

const NAMES_MAX = 50_000
const WORK_MS_MAX = 500
const EXAMPLES_MAX = 5

/** The lines as rules, and the line of each rule. */
interface ParsedLines {
  readonly rules: IgnoreRules
  /** By index of the rule: the index of its line, which may be an include. */
  readonly origins: readonly (number | undefined)[]
}

interface Tally {
  matches: number
  readonly examples: string[]
}

/** Where the names of a folder come from. */
export interface NameSources {
  /** Undefined for a folder that never had one. */
  readonly listing: Pick<Listing, 'listNames'> | undefined
  readonly disk: DiskNames
}

/** Which names of a folder the lines of an ignore file would match, within limits of names and time. */
export async function previewIgnores(
  sources: NameSources,
  lines: readonly string[],
  lookup: IncludeLookup,
  slice: TimeSlice,
): Promise<IgnorePreview> {
  const tallies = lines.map((): Tally => ({ matches: 0, examples: [] }))
  const view = (): readonly PreviewedLine[] => tallies.map((tally, at) => ({ kind: kindOf(lines[at] ?? ''), ...tally }))
  const parsed = parseLines(lines, lookup)
  if ('error' in parsed) return { ...parsed, lines: view(), ignoredTotal: 0, checkedTotal: 0, truncated: false }
  const { rules, origins } = parsed
  let ignoredTotal = 0
  const check = (name: string): void => {
    const rule = rules.decidingLine(name)
    if (rule === undefined) return
    if (rules.match(name).ignored) ignoredTotal++
    const tally = tallies[origins[rule] ?? -1]
    if (tally !== undefined && ++tally.matches <= EXAMPLES_MAX) tally.examples.push(name)
  }
  const { checkedTotal, truncated } = await checkNames(sources, rules, check, slice)
  return { error: null, errorLine: null, lines: view(), ignoredTotal, checkedTotal, truncated }
}

/** Which names of a folder would be ignored, or not any more, by other rules. */
export async function compareIgnores(
  sources: NameSources,
  { from, to }: { readonly from: IgnoreRules; readonly to: IgnoreRules },
  slice: TimeSlice,
): Promise<IgnoreChange> {
  const [ignored, announced]: [Tally, Tally] = [
    { matches: 0, examples: [] },
    { matches: 0, examples: [] },
  ]
  const check = (name: string): void => {
    const is = to.match(name).ignored
    if (is === from.match(name).ignored) return
    const tally = is ? ignored : announced
    if (++tally.matches <= EXAMPLES_MAX) tally.examples.push(name)
  }
  const checked = await checkNames(sources, to, check, slice)
  return {
    ignoredTotal: ignored.matches,
    ignored: ignored.examples,
    announcedTotal: announced.matches,
    announced: announced.examples,
    ...checked,
  }
}

/** The names of the index, then those that only the disk has: ignored ones, and new ones. */
async function checkNames(
  { listing, disk }: NameSources,
  rules: IgnoreRules,
  check: (name: string) => void,
  slice: TimeSlice,
): Promise<Pick<IgnorePreview, 'checkedTotal' | 'truncated'>> {
  let checkedTotal = 0
  const known = new Map<string, string>()
  for (let start = listing === undefined ? undefined : ''; start !== undefined;) {
    const { found, next }: Awaited<ReturnType<Listing['listNames']>> = await listing!.listNames(start)
    for (const { name, type } of found) {
      if (checkedTotal >= NAMES_MAX || slice.workedMs > WORK_MS_MAX) return { checkedTotal, truncated: true }
      check(name)
      known.set(name, type)
      checkedTotal++
      if (slice.isDue) await slice.yield()
    }
    start = next
  }
  const onDisk = (name: string): void => {
    check(name)
    checkedTotal++
  }
  const isWhole = await disk.walk(rules, known, onDisk, slice)
  return { checkedTotal, truncated: !isWhole }
}

function parseLines(
  lines: readonly string[],
  lookup: IncludeLookup,
): ParsedLines | Pick<IgnorePreview, 'error' | 'errorLine'> {
  const rules = parseRules(lines, lookup)
  if (rules instanceof TwinfoldError) {
    const wrong = lines.findIndex((line) => parseRules([line], lookup) instanceof TwinfoldError)
    return { error: rules.message, errorLine: wrong === -1 ? null : wrong + 1 }
  }
  const origin = new Map<string, number>()
  lines.forEach((line, at) => {
    for (const each of isInclude(line) ? resolveIncludes([line], lookup) : [trimLine(line)]) {
      if (!origin.has(each)) origin.set(each, at)
    }
  })
  return { rules, origins: rules.lines.map((line) => origin.get(line)) }
}

/** A parse error is a result here, not a failure. */
function parseRules(lines: readonly string[], lookup: IncludeLookup): IgnoreRules | TwinfoldError {
  try {
    return new IgnoreRules(resolveIncludes(lines, lookup))
  } catch (error) {
    if (error instanceof TwinfoldError) return error
    throw error
  }
}

function kindOf(line: string): PreviewedLine['kind'] {
  const text = trimLine(line)
  if (text === '' || text.startsWith('//')) return 'other'
  if (isInclude(text)) return 'include'
  return /^(?:\(\?[id]\))*!/.test(text) ? 'keep' : 'ignore'
}

function isInclude(line: string): boolean {
  return trimLine(line).startsWith('#include')
}
