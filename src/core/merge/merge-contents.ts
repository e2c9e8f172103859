import { mergeTexts, type LineMergeOptions } from './line-merge.ts'
import { MERGE_SIZE_BYTES_MAX, textOf } from './text.ts'

/** Three contents of a file: that which both sides had, and what each has made of it. */
export interface MergeSides {
  readonly base: Uint8Array
  readonly left: Uint8Array
  readonly right: Uint8Array
}

export type MergeReason = 'no-base' | 'overlap' | 'not-text' | 'too-large'

export type MergeResult =
  | { readonly content: Uint8Array }
  | { readonly reason: MergeReason; readonly overlaps?: number }

/** The merged text. The same for exchanged sides. */
export function mergeContents(sides: MergeSides, options?: LineMergeOptions): MergeResult {
  const isTooLarge = Object.values(sides).some((content: Uint8Array) => content.length > MERGE_SIZE_BYTES_MAX)
  if (isTooLarge) return { reason: 'too-large' }
  const [base, left, right] = [textOf(sides.base), textOf(sides.left), textOf(sides.right)]
  if (base === undefined || left === undefined || right === undefined) return { reason: 'not-text' }
  const { text, overlaps } = mergeTexts({ base, left, right }, options)
  if (text === undefined) return { reason: 'overlap', overlaps }
  const content = Buffer.from(text)
  return content.length > MERGE_SIZE_BYTES_MAX ? { reason: 'too-large' } : { content }
}
