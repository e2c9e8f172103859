import { isMissing, systemCode } from '../../core/errors.ts'
import type { DiskItem } from '../../core/records/change.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { KeptFile } from '../../versioner/types.ts'
import type { Asides } from './asides.ts'
import type { ConflictCopies } from './conflict-copies.ts'
import type { Directories } from './directories.ts'
import { modified } from './item-check.ts'
import type { TreeDisk } from './tree-disk.ts'

/** The archive of old versions. */
export interface Archive {
  /** Archives a file that is about to be replaced. */
  keep(name: string): Promise<KeptFile>
  /** Moves a file out of the folder into the archive. */
  move(name: string): Promise<void>
}

/** The item to be replaced. */
export interface Target {
  readonly name: string
  /** The current item on disk, as checked before. */
  readonly item: DiskItem | undefined
  /** The record of the new item. */
  readonly next: FileHead
  /** Our file is kept as a conflict copy. */
  readonly saveOurs: boolean
}

export interface ReplacementDeps {
  readonly tree: TreeDisk
  readonly asides: Asides
  readonly conflicts: ConflictCopies
  readonly directories: Directories
  readonly archive: Archive | undefined
}

/** Freeing a larger file takes the system long: a third of a second for 1 GiB. */
const HELD_SIZE_BYTES_MIN = 8 * 1_024 * 1_024

interface PreparedTarget {
  /** The name is unused. */
  readonly isFree: boolean
  /** The archived version of the current item, valid once it is replaced. */
  readonly kept?: KeptFile
}

const FREE: PreparedTarget = { isFree: true }

/** Puts items in the place of others, atomically. What they replace is kept as the target says. */
export class Replacement {
  readonly #deps: ReplacementDeps

  constructor(deps: ReplacementDeps) {
    this.#deps = deps
  }

  /** Renames the file or symlink `from` to the name of the target. */
  async put(from: string, target: Target): Promise<void> {
    const { asides, tree } = this.#deps
    const { name, item } = target
    const { isFree, kept } = await this.#prepare(target)
    let displaced: string | undefined
    try {
      if (isFree || item === undefined) await tree.renameNew(from, name)
      else displaced = await tree.parents.inside(name, () => this.#replace(from, name, item))
      await kept?.done()
    } catch (error) {
      await kept?.undo()
      // A free name is never overwritten: a file created since the check is kept.
      if (!isFree || systemCode(error) !== 'EEXIST') throw error
      tree.scanLater(name)
      throw modified('checking existing file', error)
    }
    if (displaced !== undefined) await asides.keepDisplaced(name, displaced, from)
  }

  async #prepare({ name, item, next, saveOurs }: Target): Promise<PreparedTarget> {
    const { archive, conflicts, directories } = this.#deps
    if (item === undefined) return FREE
    if (item.type === 'directory') {
      await directories.clearForReplacement(name, next)
      return FREE
    }
    if (saveOurs) return { isFree: await conflicts.save(name, next) }
    const kept = item.type === 'file' ? await archive?.keep(name) : undefined
    return kept === undefined ? { isFree: false } : { isFree: kept.gone, kept }
  }

  /**
   * A large replaced file is held open meanwhile, so that it is freed after the lock is released. Resolves with the
   * name of the replaced item where it must be kept.
   */
  async #replace(from: string, to: string, old: DiskItem): Promise<string | undefined> {
    const { tree } = this.#deps
    const isLarge = old.type === 'file' && old.sizeBytes >= HELD_SIZE_BYTES_MIN
    // Windows cannot replace open files. A failed open is harmless.
    const isHeld = isLarge && tree.platform !== 'win32'
    const held = isHeld ? await tree.disk.open(tree.path(to), 'read').catch(() => undefined) : undefined
    try {
      return await this.#replaceByExchange(from, to, old)
    } finally {
      held?.close().catch(() => {}) // nothing was written to it
    }
  }

  /**
   * Checks the displaced item after the exchange, when it is out of the reach of users. Resolves with its name when it
   * is not the expected one: it was changed in the instant of the replacement. Otherwise it is removed. Where items
   * cannot be exchanged, such a change is lost.
   */
  async #replaceByExchange(from: string, to: string, expected: DiskItem): Promise<string | undefined> {
    const { asides, tree } = this.#deps
    const { disk } = tree
    const aside = asides.newName(to)
    const [fromPath, asidePath] = [tree.path(from), tree.path(aside)]
    await disk.rename(fromPath, asidePath)
    try {
      if (!(await this.#isExchanged(asidePath, tree.path(to)))) return undefined
    } catch (error) {
      await disk.rename(asidePath, fromPath).catch(() => {}) // the first error is reported
      throw error
    }
    if (!(await this.#isExpected(asidePath, expected))) return aside
    // As a temporary file it is removed later.
    await disk.removeFile(asidePath).catch(() => disk.rename(asidePath, fromPath).catch(() => {}))
    return undefined
  }

  /** False where the item has its place and has displaced none. */
  async #isExchanged(aside: string, to: string): Promise<boolean> {
    const { disk } = this.#deps.tree
    try {
      if (await disk.exchange(aside, to)) return true
      await disk.rename(aside, to)
    } catch (error) {
      if (!isMissing(error)) throw error
      await disk.renameNew(aside, to) // the item was removed in this instant
    }
    return false
  }

  /** False where it cannot be read. */
  async #isExpected(path: string, expected: DiskItem): Promise<boolean> {
    const { disk } = this.#deps.tree
    try {
      const { type, sizeBytes, modifiedS, modifiedNs, mode } = await disk.lstat(path)
      if (type !== expected.type) return false
      if (type === 'symlink') return (await disk.readSymlink(path)) === expected.symlinkTarget
      return (
        sizeBytes === expected.sizeBytes &&
        modifiedS === expected.modifiedS &&
        modifiedNs === expected.modifiedNs &&
        mode === expected.mode
      )
    } catch {
      return false
    }
  }
}
