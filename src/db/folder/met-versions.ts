import { MERGE_SIZE_BYTES_MAX } from '../../core/merge/text.ts'
import { isInvalid, type FileHead } from '../../core/records/file-info.ts'
import { compareVersions } from '../../core/records/version-vector.ts'
import type { MetVersions } from '../types.ts'

/** Names that are remembered until the next call of `take`; conflicts of further ones have no base. */
const NAMES_MAX = 10_000

/** Versions of small files that were stored here for two devices at the same time. */
export class MeetingVersions {
  /** Undefined until the first call of `take`: without merges nothing is compared. */
  #shared: Map<string, FileHead> | undefined
  readonly #concurrent = new Map<string, MetVersions['concurrent'][number]>()

  get isWanted(): boolean {
    return this.#shared !== undefined
  }

  /** To be called after a record of ours, or of another device, was stored. */
  note(local: FileHead, remote: FileHead): void {
    if (this.#shared === undefined || !isSmallFile(local) || !isSmallFile(remote)) return
    const order = compareVersions(local.version, remote.version)
    if (order === 'equal') {
      if (this.#shared.size < NAMES_MAX) this.#shared.set(local.name, local)
    } else if (order === 'concurrent-newer' || order === 'concurrent-older') {
      if (this.#concurrent.size < NAMES_MAX) this.#concurrent.set(local.name, { local, remote })
    }
  }

  take(): MetVersions {
    const met = { shared: [...(this.#shared?.values() ?? [])], concurrent: [...this.#concurrent.values()] }
    this.#shared = new Map()
    this.#concurrent.clear()
    return met
  }
}

function isSmallFile(head: FileHead): boolean {
  return head.type === 'file' && !head.deleted && head.sizeBytes <= MERGE_SIZE_BYTES_MAX && !isInvalid(head)
}
