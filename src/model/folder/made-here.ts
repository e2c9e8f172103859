import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import type { Selection } from '../../core/ignore/selection.ts'
import { isAtOrBelow, isReserved, joinPath } from '../../core/paths.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import type { Records } from '../../db/types.ts'
import type { Disk, DiskStat } from '../../platform/disk.ts'

/** Names that one search examines: dropped directories are nearly empty, unless a user put much there. */
const NAMES_MAX = 50_000
const FOUND_MAX = 1_000

export interface MadeHereDeps {
  readonly disk: Pick<Disk, 'list' | 'lstat'>
  readonly index: Pick<Records, 'global' | 'head'>
  readonly rules: IgnoreRules
  readonly selection: Selection
}

/**
 * Paths of items on our disk that the selection drops although they were made here: no other device has them, or has
 * another file of that name. A new directory is one path for everything in it.
 */
export async function findMadeHere(
  deps: MadeHereDeps,
  root: string,
  scope: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const search = new MadeHereSearch(deps, root, signal)
  for (const { path, state } of deps.selection.entries) {
    if (state !== 'dropped') continue
    // The smaller of the two places: a change in a dropped directory, or a dropped item in a scanned directory.
    for (const sub of scope) {
      if (isAtOrBelow(path, sub)) await search.visit(path)
      else if (isAtOrBelow(sub, path)) await search.visit(sub)
    }
  }
  return [...search.found]
}

class MadeHereSearch {
  readonly found = new Set<string>()
  readonly #deps: MadeHereDeps
  readonly #root: string
  readonly #signal: AbortSignal
  #namesLeft = NAMES_MAX

  constructor(deps: MadeHereDeps, root: string, signal: AbortSignal) {
    this.#deps = deps
    this.#root = root
    this.#signal = signal
  }

  /** `directory` is the outermost one above that no device knows. */
  async visit(name: string, directory?: string): Promise<void> {
    this.#signal.throwIfAborted()
    if (this.found.size >= FOUND_MAX || this.#namesLeft-- <= 0) return
    if (name === '') return await this.#visitAll('', undefined)
    const { rules, selection } = this.#deps
    if (isReserved(name) || selection.stateOf(name) !== 'dropped' || !rules.isDropped(name)) return
    const item = await this.#deps.disk.lstat(joinPath(this.#root, name)).catch(() => undefined)
    if (item === undefined || item.type === 'other') return
    const global = await this.#deps.index.global(name)
    if (item.type === 'directory') {
      const isNew = global === undefined && (await this.#deps.index.head('local', name)) === undefined
      return await this.#visitAll(name, directory ?? (isNew ? name : undefined))
    }
    if (!isSameItem(item, global)) this.found.add(directory ?? name)
  }

  async #visitAll(directory: string, unknown: string | undefined): Promise<void> {
    const entries = await this.#deps.disk.list(joinPath(this.#root, directory)).catch(() => [])
    for (const { name, valid } of entries) {
      if (unknown !== undefined && this.found.has(unknown)) return
      if (valid) await this.visit(directory === '' ? name : `${directory}/${name}`, unknown)
    }
  }
}

/** Whether the item is the one that other devices have: a copy that the user left in place, not one that he made. */
function isSameItem(item: DiskStat, global: FileHead | undefined): boolean {
  if (global === undefined || global.deleted || global.type !== item.type) return false
  if (item.type !== 'file') return true
  return global.sizeBytes === item.sizeBytes && global.modifiedS === item.modifiedS
}
