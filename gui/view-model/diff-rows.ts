import { splitLines } from '../../src/core/diff/line-diff.ts'
import type { ConflictDiffJson } from '../../src/rest/conflicts.ts'

type Changes = ConflictDiffJson['changes']
type Parts = Changes[number]['words'][number]['left']

/** A line of one side; the number is from 1. */
export interface DiffLine {
  readonly number: number
  readonly text: string
  /** What differs inside it; none where all of it does. */
  readonly parts: Parts
}

/** One row of a comparison: a line of both sides, a difference, or the number of equal lines that are left out. */
export type DiffRow =
  | { readonly kind: 'same'; readonly left: DiffLine; readonly right: DiffLine }
  | { readonly kind: 'changed'; readonly left: DiffLine | undefined; readonly right: DiffLine | undefined }
  | { readonly kind: 'gap'; readonly count: number }

interface Texts {
  readonly left: string
  readonly right: string
}

/** Equal lines that are shown around a difference. */
const CONTEXT_LINES = 3
const NOTHING: Parts = []

/** The rows of a comparison, with the equal lines around each difference. */
export function diffRows({ left, right }: Texts, changes: Changes): readonly DiffRow[] {
  const sides = { left: splitLines(left), right: splitLines(right) }
  const lineAt = (side: keyof Texts, index: number, parts = NOTHING): DiffLine | undefined => {
    const text = sides[side][index]
    return text === undefined ? undefined : { number: index + 1, text, parts }
  }
  const rows: DiffRow[] = []
  let [at, other] = [0, 0]
  const equalUntil = (end: number, isFirst: boolean, isLast: boolean) => {
    const before = isFirst ? 0 : CONTEXT_LINES
    const after = isLast ? 0 : CONTEXT_LINES
    const hidden = end - at - before - after
    // A gap of one line would take as much room as the line.
    const gap = hidden > 1 ? { first: at + before, count: hidden } : undefined
    for (; at < end; at++, other++) {
      if (at === gap?.first) rows.push({ kind: 'gap', count: gap.count })
      if (gap !== undefined && at >= gap.first && at < gap.first + gap.count) continue
      const [leftLine, rightLine] = [lineAt('left', at), lineAt('right', other)]
      if (leftLine !== undefined && rightLine !== undefined)
        rows.push({ kind: 'same', left: leftLine, right: rightLine })
    }
  }
  changes.forEach(({ leftStart, leftCount, rightCount, words }, nth) => {
    equalUntil(leftStart, nth === 0, false)
    for (let line = 0; line < Math.max(leftCount, rightCount); line++)
      rows.push({
        kind: 'changed',
        left: line < leftCount ? lineAt('left', at + line, words[line]?.left) : undefined,
        right: line < rightCount ? lineAt('right', other + line, words[line]?.right) : undefined,
      })
    at += leftCount
    other += rightCount
  })
  equalUntil(sides.left.length, changes.length === 0, true)
  return rows
}

const MARKS = { left: '<<<<<<<', between: '=======', right: '>>>>>>>' } as const

/** One text of both sides: where they differ, both stand below each other between lines that name the devices. */
export function markedText({ left, right }: Texts, changes: Changes, names: Texts): string {
  const [leftLines, rightLines] = [splitLines(left), splitLines(right)]
  const end = left.includes('\r\n') ? '\r\n' : '\n'
  const ended = (lines: readonly string[]) => lines.map((line) => (line.endsWith('\n') ? line : `${line}${end}`))
  const result: string[] = []
  let at = 0
  for (const { leftStart, leftCount, rightStart, rightCount } of changes) {
    result.push(leftLines.slice(at, leftStart).join(''))
    result.push(`${MARKS.left} ${names.left}${end}`, ended(leftLines.slice(leftStart, leftStart + leftCount)).join(''))
    result.push(`${MARKS.between}${end}`, ended(rightLines.slice(rightStart, rightStart + rightCount)).join(''))
    result.push(`${MARKS.right} ${names.right}${end}`)
    at = leftStart + leftCount
  }
  return [...result, leftLines.slice(at).join('')].join('')
}

/** Lines between which both sides still stand. */
export function markCount(text: string): number {
  return text.split('\n').filter((line) => line.startsWith(`${MARKS.left} `)).length
}

/** A text of a field, which has plain line feeds only, with the line ends of another text. */
export function withLineEnds(text: string, like: string): string {
  const [all, long] = [like.split('\n').length - 1, like.split('\r\n').length - 1]
  const plain = text.replaceAll('\r\n', '\n')
  return long * 2 > all ? plain.replaceAll('\n', '\r\n') : plain
}

/** A piece of a line, and whether it differs. */
export interface LinePiece {
  readonly text: string
  readonly differs: boolean
}

/** A longer line is cut: it would make the page slow. */
const LINE_LENGTH_MAX = 1_000

/** The pieces of a line for display, without its end. */
export function linePieces({ text, parts }: Pick<DiffLine, 'text' | 'parts'>): readonly LinePiece[] {
  const line = text.replace(/\r?\n$/, '')
  const length = Math.min(line.length, LINE_LENGTH_MAX)
  const pieces: LinePiece[] = []
  let at = 0
  const add = (to: number, differs: boolean) => {
    const piece = line.slice(at, Math.min(to, length))
    if (piece !== '') pieces.push({ text: piece, differs })
    at = Math.max(at, Math.min(to, length))
  }
  for (const { from, to } of parts) {
    add(from, false)
    add(to, true)
  }
  add(length, false)
  if (line.length > length) pieces.push({ text: '…', differs: false })
  return pieces
}
