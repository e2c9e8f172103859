/** A changed region: lines of the left side that lines of the right side replace. One of the counts may be 0. */
export interface Hunk {
  readonly leftStart: number
  readonly leftCount: number
  readonly rightStart: number
  readonly rightCount: number
}

/** Steps of the search in one call, about 50 ms; a region for which none are left is one hunk. */
const STEPS_MAX = 4_000_000

/** Inserted and deleted lines that are searched for between two anchors; a region with more of them is one hunk. */
const CHANGES_MAX = 1000

const NONE = -1
const SEVERAL = -2

/**
 * The regions in which two lists of lines differ, ascending. It depends on the lines alone: two devices find the
 * same. Lines that occur once on both sides are matched first; between them the shortest difference is searched for.
 */
export function diffLines(left: readonly string[], right: readonly string[]): readonly Hunk[] {
  const differ = new LineDiffer(left, right)
  differ.compare()
  return slideDown(differ.hunks, left, right)
}

/** A text as lines that keep their ends: joined again they are the same text. */
export function splitLines(text: string): readonly string[] {
  const lines: string[] = []
  for (let start = 0; start < text.length;) {
    const end = text.indexOf('\n', start)
    const next = end < 0 ? text.length : end + 1
    lines.push(text.slice(start, next))
    start = next
  }
  return lines
}

interface Region {
  readonly leftStart: number
  readonly leftEnd: number
  readonly rightStart: number
  readonly rightEnd: number
}

/** Compares lines by numbers: equal lines have equal numbers. */
class LineDiffer {
  readonly hunks: Hunk[] = []
  private readonly left: Int32Array
  private readonly right: Int32Array
  private readonly distinct: number
  private stepsLeft = STEPS_MAX
  /** The line of the left side that the search has reached on each diagonal of a region. */
  private readonly reached = new Int32Array(2 * CHANGES_MAX + 3)

  constructor(left: readonly string[], right: readonly string[]) {
    const numbers = new Map<string, number>()
    this.left = numberLines(left, numbers)
    this.right = numberLines(right, numbers)
    this.distinct = numbers.size
  }

  compare(): void {
    const whole = this.trim({ leftStart: 0, leftEnd: this.left.length, rightStart: 0, rightEnd: this.right.length })
    let { leftStart, rightStart } = whole
    for (const [leftEnd, rightEnd] of this.anchors(whole)) {
      this.compareRegion({ leftStart, leftEnd, rightStart, rightEnd })
      leftStart = leftEnd
      rightStart = rightEnd
    }
    this.compareRegion({ ...whole, leftStart, rightStart })
  }

  /** Without the equal lines at both ends. */
  private trim(region: Region): Region {
    let { leftStart, leftEnd, rightStart, rightEnd } = region
    while (leftStart < leftEnd && rightStart < rightEnd && this.left[leftStart] === this.right[rightStart]) {
      leftStart++
      rightStart++
    }
    while (leftStart < leftEnd && rightStart < rightEnd && this.left[leftEnd - 1] === this.right[rightEnd - 1]) {
      leftEnd--
      rightEnd--
    }
    return { leftStart, leftEnd, rightStart, rightEnd }
  }

  /** Pairs of equal lines that occur once on both sides: the longest row of them that ascends on both. */
  private anchors(region: Region): readonly Pair[] {
    const onceLeft = this.singles(this.left.subarray(region.leftStart, region.leftEnd))
    const onceRight = this.singles(this.right.subarray(region.rightStart, region.rightEnd))
    const pairs: Pair[] = []
    for (let line = region.leftStart; line < region.leftEnd; line++) {
      const number = this.left[line] ?? 0
      const other = onceRight[number] ?? NONE
      if ((onceLeft[number] ?? NONE) >= 0 && other >= 0) pairs.push([line, region.rightStart + other])
    }
    return longestAscending(pairs)
  }

  /** For each number its place in a list in which it occurs once; negative for all others. */
  private singles(numbers: Int32Array): Int32Array {
    const places = new Int32Array(this.distinct).fill(NONE)
    numbers.forEach((number, place) => {
      places[number] = places[number] === NONE ? place : SEVERAL
    })
    return places
  }

  private compareRegion(untrimmed: Region): void {
    const region = this.trim(untrimmed)
    const { leftStart, leftEnd, rightStart, rightEnd } = region
    if (leftStart === leftEnd && rightStart === rightEnd) return
    const oneSided = leftStart === leftEnd || rightStart === rightEnd
    const steps = oneSided ? undefined : this.search(region)
    if (steps === undefined) this.add(leftStart, leftEnd, rightStart, rightEnd)
    else this.addPath(region, steps)
  }

  /**
   * The greedy search of Myers for the fewest inserted and deleted lines: how far each diagonal was reached after each
   * of them. Nothing, if there are more of them than `CHANGES_MAX`, or the steps are used up.
   */
  private search({ leftStart, leftEnd, rightStart, rightEnd }: Region): readonly Int32Array[] | undefined {
    const { left, right, reached } = this
    const [lefts, rights] = [leftEnd - leftStart, rightEnd - rightStart]
    const trace: Int32Array[] = []
    reached[CHANGES_MAX + 2] = 0
    for (let changes = 0; changes <= CHANGES_MAX && this.stepsLeft > 0; changes++) {
      for (let diagonal = -changes; diagonal <= changes; diagonal += 2) {
        const index = CHANGES_MAX + 1 + diagonal
        let line = inserts(reached, index, diagonal, changes)
          ? (reached[index + 1] ?? 0)
          : (reached[index - 1] ?? 0) + 1
        const begun = line
        while (
          line < lefts &&
          line - diagonal < rights &&
          left[leftStart + line] === right[rightStart + line - diagonal]
        ) {
          line++
        }
        reached[index] = line
        this.stepsLeft -= line - begun + 1
        if (line >= lefts && line - diagonal >= rights) return trace
      }
      trace.push(reached.slice(CHANGES_MAX + 1 - changes, CHANGES_MAX + 2 + changes))
    }
    return undefined
  }

  /** The changes of a search, followed from the end of the region to its start. */
  private addPath({ leftStart, leftEnd, rightStart, rightEnd }: Region, trace: readonly Int32Array[]): void {
    const deleted = new Set<number>()
    const inserted = new Set<number>()
    let [line, other] = [leftEnd - leftStart, rightEnd - rightStart]
    for (let changes = trace.length; changes > 0; changes--) {
      const before = trace[changes - 1] ?? this.reached
      const diagonal = line - other
      // The list of the step before begins with the diagonal `1 - changes`.
      const index = diagonal + changes - 1
      const insertion = inserts(before, index, diagonal, changes)
      line = before[insertion ? index + 1 : index - 1] ?? 0
      other = line - (insertion ? diagonal + 1 : diagonal - 1)
      if (insertion) inserted.add(rightStart + other)
      else deleted.add(leftStart + line)
    }
    let right = rightStart
    for (let left = leftStart; left < leftEnd || right < rightEnd;) {
      const [leftFrom, rightFrom] = [left, right]
      while (deleted.has(left) || inserted.has(right)) {
        if (deleted.has(left)) left++
        else right++
      }
      if (left > leftFrom || right > rightFrom) this.add(leftFrom, left, rightFrom, right)
      left++
      right++
    }
  }

  private add(leftStart: number, leftEnd: number, rightStart: number, rightEnd: number): void {
    this.hunks.push({ leftStart, leftCount: leftEnd - leftStart, rightStart, rightCount: rightEnd - rightStart })
  }
}

function numberLines(lines: readonly string[], numbers: Map<string, number>): Int32Array {
  const numbered = new Int32Array(lines.length)
  lines.forEach((line, index) => {
    let number = numbers.get(line)
    if (number === undefined) numbers.set(line, (number = numbers.size))
    numbered[index] = number
  })
  return numbered
}

/** Whether a diagonal is reached by an inserted line rather than by a deleted one. */
function inserts(reached: Int32Array, index: number, diagonal: number, changes: number): boolean {
  return diagonal === -changes || (diagonal !== changes && (reached[index - 1] ?? 0) < (reached[index + 1] ?? 0))
}

type Pair = readonly [left: number, right: number]

/** The longest list of pairs, ascending on the left, that ascends on the right too. */
function longestAscending(pairs: readonly Pair[]): readonly Pair[] {
  const rights = pairs.map(([, right]) => right)
  /** For each length the pair with the lowest right line that ends a list of this length. */
  const ends: number[] = []
  const previous = new Int32Array(pairs.length)
  rights.forEach((right, pair) => {
    let low = 0
    for (let high = ends.length; low < high;) {
      const half = (low + high) >> 1
      if ((rights[ends[half] ?? 0] ?? 0) < right) low = half + 1
      else high = half
    }
    previous[pair] = low > 0 ? (ends[low - 1] ?? NONE) : NONE
    ends[low] = pair
  })
  const found: Pair[] = []
  for (let pair = ends.at(-1) ?? NONE; pair >= 0; pair = previous[pair] ?? NONE) {
    const at = pairs[pair]
    if (at !== undefined) found.push(at)
  }
  return found.reverse()
}

/** Inserted or deleted lines that could stand at several places stand at the last; hunks that then touch are one. */
function slideDown(hunks: readonly Hunk[], left: readonly string[], right: readonly string[]): readonly Hunk[] {
  const result: Hunk[] = []
  for (let index = hunks.length - 1; index >= 0; index--) {
    let hunk = hunks[index] as Hunk
    const next = result.at(-1)
    const limit = (next?.leftStart ?? left.length) - (hunk.leftStart + hunk.leftCount)
    const [side, start, count] =
      hunk.leftCount === 0 ? [right, hunk.rightStart, hunk.rightCount] : [left, hunk.leftStart, hunk.leftCount]
    let by = 0
    if (hunk.leftCount === 0 || hunk.rightCount === 0) {
      while (by < limit && side[start + by] === side[start + by + count]) by++
    }
    hunk = { ...hunk, leftStart: hunk.leftStart + by, rightStart: hunk.rightStart + by }
    if (next !== undefined && by === limit) {
      result.pop()
      hunk = {
        ...hunk,
        leftCount: hunk.leftCount + next.leftCount,
        rightCount: hunk.rightCount + next.rightCount,
      }
    }
    result.push(hunk)
  }
  return result.reverse()
}
