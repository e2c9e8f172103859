import { isMissing, systemCode } from '../../core/errors.ts'
import { asideName } from '../../core/paths.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { Random } from '../../platform/random.ts'
import type { ConflictCopies } from './conflict-copies.ts'
import { modified, type ItemCheck } from './item-check.ts'
import type { TreeDisk } from './tree-disk.ts'

const RANDOM_BYTES = 8

/** Moves items aside, where no other program finds them: an edit at the last moment is detected there and kept. */
export class Asides {
  readonly #tree: TreeDisk
  readonly #check: ItemCheck
  readonly #conflicts: ConflictCopies
  readonly #random: Random

  constructor(tree: TreeDisk, check: ItemCheck, conflicts: ConflictCopies, random: Random) {
    this.#tree = tree
    this.#check = check
    this.#conflicts = conflicts
    this.#random = random
  }

  /** Random, to differ from all others. */
  newName(name: string): string {
    return asideName(name, Buffer.from(this.#random.bytes(RANDOM_BYTES)).toString('hex'))
  }

  /**
   * Removes a file or symlink that matches our record; resolves also where it is missing. An item created in its place
   * meanwhile is kept.
   */
  async remove(name: string, local: FileHead | undefined): Promise<void> {
    const aside = await this.move(name, local)
    if (aside === undefined) return // renamed, archived or removed already
    try {
      await this.#tree.removeFile(aside)
    } catch (error) {
      await this.putBack(aside, name).catch(() => {}) // the first error is reported
      throw error
    }
  }

  /**
   * Renames a file or symlink to an unused name and checks it there: after an edit at the last moment it is put back,
   * and the call rejects. Resolves with the name; undefined where the item is missing.
   */
  async move(name: string, local: FileHead | undefined): Promise<string | undefined> {
    const aside = this.newName(name)
    try {
      await this.#tree.rename(name, aside)
    } catch (error) {
      if (isMissing(error)) return undefined
      throw error
    }
    if (this.#check.matches(await this.#tree.stat(aside), local)) return aside
    await this.putBack(aside, name)
    this.#tree.scanLater(name)
    throw modified()
  }

  /** Under its own name or, where that is in use, as a conflict copy. */
  async putBack(aside: string, name: string): Promise<void> {
    try {
      await this.#tree.renameNew(aside, name)
    } catch (error) {
      if (systemCode(error) !== 'EEXIST') throw error
      await this.#conflicts.rescue(aside, name)
    }
  }

  /**
   * Keeps an item that was changed in the instant of its replacement as a conflict copy. Where that fails the item gets
   * its name back, and the new one the name `from` again.
   */
  async keepDisplaced(name: string, aside: string, from: string): Promise<void> {
    try {
      await this.#conflicts.rescue(aside, name)
    } catch (error) {
      await this.#tree.parents.inside(name, () => this.#exchangeBack(name, aside, from)).catch(() => {}) // as below
      this.#tree.scanLater(name)
      throw itemFailed(`keeping a changed file: ${diskReason(error)}`, { cause: error })
    }
  }

  async #exchangeBack(name: string, aside: string, from: string): Promise<void> {
    const { disk } = this.#tree
    if (await disk.exchange(this.#tree.path(aside), this.#tree.path(name)))
      await disk.rename(this.#tree.path(aside), this.#tree.path(from))
  }
}
