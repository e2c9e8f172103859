/** How many conflicts are resolved at once. */
export type ConflictRule =
  | { readonly kind: 'newest' | 'oldest' | 'larger' | 'smaller' | 'both' }
  /** The version of the device with this short id. */
  | { readonly kind: 'device'; readonly device: string }

export const CONFLICT_RULES = ['newest', 'oldest', 'larger', 'smaller', 'device', 'both'] as const

/** One of the two files of a conflict. */
interface RuledSide {
  readonly sizeBytes: number
  /** As a time of RFC 3339. */
  readonly modified: string
  /** A short id. */
  readonly modifiedBy: string
  readonly hash: string
}

/** A conflict copy, and the file that it is a copy of. */
export interface RuledConflict extends RuledSide {
  readonly folder: string
  readonly name: string
  readonly original: string
  readonly file: RuledSide | null
}

/** What is done with each conflict; `left` are those for which the rule has no answer. */
export interface RuledConflicts<C> {
  readonly original: readonly C[]
  readonly copy: readonly C[]
  readonly both: readonly C[]
  readonly left: readonly C[]
}

/**
 * Applies a rule to conflicts. Of a file with several copies one version is kept; what the file already is needs no
 * rule. Without a file, or with two versions of the same rank, the rule has no answer. To be carried out in the order
 * of the fields: a copy that is removed was shown with the file that another copy replaces.
 */
export function applyRule<C extends RuledConflict>(conflicts: readonly C[], rule: ConflictRule): RuledConflicts<C> {
  const result = { original: [] as C[], copy: [] as C[], both: [] as C[], left: [] as C[] }
  for (const group of Map.groupBy(conflicts, ({ folder, original }) => `${folder}\0${original}`).values()) {
    const differing = group.filter(({ file, hash }) => file === null || file.hash !== hash)
    for (const conflict of group) if (!differing.includes(conflict)) result.original.push(conflict)
    if (differing.length === 0) continue
    if (rule.kind === 'both') {
      for (const conflict of differing) result.both.push(conflict)
      continue
    }
    const winner = winnerOf(differing, rule)
    for (const conflict of differing)
      result[winner === undefined ? 'left' : conflict === winner ? 'copy' : 'original'].push(conflict)
  }
  return result
}

/** The copy that is kept, or `file`; undefined where the rule has no answer. */
function winnerOf<C extends RuledConflict>(
  copies: readonly C[],
  rule: Exclude<ConflictRule, { readonly kind: 'both' }>,
): C | 'file' | undefined {
  const [first] = copies
  if (first === undefined || first.file === null) return undefined
  const sides = [{ of: 'file' as const, side: first.file }, ...copies.map((copy) => ({ of: copy, side: copy }))]
  const { kind } = rule
  if (kind === 'device') {
    const [found, ...more] = sides.filter(({ side }) => side.modifiedBy === rule.device)
    return more.length > 0 ? undefined : found?.of
  }
  const sign = kind === 'oldest' || kind === 'smaller' ? -1 : 1
  const rankOf = kind === 'larger' || kind === 'smaller' ? compareSizes : compareTimes
  const [best, second] = sides.toSorted((a, b) => sign * rankOf(b.side, a.side))
  return best !== undefined && second !== undefined && rankOf(best.side, second.side) === 0 ? undefined : best?.of
}

function compareSizes(a: RuledSide, b: RuledSide): number {
  return a.sizeBytes - b.sizeBytes
}

/** To the nanosecond, which a number of milliseconds has not. */
export function compareTimes(a: Pick<RuledSide, 'modified'>, b: Pick<RuledSide, 'modified'>): number {
  const ms = Date.parse(a.modified) - Date.parse(b.modified)
  return ms === 0 ? fraction(a.modified) - fraction(b.modified) : ms
}

function fraction(time: string): number {
  return Number(`0${/\.\d+/.exec(time)?.[0] ?? ''}`)
}

/**
 * Whether a path matches a pattern with `*` and `?`: the last part of it, or with a slash in the pattern all of it. In
 * any case; an empty pattern matches everything. The cost is that of both lengths multiplied.
 */
export function matchesPattern(path: string, pattern: string): boolean {
  if (pattern === '') return true
  const text = (pattern.includes('/') ? path : path.slice(path.lastIndexOf('/') + 1)).toLowerCase()
  const wanted = pattern.toLowerCase()
  let [at, next] = [0, 0]
  /** The latest star, and what it has covered so far. */
  let [star, covered] = [-1, 0]
  while (at < text.length) {
    if (wanted[next] === '*') [star, covered, next] = [next, at, next + 1]
    else if (wanted[next] === '?' || wanted[next] === text[at]) [at, next] = [at + 1, next + 1]
    else if (star >= 0) [covered, at, next] = [covered + 1, covered + 1, star + 1]
    else return false
  }
  while (wanted[next] === '*') next++
  return next === wanted.length
}
