import { parentOf } from '../core/paths.ts'
import { versionKey, versionKeyOf } from '../core/records/version-names.ts'
import type { Clock } from '../platform/clock.ts'

/** What others put there or took away meanwhile is seen after this long; whoever uses a name looks whether it is there. */
const FRESH_MS = 30_000

export interface ListedVersionsDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** The names of one directory, with the directory. */
  filesIn(directory: string): Promise<readonly string[]>
}

/**
 * Which versions there are of a file. The directory is listed once for all of its files that are kept in a row: listed
 * for each of them, ten thousand deletions in one directory would read fifty million names. One directory at a time.
 */
export class ListedVersions {
  readonly #deps: ListedVersionsDeps
  #directory: string | undefined
  #listedMs = 0
  #byKey = new Map<string, string[]>()

  constructor(deps: ListedVersionsDeps) {
    this.#deps = deps
  }

  /** With `kept`, which has just been put there. Some may be gone since. */
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
