import { isMissing } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import { joinPath } from '../../core/paths.ts'
import type { KeyValue } from '../../db/types.ts'
import type { Disk } from '../../platform/disk.ts'
import { mountPointsBelow } from '../../platform/mounts.ts'

/** Bounds what is stored; a folder has few of them. */
const MOUNTS_MAX = 1_000
/** Reading the table takes as long as scanning a file. */
const INTERVAL_MS = 10_000

export interface FolderMountsDeps {
  readonly disk: Pick<Disk, 'open' | 'lstat' | 'realPath'>
  readonly keyValue: Pick<KeyValue, 'get' | 'set'>
}

/** Where the list of a folder is stored. */
export function mountsKey(folder: FolderId): string {
  return `mounts/${folder}`
}

/**
 * The file systems that are mounted inside one folder. Where one is unmounted, its items are missing but not deleted:
 * the directory at which it was mounted is still there. Who wants them deleted removes that directory.
 */
export class FolderMounts {
  readonly #deps: FolderMountsDeps
  readonly #key: string
  readonly #root: string
  #known: readonly string[] | undefined
  #rememberedMs = Number.NEGATIVE_INFINITY

  constructor(deps: FolderMountsDeps, folder: FolderId, root: string) {
    this.#deps = deps
    this.#key = mountsKey(folder)
    this.#root = root
  }

  /** Directories at which a file system is mounted. */
  async mounted(): Promise<readonly string[]> {
    return await mountPointsBelow(this.#deps.disk, this.#root)
  }

  /** Directories at which a file system was mounted and is not any more. */
  async unmounted(): Promise<readonly string[]> {
    const known = await this.#load()
    if (known.length === 0) return []
    const mounted = new Set(await this.mounted())
    const missing = known.filter((path) => !mounted.has(path))
    const isThere = await Promise.all(missing.map((path) => this.#isThere(path)))
    return missing.filter((_path, at) => isThere[at])
  }

  /** To be called after a scan at this time: remembers what is mounted now, unless it was read a moment ago. */
  async remember(nowMs: number): Promise<void> {
    if (nowMs - this.#rememberedMs < INTERVAL_MS) return
    this.#rememberedMs = nowMs
    const known = await this.#load()
    const mounted = await this.mounted()
    const all = [...new Set([...mounted, ...(await this.unmounted())])].sort().slice(0, MOUNTS_MAX)
    if (JSON.stringify(all) === JSON.stringify(known)) return
    await this.#deps.keyValue.set(this.#key, new TextEncoder().encode(JSON.stringify(all)))
    this.#known = all
  }

  async #load(): Promise<readonly string[]> {
    if (this.#known !== undefined) return this.#known
    const bytes = await this.#deps.keyValue.get(this.#key)
    this.#known = bytes === undefined ? [] : parseList(new TextDecoder().decode(bytes))
    return this.#known
  }

  async #isThere(path: string): Promise<boolean> {
    try {
      return (await this.#deps.disk.lstat(joinPath(this.#root, path))).type === 'directory'
    } catch (error) {
      return !isMissing(error) // unreadable: nothing may be concluded
    }
  }
}

function parseList(text: string): readonly string[] {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list.filter((path) => typeof path === 'string') : []
  } catch {
    return []
  }
}
