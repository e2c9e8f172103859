import type { FileHead } from '../../core/records/file-info.ts'
import type { ConflictCopies } from './conflict-copies.ts'
import type { ItemCheck } from './item-check.ts'
import type { Archive } from './replacement.ts'
import type { TreeDisk } from './tree-disk.ts'

export interface DisplacementDeps {
  readonly tree: TreeDisk
  readonly check: ItemCheck
  readonly conflicts: ConflictCopies
  readonly archive: Archive | undefined
}

/** Frees names of files that no record has: those that other devices have deleted and that stay here. */
export class Displacement {
  readonly #deps: DisplacementDeps

  constructor(deps: DisplacementDeps) {
    this.#deps = deps
  }

  /** The file becomes an old version or, whatever their limit, a conflict copy. Rejects unless it matches. */
  async file(file: FileHead, winner: FileHead): Promise<void> {
    const { archive, check, conflicts, tree } = this.#deps
    const { name } = file
    if ((await tree.statReachable(name)) === undefined) return
    await check.require(name, file)
    if (archive === undefined) await conflicts.rename(name, winner)
    else await archive.move(name)
    tree.changed(name)
  }

  /** A directory that holds some is renamed to a conflict copy. */
  async directory(name: string, winner: FileHead): Promise<void> {
    const { conflicts, tree } = this.#deps
    const item = await tree.statReachable(name)
    if (item === undefined || item === 'other' || item.type !== 'directory') return
    await conflicts.rename(name, winner)
    tree.scanLater(name)
    tree.changed(name)
  }

  /** Whether the disk has another spelling of an unused name, and does not distinguish the two. */
  async hasOtherSpelling(name: string): Promise<boolean> {
    const { check, tree } = this.#deps
    return (await tree.statReachable(name)) !== undefined && (await check.hasOtherSpelling(name))
  }
}
