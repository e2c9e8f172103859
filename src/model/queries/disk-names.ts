import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import { compareNames, isReserved, joinPath } from '../../core/paths.ts'
import type { Disk } from '../../platform/disk.ts'
import type { TimeSlice } from '../../sync/time-slice.ts'
import type { IgnoredItem } from './explorer-types.ts'

/** Names that a walk examines. */
const NAMES_MAX = 50_000
const WORK_MS_MAX = 1_000

type ReadDisk = Pick<Disk, 'list' | 'lstat' | 'realPath'>

/** The tree of a folder on disk, for names that no index has. */
export class DiskNames {
  readonly #disk: ReadDisk
  readonly #root: string

  constructor(disk: ReadDisk, root: string) {
    this.#disk = disk
    this.#root = root
  }

  /**
   * Calls `check` for every name below the root that is not known. Directories that the rules leave out as a whole are
   * not entered. Resolves to whether all of the tree was examined.
   */
  async walk(
    rules: IgnoreRules,
    known: ReadonlyMap<string, string>,
    check: (name: string) => void,
    slice: TimeSlice,
  ): Promise<boolean> {
    const directories = ['']
    const limitMs = slice.workedMs + WORK_MS_MAX
    let examined = 0
    for (let directory = directories.pop(); directory !== undefined; directory = directories.pop()) {
      for (const name of await this.#namesIn(directory)) {
        if (++examined > NAMES_MAX || slice.workedMs > limitMs) return false
        if (slice.isDue) await slice.yield()
        const type = known.get(name)
        if (type === undefined) check(name)
        const { ignored, maySkip } = rules.match(name)
        if (ignored && maySkip) continue
        if ((type ?? (await this.#typeOf(name))) === 'directory') directories.push(name)
      }
    }
    return true
  }

  /** The names in one directory that are ignored and not known, by name. */
  async ignored(rules: IgnoreRules, directory: string, known: ReadonlySet<string>): Promise<readonly string[]> {
    if (!(await this.#isInside(directory))) return []
    const names = await this.#namesIn(directory)
    return names.filter((name) => !known.has(name) && rules.match(name).ignored).sort(compareNames)
  }

  /** The items with these names; those that have vanished or cannot be synchronized are left out. */
  async items(names: readonly string[]): Promise<readonly IgnoredItem[]> {
    const items: IgnoredItem[] = []
    for (const name of names) {
      const stat = await this.#disk.lstat(joinPath(this.#root, name)).catch(() => undefined)
      if (stat === undefined || stat.type === 'other') continue
      const { type, modifiedS, modifiedNs } = stat
      const sizeBytes = type === 'file' ? stat.sizeBytes : 0
      const children = type === 'directory' ? (await this.#namesIn(name)).length > 0 : undefined
      items.push({ name, type, sizeBytes, modifiedS, modifiedNs, ...(children !== undefined && { children }) })
    }
    return items
  }

  /** None where the directory cannot be read. */
  async #namesIn(directory: string): Promise<readonly string[]> {
    const found = await this.#disk.list(joinPath(this.#root, directory)).catch(() => [])
    return found
      .filter(({ valid }) => valid)
      .map(({ name }) => (directory === '' ? name : `${directory}/${name}`))
      .filter((name) => !isReserved(name))
  }

  async #typeOf(name: string): Promise<string> {
    return (await this.#disk.lstat(joinPath(this.#root, name)).catch(() => undefined))?.type ?? 'other'
  }

  /** A symlink, which may come from another device, must not show a directory outside the folder. */
  async #isInside(directory: string): Promise<boolean> {
    try {
      const realRoot = await this.#disk.realPath(this.#root)
      return (await this.#disk.realPath(joinPath(this.#root, directory))) === joinPath(realRoot, directory)
    } catch {
      return false
    }
  }
}
