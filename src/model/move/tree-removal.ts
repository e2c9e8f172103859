import { isMissing, systemCode } from '../../core/errors.ts'
import { isCopyOf, mayHaveChanged } from '../../core/move/copies.ts'
import { joinPath } from '../../core/paths.ts'
import type { Disk, DiskStat } from '../../platform/disk.ts'
import { CLAIM_NAME, isMoveTemporary } from './places.ts'
import { removeClones } from '../state/clones-directory.ts'

/** Listed; all are counted. */
const LEFT_MAX = 100
const OWNER_ALL = 0o700
const IN_USE: readonly string[] = ['ENOTEMPTY', 'EEXIST', 'EBUSY']

export interface RemovalDeps {
  readonly disk: Disk
  readonly signal: AbortSignal
  isSameContent(one: string, other: string): Promise<boolean>
  /** Whether an item is known as a copy, although the other place has another version. */
  isKnownCopy?(name: string, stat: DiskStat): Promise<boolean>
}

export interface RemovalOptions {
  /** What is removed. */
  readonly root: string
  /** Where everything has to be before it is removed. */
  readonly other: string
  readonly markerName: string
  readonly windowNs: number
  /** Files with a change time from then on are compared byte by byte; undefined: size and time are enough. */
  readonly since: number | undefined
  /** The root itself is removed when it is empty. */
  readonly withRoot: boolean
}

/** Items that were not removed. */
export interface LeftItems {
  readonly names: readonly string[]
  readonly count: number
}

/** A directory in both places; the other one may be missing. */
interface Pair {
  readonly name: string
  readonly root: string
  readonly other: string | undefined
}

/** Removes a tree as far as it is in another place, too. Everything else stays and is reported. */
export class TreeRemoval {
  readonly #deps: RemovalDeps
  readonly #options: RemovalOptions
  readonly #markerTop: string
  readonly #left: string[] = []
  #leftCount = 0

  constructor(deps: RemovalDeps, options: RemovalOptions) {
    this.#deps = deps
    this.#options = options
    this.#markerTop = options.markerName.split('/')[0] ?? ''
  }

  async run(): Promise<LeftItems> {
    const { disk } = this.#deps
    const { other, root, withRoot } = this.#options
    const before = await disk.lstat(root).catch(missingToUndefined)
    if (before?.type !== 'directory') return this.#result // removed before an interruption
    {
      await using held = await disk.holdDirectory(root)
      const pair = { name: '', root: held.path, other }
      await this.#children(pair, (base) => base !== this.#markerTop)
      await removeClones(disk, held.path)
      await this.#children(pair, (base) => base === this.#markerTop)
      await disk.syncDirectory(held.path)
    }
    if (withRoot) await this.#removeDirectory(root)
    return this.#result
  }

  get #result(): LeftItems {
    return { names: this.#left, count: this.#leftCount }
  }

  async #children(pair: Pair, isMeant: (base: string) => boolean): Promise<void> {
    const { disk, signal } = this.#deps
    const names = await disk.list(pair.root)
    for (const { name: base, valid } of names) {
      signal.throwIfAborted()
      if (!isMeant(base)) continue
      const name = pair.name === '' ? base : `${pair.name}/${base}`
      if (!valid) this.#stays(name)
      else await this.#item({ ...pair, name }, base)
    }
  }

  async #item(pair: Pair, base: string): Promise<void> {
    const { disk } = this.#deps
    const path = joinPath(pair.root, base)
    if (isMoveTemporary(base) || pair.name === CLAIM_NAME) return await disk.removeFile(path)
    const stat = await disk.lstat(path).catch(missingToUndefined)
    if (stat === undefined) return
    const other = pair.other === undefined ? undefined : joinPath(pair.other, base)
    const there = other === undefined ? undefined : await disk.lstat(other).catch(missingToUndefined)
    if (stat.type === 'directory') return await this.#directory({ ...pair, root: path, other }, stat, there)
    const mayGo = (await this.#isThere({ path, stat }, other, there)) || (await this.#isKnown(pair.name, stat))
    if (!mayGo) return this.#stays(pair.name)
    await disk.removeFile(path)
  }

  async #isThere(
    { path, stat }: { readonly path: string; readonly stat: DiskStat },
    other: string | undefined,
    there: DiskStat | undefined,
  ): Promise<boolean> {
    const { disk } = this.#deps
    const { since, windowNs } = this.#options
    if (other === undefined || there === undefined || stat.type === 'other') return false
    if (!isCopyOf(there, stat, windowNs)) return false
    if (stat.type === 'symlink') return (await disk.readSymlink(path)) === (await disk.readSymlink(other))
    if (!mayHaveChanged(stat, since)) return true
    return await this.#deps.isSameContent(path, other)
  }

  async #isKnown(name: string, stat: DiskStat): Promise<boolean> {
    return (await this.#deps.isKnownCopy?.(name, stat)) ?? false
  }

  /** By paths below held directories: one that is replaced by a symlink meanwhile leads nothing elsewhere. */
  async #directory(pair: Pair, stat: DiskStat, there: DiskStat | undefined): Promise<void> {
    const { disk } = this.#deps
    if ((stat.mode & OWNER_ALL) !== OWNER_ALL) await disk.chmod(pair.root, stat.mode | OWNER_ALL)
    await using held = await disk.holdDirectory(pair.root)
    if (there?.type === 'directory' && pair.other !== undefined) {
      await using other = await disk.holdDirectory(pair.other)
      await this.#children({ name: pair.name, root: held.path, other: other.path }, () => true)
    } else {
      await this.#children({ name: pair.name, root: held.path, other: undefined }, () => true)
    }
    const mayGo = there?.type === 'directory' || (await this.#isKnown(pair.name, stat))
    const isEmpty = (await disk.list(held.path)).length === 0
    if (mayGo) await this.#removeDirectory(pair.root)
    else if (isEmpty) this.#stays(pair.name) // one with items is reported by these
  }

  /** False where something is in it, or another file system is mounted there. */
  async #removeDirectory(path: string): Promise<boolean> {
    try {
      await this.#deps.disk.removeDirectory(path)
      return true
    } catch (error) {
      if (!IN_USE.includes(systemCode(error) ?? '')) throw error
      return false
    }
  }

  #stays(name: string): void {
    this.#leftCount++
    if (this.#left.length < LEFT_MAX) this.#left.push(name)
  }
}

function missingToUndefined(error: unknown): undefined {
  if (!isMissing(error)) throw error
}
