import { TwinfoldError } from '../../core/errors.ts'
import type { MergeReason, MergeResult, MergeSides } from '../../core/merge/merge-contents.ts'
import { MERGE_SIZE_BYTES_MAX, textOf } from '../../core/merge/text.ts'
import { conflictOriginal, isCanonical, isConflictName } from '../../core/paths.ts'
import { contentHash } from '../../core/records/block-range.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { MergeBases } from '../state/merge-bases.ts'

/** What can be made of a file, `left`, and its conflict copy, `right`. */
export interface MergeOffer {
  readonly mergeable: boolean
  readonly reason?: MergeReason
  readonly merged?: string
  /** The number of places where both changed the same lines. */
  readonly overlaps?: number
  readonly left: { readonly hash: string }
  readonly right: { readonly hash: string }
}

export interface MergeOfferSources {
  readonly bases: Pick<MergeBases, 'ofCopy'>
  index(): Promise<FolderIndex>
  /** The content of a small file; undefined where it is not the recorded one. */
  read(record: FileHead): Promise<Uint8Array | undefined>
  merge(sides: MergeSides, name: string): Promise<MergeResult>
}

/** Rejects with `bad-request`, `file-missing` or, where a file was changed and is not scanned yet, `refused`. */
export async function mergeOffer(sources: MergeOfferSources, name: string): Promise<MergeOffer> {
  const original = conflictOriginal(name)
  if (!isCanonical(name) || !isConflictName(name) || !isCanonical(original))
    throw new TwinfoldError('bad-request', `${name} is no conflict copy`)
  const { records } = await sources.index()
  const [file, copy] = [await records.head('local', original), await records.head('local', name)]
  if (!isFile(file))
    throw new TwinfoldError('file-missing', `${original} does not exist here: there is nothing to merge`)
  if (!isFile(copy)) throw new TwinfoldError('file-missing', `${name} does not exist here`)
  const sides = { left: { hash: contentHash(file) }, right: { hash: contentHash(copy) } }
  const result = await merged(sources, file, copy)
  if ('content' in result) {
    const text = textOf(result.content)
    return text === undefined
      ? { mergeable: false, reason: 'not-text', ...sides }
      : { mergeable: true, merged: text, ...sides }
  }
  return { mergeable: false, ...result, ...sides }
}

async function merged(sources: MergeOfferSources, file: FileHead, copy: FileHead): Promise<MergeResult> {
  if (Math.max(file.sizeBytes, copy.sizeBytes) > MERGE_SIZE_BYTES_MAX) return { reason: 'too-large' }
  const [left, right] = [await sources.read(file), await sources.read(copy)]
  if (left === undefined || right === undefined)
    throw new TwinfoldError('refused', `${(left === undefined ? file : copy).name} was changed: try again after a scan`)
  if (Buffer.compare(left, right) === 0) return { content: left }
  const base = await sources.bases.ofCopy(file.name, copy)
  if (base !== undefined) return await sources.merge({ base, left, right }, file.name)
  return { reason: textOf(left) === undefined || textOf(right) === undefined ? 'not-text' : 'no-base' }
}

function isFile(record: FileHead | undefined): record is FileHead {
  return record !== undefined && record.type === 'file' && !record.deleted
}
