import { diffLines, splitLines, type Hunk } from './line-diff.ts'

/** A part of a line, in UTF-16 units: from, up to and without. */
export type LinePart = readonly [from: number, to: number]

/** The parts of two lines that differ; both are empty where the lines have too little in common. */
interface ChangedParts {
  readonly left: readonly LinePart[]
  readonly right: readonly LinePart[]
}

/** A changed region of two texts, and the differences inside its first lines, which replace each other. */
export interface TextChange extends Hunk {
  readonly words: readonly ChangedParts[]
}

/** Longer lines are changed as a whole. */
const WORDS_MAX = 200
/** The product of the words of two lines, and what a comparison costs in any case, summed up: about 100 ms. */
const COST_MAX = 4_000_000
const LINE_COST = 4_000
/** Where more than this share of both lines differs, marks would only distract. */
const SHARE_MAX = 0.7
const NOTHING: ChangedParts = { left: [], right: [] }

/** The changed regions of two texts, with the words that differ inside changed lines, as far as the cost allows. */
export function diffTexts(left: string, right: string): readonly TextChange[] {
  const [leftLines, rightLines] = [splitLines(left), splitLines(right)]
  let costLeft = COST_MAX
  return diffLines(leftLines, rightLines).map((hunk) => {
    const words: ChangedParts[] = []
    for (let nth = 0; nth < Math.min(hunk.leftCount, hunk.rightCount) && costLeft > 0; nth++) {
      const [from, to] = [wordsOf(leftLines[hunk.leftStart + nth]), wordsOf(rightLines[hunk.rightStart + nth])]
      costLeft -= from.length * to.length + LINE_COST
      words.push(from.length > WORDS_MAX || to.length > WORDS_MAX ? NOTHING : diffWords(from, to))
    }
    return { ...hunk, words }
  })
}

function wordsOf(line = ''): readonly string[] {
  // Every match has a character at least: a longer line has too many words, or is one.
  if (line.length > WORDS_MAX * 20) return Array<string>(WORDS_MAX + 1)
  // Not a constant of the module: to make this expression takes a millisecond of a start.
  return line.match(/[\p{L}\p{M}\p{N}_]+|\s+|[^\p{L}\p{M}\p{N}_\s]/gu) ?? []
}

function diffWords(left: readonly string[], right: readonly string[]): ChangedParts {
  const hunks = diffLines(left, right)
  const parts = {
    left: partsOf(left, hunks, ({ leftStart, leftCount }) => [leftStart, leftStart + leftCount]),
    right: partsOf(right, hunks, ({ rightStart, rightCount }) => [rightStart, rightStart + rightCount]),
  }
  const isOther = shareOf(parts.left, left) > SHARE_MAX && shareOf(parts.right, right) > SHARE_MAX
  return isOther ? NOTHING : parts
}

function partsOf(
  words: readonly string[],
  hunks: readonly Hunk[],
  rangeOf: (hunk: Hunk) => LinePart,
): readonly LinePart[] {
  const starts = [0]
  for (const word of words) starts.push(starts.at(-1)! + word.length)
  return hunks
    .map(rangeOf)
    .map(([from, to]) => [starts[from]!, starts[to]!] as const)
    .filter(([from, to]) => to > from)
}

function shareOf(parts: readonly LinePart[], words: readonly string[]): number {
  const length = words.reduce((sum, word) => sum + word.length, 0)
  return length === 0 ? 1 : parts.reduce((sum, [from, to]) => sum + to - from, 0) / length
}
