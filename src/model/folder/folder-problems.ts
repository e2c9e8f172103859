import { type ScanScope, WHOLE_FOLDER } from '../../core/paths.ts'
import type { FolderId } from '../../core/ids.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { ScanProblem } from '../../scanner/types.ts'
import { Problems } from '../state/problems.ts'

const WARNINGS_MAX = 10

export interface FolderProblemsDeps {
  readonly events: EventSink
  readonly log: Logger
}

/** The items of one folder that could not be scanned or pulled, with their log lines and events. */
export class FolderProblems {
  readonly #deps: FolderProblemsDeps
  readonly #folder: FolderId
  readonly #scan = new Problems()
  readonly #pull = new Problems()

  constructor(deps: FolderProblemsDeps, folder: FolderId) {
    this.#deps = deps
    this.#folder = folder
  }

  get count(): number {
    return this.#scan.count + this.#pull.count
  }

  get pullCount(): number {
    return this.#pull.count
  }

  list(): readonly ScanProblem[] {
    return [...this.#scan.list(), ...this.#pull.list()]
  }

  /** The problems of a scan of these paths. */
  setScan(scope: ScanScope, found: readonly ScanProblem[]): void {
    if (!this.#scan.replace(scope, found)) return
    this.#warn(found)
    if (this.#scan.count > 0) this.#publish()
  }

  /** The problems of a pull. Published after every pull that has some, as in Syncthing. */
  setPull(found: readonly ScanProblem[]): void {
    const hasChanged = this.#pull.replace(WHOLE_FOLDER, found)
    if (found.length === 0) return
    if (hasChanged) this.#warn(found)
    this.#publish()
  }

  #warn(problems: readonly ScanProblem[]): void {
    for (const { path, error } of problems.slice(0, WARNINGS_MAX)) {
      this.#deps.log.warn(`folder ${this.#folder}: ${path}: ${error}`)
    }
  }

  #publish(): void {
    this.#deps.events.emit('FolderErrors', { folder: this.#folder, errors: this.list() })
  }
}
