import { isEncryptedParent } from '../../core/encryption/names.ts'
import { parentOf } from '../../core/paths.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { ConflictCopies } from './conflict-copies.ts'
import { DirectoryContents, type DirectoryContentsDeps } from './directory-contents.ts'

/** Removes directories with their deletable contents. Rejects with the reason where something must be kept. */
export class Directories {
  readonly #deps: DirectoryContentsDeps
  readonly #conflicts: ConflictCopies

  constructor(deps: DirectoryContentsDeps, conflicts: ConflictCopies) {
    this.#deps = deps
    this.#conflicts = conflicts
  }

  /** False where local changes of a receive-only folder, or kept files, keep it. */
  async clear(name: string): Promise<boolean> {
    const { tree } = this.#deps
    const contents = await this.#collect(name, 'deleted')
    await this.#removeDeletable(contents)
    const stays = contents.receiveOnly || contents.hasKept
    if (contents.receiveOnly) tree.scanLater(name)
    if (!stays) await tree.removeDirectory(name)
    return !stays
  }

  /** Frees the name for a file or symlink. Local changes of a receive-only folder, and kept files, get another name. */
  async clearForReplacement(name: string, winner: FileHead): Promise<void> {
    const { tree } = this.#deps
    const contents = await this.#collect(name, 'replaced')
    await this.#removeDeletable(contents)
    if (contents.receiveOnly || contents.hasKept) {
      await this.#conflicts.rename(name, winner)
      tree.scanLater(name) // its contents are gone from there
    } else await tree.removeDirectory(name)
  }

  /** Rejects where `clearForReplacement` would. */
  async checkReplaceable(name: string): Promise<void> {
    await this.#collect(name, 'replaced')
  }

  /** In an encrypted folder, after the removal of an item: the directories above it are no items. */
  async removeEmptyParents(name: string): Promise<void> {
    const { tree } = this.#deps
    for (let parent = parentOf(name); isEncryptedParent(parent); parent = parentOf(parent)) {
      try {
        await tree.removeDirectory(parent)
      } catch {
        return // not empty, or gone
      }
      tree.changed(parent)
    }
  }

  async #collect(name: string, by: 'deleted' | 'replaced'): Promise<DirectoryContents> {
    const contents = new DirectoryContents(this.#deps)
    await contents.collect(name)
    contents.refuse(by)
    return contents
  }

  async #removeDeletable({ deletable }: DirectoryContents): Promise<void> {
    const { tree } = this.#deps
    for (const { path, isDirectory } of deletable.reverse()) {
      await (isDirectory ? tree.removeDirectory(path) : tree.removeFile(path))
    }
  }
}
