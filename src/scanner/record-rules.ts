import type { CompareOptions, OwnershipOptions, RecordOptions } from '../core/records/change.ts'
import { isAtOrBelow } from '../core/paths.ts'
import { editedVersion } from '../core/records/version-vector.ts'
import { FLAG_IGNORED, FLAG_RECEIVE_ONLY, type FileHead } from '../core/records/file-info.ts'
import type { Clock } from '../platform/clock.ts'
import type { ScanRequest } from './types.ts'

/** How one scan compares items with records, and how it makes new records. */
export class RecordRules {
  readonly #request: ScanRequest
  readonly #clock: Pick<Clock, 'nowMs'>
  readonly #localFlags: number
  readonly ownership: OwnershipOptions | undefined
  readonly compare: CompareOptions
  /** Those of the last second in which one was made. */
  #record: RecordOptions | undefined

  constructor(request: ScanRequest, clock: Pick<Clock, 'nowMs'>) {
    this.#request = request
    this.#clock = clock
    const { ignorePerms, modTimeWindowMs, ownership, ownShortId } = request
    this.#localFlags = request.receiveOnly ? FLAG_RECEIVE_ONLY : 0
    this.ownership = ownership && { ...ownership, ownShortId }
    this.compare = {
      ignorePerms,
      modTimeWindowMs,
      ownFlags: this.#localFlags,
      ownership: this.ownership,
      attributes: request.attributes?.rules,
    }
  }

  /** For records made now. */
  get record(): RecordOptions {
    const nowS = Math.floor(this.#clock.nowMs() / 1_000)
    if (this.#record?.nowS === nowS) return this.#record
    const options = this.#recordAt(nowS)
    this.#record = { ...options, newVersion: editedVersion([], options) }
    return this.#record
  }

  #recordAt(nowS: number): RecordOptions {
    const { ownShortId, counterId, temporaryId, minCounter, ignorePerms, keepPermissions, attributes } = this.#request
    return {
      ownShortId,
      ignorePerms,
      keepPermissions,
      nowS,
      counterId,
      temporaryId,
      minCounter,
      localFlags: this.#localFlags,
      ownership: this.ownership,
      attributes: attributes?.rules,
    }
  }

  /** For a record that replaces `old`. */
  recordOver(old: FileHead | undefined): RecordOptions {
    const { madeHere } = this.#request
    if (madeHere === undefined || old === undefined || (old.localFlags & FLAG_IGNORED) === 0) return this.record
    const isMadeHere = madeHere.paths.some((path) => isAtOrBelow(old.name, path))
    return isMadeHere ? { ...this.record, counterId: madeHere.counterId, temporaryId: undefined } : this.record
  }
}
