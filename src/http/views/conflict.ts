import { diffTexts, type LinePart } from '../../core/diff/word-diff.ts'
import { conflictDevice, conflictOriginal } from '../../core/paths.ts'
import { contentHash } from '../../core/records/block-range.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { ConflictsPage } from '../../model/queries/explorer-types.ts'
import type { ConflictSides } from '../../model/queries/conflict-sides.ts'
import type { ConflictDiffJson, ConflictJson } from '../../rest/conflicts.ts'
import { headJson } from './item.ts'

/** A text of more lines takes too long to compare. */
const LINES_MAX = 60_000
const PICTURE = /\.(avif|bmp|gif|jpe?g|png|webp)$/i

export function conflictJson(
  folder: string,
  { name, local, global, file }: ConflictsPage['items'][number],
): ConflictJson {
  const original = conflictOriginal(name)
  const side = sideJson(local ?? global)
  return {
    folder,
    name,
    original,
    wonBy: conflictDevice(name),
    ...side,
    file: file === undefined ? null : sideJson(file),
  }
}

function sideJson(head: FileHead) {
  const { sizeBytes, modified, modifiedBy } = headJson(head)
  return { sizeBytes, modified, modifiedBy, hash: contentHash(head) }
}

/** What differs between the files of a conflict. */
export function conflictDiffJson(folder: string, { left, right }: ConflictSides): ConflictDiffJson {
  const { name } = right.record
  const sides = { left: left === undefined ? null : sideJson(left.record), right: sideJson(right.record) }
  const base = { folder, name, original: conflictOriginal(name), ...sides, changes: [] }
  if (left === undefined) return { ...base, kind: PICTURE.test(name) ? 'picture' : 'other', reason: 'no-file' }
  if (sides.left?.hash === sides.right.hash) return { ...base, kind: 'same' }
  if (right.record.encrypted !== undefined) return { ...base, kind: 'other', reason: 'encrypted' }
  if (PICTURE.test(name)) return { ...base, kind: 'picture' }
  if (left.content === undefined || right.content === undefined) return { ...base, kind: 'other', reason: 'too-large' }
  const texts = [textOf(left.content), textOf(right.content)] as const
  const [leftText, rightText] = texts
  if (leftText === undefined || rightText === undefined) return { ...base, kind: 'other', reason: 'not-text' }
  if (texts.some((text = '') => lineCount(text) > LINES_MAX)) return { ...base, kind: 'other', reason: 'too-large' }
  const changes = diffTexts(leftText, rightText).map(({ words, ...hunk }) => ({
    ...hunk,
    words: words.map((parts) => ({ left: parts.left.map(partJson), right: parts.right.map(partJson) })),
  }))
  return {
    ...base,
    kind: 'text',
    left: { ...sideJson(left.record), text: leftText },
    right: { ...sides.right, text: rightText },
    changes,
  }
}

/** Undefined for what is no UTF-8 text. */
function textOf(content: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function lineCount(text: string): number {
  let count = 0
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++
  return count
}

function partJson([from, to]: LinePart) {
  return { from, to }
}
