import { isMissing, systemCode } from '../core/errors.ts'
import { baseOf, isNormal, joinPath, parentOf } from '../core/paths.ts'
import { diskReason } from '../platform/files/disk-reason.ts'
import type { Disk } from '../platform/disk.ts'

export type Presence =
  | { readonly is: 'here' }
  | { readonly is: 'gone' }
  /** The check failed: nothing may be concluded. */
  | { readonly is: 'unknown'; readonly reason: string }

const HERE: Presence = { is: 'here' }
const GONE: Presence = { is: 'gone' }

/** Limit of cached directories. They come in order, so a few are enough. */
const CACHED_MAX = 1_000

/** Verifies that an item is really gone from the disk before it is recorded as deleted. */
export class PresenceCheck {
  readonly #disk: Pick<Disk, 'lstat' | 'list'>
  readonly #root: string
  readonly #caseInsensitive: boolean
  readonly #directories = new Map<string, Promise<Presence>>()
  readonly #listings = new Map<string, Promise<ReadonlySet<string>>>()

  constructor(
    disk: Pick<Disk, 'lstat' | 'list'>,
    options: { readonly root: string; readonly caseInsensitive: boolean },
  ) {
    this.#disk = disk
    this.#root = options.root
    this.#caseInsensitive = options.caseInsensitive
  }

  /** An item is gone if it does not exist, exists only in another case, or its parent is not a directory any more. */
  async check(name: string): Promise<Presence> {
    const parent = await this.#directory(parentOf(name))
    if (parent.is !== 'here') return parent
    const presence = await this.#stat(name)
    if (presence.is !== 'gone' || isNormal(name.normalize('NFD'))) return presence
    // The item is about to be renamed to this name or was reported as a problem: not gone.
    return this.#stat(name.normalize('NFD'))
  }

  async #stat(name: string, directoryOnly = false): Promise<Presence> {
    try {
      const stat = await this.#disk.lstat(joinPath(this.#root, name))
      if (directoryOnly && stat.type !== 'directory') return GONE
      if (!this.#caseInsensitive) return HERE
      return (await this.#names(parentOf(name))).has(baseOf(name)) ? HERE : GONE
    } catch (error) {
      if (systemCode(error) === undefined) throw error
      return isMissing(error) ? GONE : { is: 'unknown', reason: diskReason(error) }
    }
  }

  async #directory(name: string): Promise<Presence> {
    if (name === '') return HERE // the root is covered by the health check before every batch
    let known = this.#directories.get(name)
    if (known === undefined) {
      if (this.#directories.size >= CACHED_MAX) this.#directories.clear()
      known = this.#directory(parentOf(name)).then((parent) => (parent.is === 'here' ? this.#stat(name, true) : parent))
      this.#directories.set(name, known)
    }
    return known
  }

  async #names(directory: string): Promise<ReadonlySet<string>> {
    let known = this.#listings.get(directory)
    if (known === undefined) {
      if (this.#listings.size >= CACHED_MAX) this.#listings.clear()
      known = this.#disk.list(joinPath(this.#root, directory)).then((names) => new Set(names.map(({ name }) => name)))
      this.#listings.set(directory, known)
    }
    return known
  }
}

/** Whether the file system treats the marker's name in capitals as the marker. */
export async function isCaseInsensitive(disk: Pick<Disk, 'lstat'>, root: string): Promise<boolean> {
  try {
    const checks = [disk.lstat(joinPath(root, '.stfolder')), disk.lstat(joinPath(root, '.STFOLDER'))] as const
    const [marker, capitals] = await Promise.all(checks)
    return marker.deviceId === capitals.deviceId && marker.inode === capitals.inode
  } catch {
    return false // one is missing: the disk is case-sensitive or the marker has another name
  }
}
