import type { ShortId } from '../../core/ids.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import { recountVersion } from '../../core/records/version-vector.ts'
import type { IndexRestart } from '../types.ts'
import type { FolderTable } from './folder-table.ts'
import type { SequenceReader } from './sequence-reader.ts'

const LIMITS = { files: 250, blocks: 5_000 } as const

/**
 * The steps of a restart. The IDs change in the last one: if interrupted before, the next connection finds the same
 * evidence and the restart runs again.
 */
export class Restart {
  readonly #request: IndexRestart
  readonly #newId: bigint
  #after: number
  #last: number | undefined

  constructor(request: IndexRestart, newId: bigint) {
    this.#request = request
    this.#newId = newId
    this.#after = request.afterSequence
  }

  /** True when done. */
  step({ files, sequences }: { readonly files: FolderTable; readonly sequences: SequenceReader }): boolean {
    this.#last ??= files.state.holders[0]!.sequence
    const batch = this.#after < this.#last ? sequences.since(this.#after, LIMITS) : []
    const due = batch.filter(({ sequence }) => sequence <= this.#last!)
    if (due.length === 0) {
      files.setIds(this.#newId)
      return true
    }
    this.#after = due.at(-1)!.sequence
    const from = files.state.counterId ?? this.#request.ownShortId
    const recounted = due.flatMap((record) => this.#recounted(record, from))
    if (recounted.length > 0) files.updateLocal(recounted)
    return false
  }

  /** Only what this device itself made: records of pulled items have the versions of others. */
  #recounted(record: FileInfo, from: ShortId): readonly FileInfo[] {
    const { ownShortId, temporaryId } = this.#request
    if (record.modifiedBy !== ownShortId && record.contestedBy === undefined) return []
    if (record.version.some(({ device }) => device === temporaryId)) return []
    const version = recountVersion(record.version, from, this.#newId as ShortId)
    return version === record.version ? [] : [{ ...record, version }]
  }
}
