import { confirmedRecord, isConfirmed, recordOf } from '../core/records/change.ts'
import { diskStampOf } from '../core/records/disk-stamp.ts'
import { isInvalid, type FileInfo } from '../core/records/file-info.ts'
import { diskReason } from '../platform/files/disk-reason.ts'
import type { HashResult } from '../platform/hasher.ts'
import type { Absences } from './absences.ts'
import type { ScannedItem } from './attributes.ts'
import type { BatchWriter } from './batch-writer.ts'
import type { HashRequest } from './hash-queue.ts'
import type { KeptItems } from './kept-items.ts'
import type { RecordRules } from './record-rules.ts'
import type { ScanIndex } from './types.ts'

/** Files of equal content examined as rename sources. */
const RENAME_CANDIDATES_MAX = 10

export interface HashedFilesDeps {
  readonly index: Pick<ScanIndex, 'localByBlocks'>
  readonly rules: RecordRules
  readonly writer: BatchWriter
  readonly absences: Absences
  readonly kept: KeptItems | undefined
  /** Whether a new file may be a renamed one. */
  findsRenames(): boolean
  /** A file was recorded whose name and content are new. */
  noteNew(info: FileInfo): void
  onProblem(path: string, error: string): void
}

/** Turns hashed files into records. */
export class HashedFiles {
  readonly #deps: HashedFilesDeps

  constructor(deps: HashedFilesDeps) {
    this.#deps = deps
  }

  async take(requests: readonly HashRequest[], results: readonly HashResult[]): Promise<void> {
    const { writer } = this.#deps
    for (let i = 0; i < requests.length; i++) {
      const request = requests[i]!
      const result = results[i]!
      if (result.kind === 'hashed') {
        const settled = this.#add(request, result)
        if (settled !== undefined) await settled
      } else if (result.kind === 'changed') this.#changed(request.item.name)
      else this.#failed(request.item.name, result)
      if (writer.isFull) await writer.flush()
    }
  }

  /** A promise only where the index is asked: the first scan of a folder has none for a file. */
  #add(request: HashRequest, hashed: HashResult & { kind: 'hashed' }): Promise<void> | undefined {
    const { kept, rules } = this.#deps
    const { item, record, blockSizeBytes } = request
    if (request.isKept && kept?.confirm(item, hashed.blocksHash, diskStampOf(item)) === true) return undefined
    const content = { blockSizeBytes, blockHashes: hashed.blockHashes, blocksHash: hashed.blocksHash }
    if (isConfirmed(record, item, content, rules.compare)) {
      this.#stamp(item)
      return undefined
    }
    const info =
      confirmedRecord(record, item, content, rules.compare) ?? recordOf(item, record, content, rules.recordOver(record))
    const isNew = record === undefined || record.deleted
    if (isNew && this.#deps.findsRenames())
      return this.#renamedFrom(info).then((source) => this.#store(item.name, info, source))
    this.#store(item.name, info, undefined)
    return undefined
  }

  /** Adjacent in one batch, so that other devices can rename instead of downloading again. */
  #store(name: string, info: FileInfo, source: FileInfo | undefined): void {
    const { kept, writer } = this.#deps
    kept?.announceAbove(name)
    writer.add(info)
    if (source !== undefined) writer.add(source)
  }

  /** Only the stamp has changed: a new version would be an edit that did not happen. */
  #stamp(item: ScannedItem): void {
    const stamp = diskStampOf(item)
    if (stamp !== undefined) this.#deps.writer.addStamp(item.name, stamp)
  }

  /** The deletion of the file that was renamed to this one. */
  async #renamedFrom(info: FileInfo): Promise<FileInfo | undefined> {
    if (info.sizeBytes === 0 || info.blocksHash === undefined) return undefined
    const candidates = await this.#deps.index.localByBlocks(info.blocksHash, RENAME_CANDIDATES_MAX)
    if (!candidates.some(({ name }) => name !== info.name)) this.#deps.noteNew(info)
    for (const candidate of candidates) {
      if (candidate.name === info.name || candidate.sizeBytes !== info.sizeBytes || isInvalid(candidate)) continue
      const deletion = await this.#deps.absences.claimIfGone(candidate)
      if (deletion !== undefined) return deletion
    }
    return undefined
  }

  #failed(name: string, { code, message }: HashResult & { kind: 'failed' }): void {
    if (code === 'ENOENT' || code === 'ENOTDIR') return // deleted after the walk: the next scan records it
    if (code === 'ELOOP') this.#changed(name)
    else this.#deps.onProblem(name, `hashing: ${diskReason(new Error(message))}`)
  }

  #changed(name: string): void {
    this.#deps.onProblem(name, 'hashing: file changed during hashing')
  }
}
