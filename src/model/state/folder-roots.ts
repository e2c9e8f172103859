import type { FolderId } from '../../core/ids.ts'

/** The root directories of the folders that run. The registry maintains them; the peers read them. */
export class FolderRoots {
  readonly #roots = new Map<FolderId, string>()

  /** Absolute; undefined for a folder that does not run. */
  get(folder: FolderId): string | undefined {
    return this.#roots.get(folder)
  }

  set(folder: FolderId, root: string): void {
    this.#roots.set(folder, root)
  }

  delete(folder: FolderId): void {
    this.#roots.delete(folder)
  }
}
