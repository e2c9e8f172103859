import type { FolderId } from '../../core/ids.ts'
import type { ModelSignals } from '../signals.ts'
import type { FolderRoots } from '../state/folder-roots.ts'

export interface AvailabilityDeps {
  readonly roots: Pick<FolderRoots, 'get' | 'set' | 'delete'>
  readonly signals: Pick<ModelSignals, 'usabilityChanged'>
}

/** Whether other devices may exchange one folder: only while it runs and its index and token can be used. */
export class Availability {
  readonly #deps: AvailabilityDeps
  readonly #folder: FolderId
  readonly #root: string

  constructor(deps: AvailabilityDeps, folder: FolderId, root: string) {
    this.#deps = deps
    this.#folder = folder
    this.#root = root
  }

  /** The folder starts. */
  begin(): void {
    this.#deps.roots.set(this.#folder, this.#root)
  }

  /** The folder has stopped. */
  end(): void {
    this.#deps.roots.delete(this.#folder)
  }

  setUsable(isUsable: boolean): void {
    const { roots, signals } = this.#deps
    if ((roots.get(this.#folder) !== undefined) === isUsable) return
    if (isUsable) roots.set(this.#folder, this.#root)
    else roots.delete(this.#folder)
    signals.usabilityChanged.emit(this.#folder)
  }
}
