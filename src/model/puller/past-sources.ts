import type { FolderId } from '../../core/ids.ts'
import type { PastItem } from '../../core/history/entry.ts'
import { isInvalid, type FileHead, type FileInfo } from '../../core/records/file-info.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { Hasher } from '../../platform/hasher.ts'
import type { PastVersion, PastVersions } from '../../versioner/past-versions.ts'
import type { Sources } from '../state/sources.ts'

/** Files with the same content that are tried. */
const IDENTICAL_FILES_MAX = 3

/** Where the content of a file of the past is. */
export type PastSource =
  | { readonly kind: 'empty' }
  /** Another file of this folder has it. */
  | { readonly kind: 'file'; readonly name: string }
  | { readonly kind: 'version'; readonly version: PastVersion }
  /** A connected device has not received the change yet. */
  | { readonly kind: 'device'; readonly record: FileInfo }

export interface PastSourcesDeps {
  readonly folder: FolderId
  readonly index: Pick<FolderIndex, 'records' | 'listing'>
  readonly versions: Pick<PastVersions, 'find'>
  readonly hasher: Hasher
  readonly sources: Pick<Sources, 'sourcesOf'>
}

/** Finds the content of files as they were. */
export class PastSources {
  readonly #deps: PastSourcesDeps

  constructor(deps: PastSourcesDeps) {
    this.#deps = deps
  }

  /** In the order in which they are tried. Versions are of the right size; whoever uses one verifies its content. */
  async *of(name: string, past: PastItem): AsyncGenerator<PastSource> {
    if (past.sizeBytes === 0) return yield { kind: 'empty' }
    const { index, versions } = this.#deps
    const hash = Buffer.from(past.blocksHash, 'base64url')
    for (const head of await index.records.localByBlocks(hash, IDENTICAL_FILES_MAX)) {
      if (head.sizeBytes === past.sizeBytes && head.type === 'file' && !isInvalid(head)) {
        yield { kind: 'file', name: head.name }
      }
    }
    for (const version of await versions.find(name, past.sizeBytes)) yield { kind: 'version', version }
    const record = await this.#onDevice(name, past)
    if (record !== undefined) yield { kind: 'device', record }
  }

  async #onDevice(name: string, past: PastItem): Promise<FileInfo | undefined> {
    const { folder, index, sources } = this.#deps
    const [records] = await index.listing.recordsOf([name])
    for (const [device, head] of records?.others ?? []) {
      if (!hasContent(head, past)) continue
      const record = await index.records.get(device, name)
      if (record === undefined || (await sources.sourcesOf(folder, record, 0)).length === 0) continue
      return record
    }
    return undefined
  }

  /** Whether a version has the content; reads all of it. */
  async isVerified({ path, sizeBytes, modifiedS, modifiedNs }: PastVersion, past: PastItem, signal: AbortSignal) {
    const job = { path, sizeBytes, modifiedS, modifiedNs, blockSizeBytes: past.blockSizeBytes }
    const [result] = await this.#deps.hasher.hash([job], () => {}, signal)
    return result?.kind === 'hashed' && hashText(result.blocksHash) === past.blocksHash
  }
}

export function hashText(hash: Uint8Array): string {
  return Buffer.from(hash).toString('base64url')
}

function hasContent(head: FileHead, past: PastItem): boolean {
  if (head.deleted || isInvalid(head) || head.type !== 'file' || head.blocksHash === undefined) return false
  return head.sizeBytes === past.sizeBytes && hashText(head.blocksHash) === past.blocksHash
}
