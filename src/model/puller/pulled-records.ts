import { HASH_SIZE_BYTES } from '../../core/records/blocks.ts'
import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { HistoryOrigin } from '../../core/history/entry.ts'
import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import type { Records } from '../../db/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { CounterFloor } from '../state/counter-floor.ts'
import type { FolderGuard } from '../state/folder-guard.ts'
import type { KeptFiles } from '../state/kept-files.ts'
import type { FolderTree } from '../tree/folder-tree.ts'

export interface PulledRecordsDeps {
  readonly index: Pick<Records, 'updateLocal'>
  /** Stored before records that lower a counter. */
  readonly counts: Pick<CounterFloor, 'note' | 'store'>
  /** Stored before the records of deletions that it is about. */
  readonly kept: Pick<KeptFiles, 'store' | 'forget'>
  readonly guard: Pick<FolderGuard, 'noteNew'>
  readonly tree: Pick<FolderTree, 'takeChanged'>
  readonly clock: Clock
  /** Of the changes, for the history. */
  readonly origin: HistoryOrigin
  /** Rejects when root or marker have changed since the pull began; nothing more is stored then. */
  checkHealth(): Promise<void>
  onStored(batch: readonly FileInfo[], sequence: number): Promise<void>
  /** The same for changes that were made here: merges. */
  onMade(batch: readonly FileInfo[], sequence: number): Promise<void>
}

/** Each batch costs a commit, two events and a message to every other device, regardless of its size. */
const RECORDS_MAX = 1_000
const BLOCKS_MAX = 5_000
/** Maximum delay before a record is stored. */
const AGE_MS_MAX = 500

/**
 * Queue of pulled records that are to be stored. Renames are made durable before the index contains them: after a power
 * loss it must not claim items that the disk lost.
 */
export class PulledRecords {
  readonly #deps: PulledRecordsDeps
  #pending: FileInfo[] = []
  #made: FileInfo[] = []
  readonly #newNames = new Set<string>()
  #pendingBlocks = 0
  #sinceMs = 0
  #last: Promise<void> = Promise.resolve()
  /** Records added so far. */
  count = 0

  constructor(deps: PulledRecordsDeps) {
    this.#deps = deps
  }

  /** `local`: our record that it replaces. */
  add(record: FileInfo, local: FileHead | undefined): void {
    this.#add(this.#pending, record, local)
  }

  /** The same for a version that this device made: the history names it as a merge. */
  addMade(record: FileInfo, local: FileHead | undefined): void {
    this.#add(this.#made, record, local)
  }

  #add(list: FileInfo[], record: FileInfo, local: FileHead | undefined): void {
    this.#deps.counts.note(local, record)
    if (!record.deleted && (local === undefined || local.deleted)) this.#newNames.add(record.name)
    if (!this.#hasPending) this.#sinceMs = this.#deps.clock.monotonicMs()
    list.push(record)
    this.#pendingBlocks += (record.blockHashes?.length ?? 0) / HASH_SIZE_BYTES
    this.count++
  }

  get #hasPending(): boolean {
    return this.#pending.length + this.#made.length > 0
  }

  async flushIfDue(ageMsMax = AGE_MS_MAX): Promise<void> {
    if (!this.#hasPending) return
    const full = this.#pending.length >= RECORDS_MAX || this.#pendingBlocks >= BLOCKS_MAX
    if (full || this.#deps.clock.monotonicMs() - this.#sinceMs >= ageMsMax) await this.flush()
  }

  /** Resolves when everything added so far is in the index. */
  flush(): Promise<void> {
    const [batch, made] = [this.#pending, this.#made]
    const sync = this.#deps.tree.takeChanged()
    this.#pending = []
    this.#made = []
    this.#pendingBlocks = 0
    if (batch.length + made.length === 0 && sync === undefined) return this.#last
    const stored = this.#last.then(() => this.#store(batch, made, sync))
    this.#last = stored.catch(() => {}) // reported to the caller; later batches are independent
    return stored
  }

  async #store(
    batch: readonly FileInfo[],
    made: readonly FileInfo[],
    sync: ReturnType<FolderTree['takeChanged']>,
  ): Promise<void> {
    const { counts, guard, index, kept } = this.#deps
    await this.#deps.checkHealth()
    try {
      await sync?.()
    } catch (error) {
      // Not an item failure: the disk cannot make the records' items durable.
      throw new TwinfoldError('folder-error', messageOf(error), { cause: error })
    }
    if (batch.length + made.length === 0) return
    await counts.store()
    await kept.store()
    await guard.noteNew([...batch, ...made].filter(({ name }) => this.#newNames.delete(name)))
    const sequence = batch.length === 0 ? 0 : await index.updateLocal(batch, this.#deps.origin)
    const madeSequence = made.length === 0 ? 0 : await index.updateLocal(made, 'merge')
    for (const { deleted, name } of [...batch, ...made]) if (!deleted) kept.forget(name)
    if (batch.length > 0) await this.#deps.onStored(batch, sequence)
    if (made.length > 0) await this.#deps.onMade(made, madeSequence)
  }
}
