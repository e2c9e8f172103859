import { isMissing } from '../../core/errors.ts'
import type { ShortId } from '../../core/ids.ts'
import { conflictOriginal, isConflictOf, parentOf } from '../../core/paths.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { Clock } from '../../platform/clock.ts'
import { renameToConflictName, type ConflictCopy } from '../../platform/files/conflict-name.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { TreeDisk } from './tree-disk.ts'

export interface ConflictCopiesOptions {
  readonly clock: Clock
  readonly ownShortId: ShortId
  /** Per file; 0 disables conflict copies, a negative number is no limit. */
  readonly maxConflicts: number
  /** A local file was renamed to a conflict copy. */
  readonly onConflict: (() => void) | undefined
}

/** Renames items to conflict copies; a scan records them. */
export class ConflictCopies {
  readonly #tree: TreeDisk
  readonly #options: ConflictCopiesOptions

  constructor(tree: TreeDisk, options: ConflictCopiesOptions) {
    this.#tree = tree
    this.#options = options
  }

  /**
   * Renames our file before the winner replaces it, also if it is a conflict copy itself: it gets another name of the
   * same original. No-op where conflict copies are disabled. Resolves with whether the name is free.
   */
  async save(name: string, winner: FileHead): Promise<boolean> {
    const { maxConflicts } = this.#options
    if (maxConflicts === 0) return false
    const kept = await this.rename(name, winner)
    if (kept !== undefined && maxConflicts > 0) await this.#prune(conflictOriginal(name))
    return true
  }

  /**
   * Renames an item to an unused conflict name. Resolves with the name, or with undefined where the item was removed
   * meanwhile. `timeMs` is the time in the name; default: now.
   */
  async rename(
    name: string,
    { modifiedBy }: Pick<FileHead, 'modifiedBy'>,
    timeMs = this.#options.clock.nowMs(),
  ): Promise<string | undefined> {
    try {
      return await this.#rename(name, { name, author: modifiedBy, timeMs })
    } catch (error) {
      if (isMissing(error)) return undefined
      throw itemFailed(`moving for conflict: ${diskReason(error)}`, { cause: error })
    }
  }

  /**
   * Renames the item `from`, which has lost the name `name`. Also where conflict copies are disabled: its change is in
   * no record yet.
   */
  async rescue(from: string, name: string): Promise<void> {
    const { clock, ownShortId } = this.#options
    await this.#rename(from, { name, author: ownShortId, timeMs: clock.nowMs() })
  }

  async #rename(from: string, copy: ConflictCopy): Promise<string> {
    const kept = await renameToConflictName(copy, (to) => this.#tree.renameNew(from, to))
    if (kept === undefined) throw itemFailed('all names are in use')
    this.#tree.scanLater(kept)
    this.#options.onConflict?.()
    return kept
  }

  /** Keeps the newest copies, up to the configured limit. */
  async #prune(name: string): Promise<void> {
    const directory = parentOf(name)
    const entries = await this.#tree.disk.list(this.#tree.path(directory))
    const copies = entries
      .filter(({ valid }) => valid)
      .map((entry) => (directory === '' ? entry.name : `${directory}/${entry.name}`))
      .filter((candidate) => isConflictOf(candidate, name))
      .sort()
      .reverse()
    for (const copy of copies.slice(this.#options.maxConflicts)) {
      await this.#tree.removeFile(copy)
      this.#tree.scanLater(copy)
    }
  }
}
