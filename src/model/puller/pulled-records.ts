import { HASH_SIZE_BYTES } from '../../core/records/blocks.ts'
import { messageOf, systemCode, TwinfoldError } from '../../core/errors.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import { joinPath, parentOf } from '../../core/paths.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Disk } from '../../platform/disk.ts'
import type { CounterFloor } from '../state/counter-floor.ts'

export interface PulledRecordsDeps {
  readonly index: Pick<FolderIndex, 'updateLocal'>
  /** Stored before the records that forget what was noted there. */
  readonly counts: Pick<CounterFloor, 'store'>
  readonly disk: Disk
  readonly clock: Clock
  readonly root: string
  readonly fsync: boolean
  /** Rejects when the folder is no longer what it was when the pull began: then nothing more is stored. */
  checkHealth(): Promise<void>
  onStored(batch: readonly FileInfo[], sequence: number): Promise<void>
}

/** Each batch costs a commit, two events and a message to every other device, however small it is. */
const RECORDS_MAX = 1_000
const BLOCKS_MAX = 5_000
/** How long a record waits for others to be stored with it. */
const AGE_MS_MAX = 2_000
const DIRECTORIES_AT_ONCE = 8

/**
 * What was done on disk, on its way into the index. Renames are made to last before the index tells of them: after a
 * loss of power it must not claim what the disk has forgotten.
 */
export class PulledRecords {
  readonly #deps: PulledRecordsDeps
  #pending: FileInfo[] = []
  #pendingBlocks = 0
  #directories = new Set<string>()
  #sinceMs = 0
  #last: Promise<void> = Promise.resolve()
  /** Records handed in so far. */
  count = 0

  constructor(deps: PulledRecordsDeps) {
    this.#deps = deps
  }

  /** `onDisk`: the directory above the item was changed. */
  add(record: FileInfo, onDisk: boolean): void {
    if (this.#pending.length === 0) this.#sinceMs = this.#deps.clock.monotonicMs()
    this.#pending.push(record)
    this.#pendingBlocks += (record.blockHashes?.length ?? 0) / HASH_SIZE_BYTES
    if (onDisk) this.#directories.add(parentOf(record.name))
    this.count++
  }

  /** A directory changed whose own record is not the one that is stored. */
  touch(directory: string): void {
    this.#directories.add(directory)
  }

  async flushIfDue(): Promise<void> {
    if (this.#pending.length === 0) return
    const full = this.#pending.length >= RECORDS_MAX || this.#pendingBlocks >= BLOCKS_MAX
    if (full || this.#deps.clock.monotonicMs() - this.#sinceMs >= AGE_MS_MAX) await this.flush()
  }

  /** Resolves when everything added so far is in the index. */
  flush(): Promise<void> {
    const batch = this.#pending
    const directories = this.#directories
    this.#pending = []
    this.#pendingBlocks = 0
    this.#directories = new Set()
    if (batch.length === 0 && directories.size === 0) return this.#last
    const stored = this.#last.then(() => this.#store(batch, directories))
    this.#last = stored.catch(() => {}) // whoever asked for this batch is told; the next one has its own fate
    return stored
  }

  async #store(batch: readonly FileInfo[], directories: ReadonlySet<string>): Promise<void> {
    await this.#deps.checkHealth()
    try {
      if (this.#deps.fsync) await this.#syncDirectories([...directories])
    } catch (error) {
      // No fault of any single item: the disk cannot be trusted to keep what we were about to claim.
      throw new TwinfoldError('folder-error', messageOf(error), { cause: error })
    }
    if (batch.length === 0) return
    await this.#deps.counts.store()
    const sequence = await this.#deps.index.updateLocal(batch)
    await this.#deps.onStored(batch, sequence)
  }

  async #syncDirectories(directories: readonly string[]): Promise<void> {
    for (let start = 0; start < directories.length; start += DIRECTORIES_AT_ONCE) {
      await Promise.all(directories.slice(start, start + DIRECTORIES_AT_ONCE).map((directory) => this.#sync(directory)))
    }
  }

  async #sync(directory: string): Promise<void> {
    try {
      await this.#deps.disk.syncDirectory(joinPath(this.#deps.root, directory))
    } catch (error) {
      // Removed since, or not ours to read: there is no name in it that we could still make last.
      const code = systemCode(error)
      if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'EACCES') throw error
    }
  }
}
