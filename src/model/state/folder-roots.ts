import type { FolderId } from '../../core/ids.ts'
import { Mutex } from '../../sync/mutex.ts'
import { SharedMutex } from '../../sync/shared-mutex.ts'
import { IndexContinuity, type IndexContinuityDeps } from './index-continuity.ts'

/** What the registry and the peers share of each folder: its root, its lock, and whether its index continues. */
export class FolderRoots {
  readonly #roots = new Map<FolderId, string>()
  readonly #locks = new Map<FolderId, SharedMutex>()
  readonly #ignoreWriters = new Map<FolderId, Mutex>()
  readonly #continuities = new Map<FolderId, IndexContinuity>()
  readonly #deps: IndexContinuityDeps

  constructor(deps: IndexContinuityDeps) {
    this.#deps = deps
  }

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

  /** Held by writers of the folder's ignore file. */
  ignoreWriter(folder: FolderId): Mutex {
    const writer = this.#ignoreWriters.get(folder) ?? new Mutex()
    this.#ignoreWriters.set(folder, writer)
    return writer
  }

  /** Stays while the process runs, also over a pause of the folder. */
  continuity(folder: FolderId): IndexContinuity {
    const continuity = this.#continuities.get(folder) ?? new IndexContinuity(this.#deps)
    this.#continuities.set(folder, continuity)
    return continuity
  }

  delete(folder: FolderId): void {
    this.#roots.delete(folder)
  }
}
