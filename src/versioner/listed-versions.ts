import { parentOf } from '../core/paths.ts'
import { versionKey, versionKeyOf } from '../core/records/version-names.ts'
import type { Clock } from '../platform/clock.ts'

/** Changes by other programs are seen after this time; entries are checked for existence before use. */
const FRESH_MS = 30_000

export interface ListedVersionsDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** The paths of the files of one directory, relative to the root. */
  filesIn(directory: string): Promise<readonly string[]>
}

/**
 * The versions of a file. One listing of a directory serves all files archived in sequence: a listing per file would
 * read fifty million names for ten thousand deletions in one directory. Only one directory is cached.
 */
export class ListedVersions {
  readonly #deps: ListedVersionsDeps
  #directory: string | undefined
  #listedMs = 0
  #byKey = new Map<string, string[]>()

  constructor(deps: ListedVersionsDeps) {
    this.#deps = deps
  }

  /** Includes `kept`, the version just stored. Some entries may have been removed since. */
  async of(name: string, kept: string): Promise<readonly string[]> {
    const directory = parentOf(name)
    const nowMs = this.#deps.clock.monotonicMs()
    if (directory !== this.#directory || nowMs - this.#listedMs >= FRESH_MS) {
      const paths = await this.#deps.filesIn(directory)
      this.#byKey = new Map()
      for (const path of paths) this.#add(path)
      this.#directory = directory
      this.#listedMs = nowMs
    }
    this.#add(kept)
    return [...(this.#byKey.get(versionKeyOf(name)) ?? [])]
  }

  #add(path: string): void {
    const key = versionKey(path)
    if (key === undefined) return
    const known = this.#byKey.get(key)
    if (known === undefined) this.#byKey.set(key, [path])
    else if (!known.includes(path)) known.push(path)
  }
}
