import { diffLines, splitLines, type Hunk } from '../diff/line-diff.ts'

/** Lines that both sides changed, or that touch: the side that has them, and where. */
interface LineConflict {
  readonly baseStart: number
  readonly baseCount: number
  readonly leftStart: number
  readonly leftCount: number
  readonly rightStart: number
  readonly rightCount: number
}

export interface MergedLines {
  /** Of a conflict they are those of the base. */
  readonly lines: readonly string[]
  readonly conflicts: readonly LineConflict[]
}

export interface LineMergeOptions {
  /** Lines that both sides added at the same place are all kept. */
  readonly union?: boolean
}

/**
 * Merges the changes that two sides made to the same lines. Changes that overlap or touch are conflicts, except equal
 * ones. The result is the same with the sides exchanged: two devices that merge the same conflict make the same file.
 */
export function mergeLines(
  base: readonly string[],
  left: readonly string[],
  right: readonly string[],
  { union = false }: LineMergeOptions = {},
): MergedLines {
  const lines: string[] = []
  const conflicts: LineConflict[] = []
  let line = 0
  for (const { start, end, ofLeft, ofRight } of changedRegions(diffLines(base, left), diffLines(base, right))) {
    pushRange(lines, base, line, start)
    line = end
    const [leftStart, leftEnd] = sideRange(ofLeft, start, end)
    const [rightStart, rightEnd] = sideRange(ofRight, start, end)
    if (ofRight.length === 0) pushRange(lines, left, leftStart, leftEnd)
    else if (ofLeft.length === 0) pushRange(lines, right, rightStart, rightEnd)
    else {
      const [ours, theirs] = [left.slice(leftStart, leftEnd), right.slice(rightStart, rightEnd)]
      const joined = areSame(ours, theirs) ? ours : union && start === end ? joinAdded(ours, theirs) : undefined
      if (joined !== undefined) pushRange(lines, joined, 0, joined.length)
      else {
        pushRange(lines, base, start, end)
        const [leftCount, rightCount] = [leftEnd - leftStart, rightEnd - rightStart]
        conflicts.push({ baseStart: start, baseCount: end - start, leftStart, leftCount, rightStart, rightCount })
      }
    }
  }
  pushRange(lines, base, line, base.length)
  return { lines, conflicts }
}

/** Undefined where changes overlap. */
export function mergeTexts(
  { base, left, right }: { readonly base: string; readonly left: string; readonly right: string },
  options?: LineMergeOptions,
): { readonly text: string | undefined; readonly overlaps: number } {
  const { lines, conflicts } = mergeLines(splitLines(base), splitLines(left), splitLines(right), options)
  return { text: conflicts.length === 0 ? lines.join('') : undefined, overlaps: conflicts.length }
}

interface ChangedRegion {
  readonly start: number
  readonly end: number
  readonly ofLeft: readonly Hunk[]
  readonly ofRight: readonly Hunk[]
}

/** Ranges of the base with the hunks of both sides that overlap or touch there. */
function* changedRegions(left: readonly Hunk[], right: readonly Hunk[]): Iterable<ChangedRegion> {
  for (let [i, j] = [0, 0]; i < left.length || j < right.length;) {
    const start = Math.min(left[i]?.leftStart ?? Infinity, right[j]?.leftStart ?? Infinity)
    const ofLeft: Hunk[] = []
    const ofRight: Hunk[] = []
    for (let [end, isWhole] = [start, false]; !isWhole;) {
      const [ours, theirs] = [left[i], right[j]]
      isWhole = true
      if (ours !== undefined && ours.leftStart <= end) {
        ofLeft.push(ours)
        end = Math.max(end, ours.leftStart + ours.leftCount)
        i++
        isWhole = false
      }
      if (theirs !== undefined && theirs.leftStart <= end) {
        ofRight.push(theirs)
        end = Math.max(end, theirs.leftStart + theirs.leftCount)
        j++
        isWhole = false
      }
      if (isWhole) yield { start, end, ofLeft, ofRight }
    }
  }
}

/** The lines of a side that stand for a range of the base. Without hunks there the range is not asked for. */
function sideRange(hunks: readonly Hunk[], start: number, end: number): readonly [number, number] {
  const [first, last] = [hunks[0], hunks.at(-1)]
  if (first === undefined || last === undefined) return [0, 0]
  const before = first.leftStart - start
  const after = end - (last.leftStart + last.leftCount)
  return [first.rightStart - before, last.rightStart + last.rightCount + after]
}

/** Both additions, equal lines at their ends once; in the order of their texts, which is the same on all devices. */
function joinAdded(a: readonly string[], b: readonly string[]): readonly string[] | undefined {
  let same = 0
  while (same < a.length && same < b.length && a[same] === b[same]) same++
  let tail = 0
  const rest = Math.min(a.length, b.length) - same
  while (tail < rest && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail++
  const [first, second] = [a, b].map((lines) => lines.slice(same, lines.length - tail)).sort(byText)
  const joined = [...a.slice(0, same), ...(first ?? []), ...(second ?? []), ...a.slice(a.length - tail)]
  // A line without an end would run into the next.
  return joined.slice(0, -1).every((line) => line.endsWith('\n')) ? joined : undefined
}

function byText(a: readonly string[], b: readonly string[]): number {
  const [left, right] = [a.join(''), b.join('')]
  return left < right ? -1 : left > right ? 1 : 0
}

function areSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, index) => line === b[index])
}

function pushRange(lines: string[], from: readonly string[], start: number, end: number): void {
  for (let line = start; line < end; line++) lines.push(from[line]!)
}
