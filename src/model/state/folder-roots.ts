import type { FolderId } from '../../core/ids.ts'
import { SharedMutex } from '../../sync/shared-mutex.ts'

/** The roots and locks of folders. The registry maintains the roots; the peers use both. */
export class FolderRoots {
  readonly #roots = new Map<FolderId, string>()
  readonly #locks = new Map<FolderId, SharedMutex>()

  /** Absolute; undefined for a folder that does not run. */
  get(folder: FolderId): string | undefined {
    return this.#roots.get(folder)
  }

  set(folder: FolderId, root: string): void {
    this.#roots.set(folder, root)
  }

  /** Held to change the index or to replace a file: shared by pulls, exclusively by scans. */
  lock(folder: FolderId): SharedMutex {
    const lock = this.#locks.get(folder) ?? new SharedMutex()
    this.#locks.set(folder, lock)
    return lock
  }

  delete(folder: FolderId): void {
    this.#roots.delete(folder)
  }
}
