import type { IgnoreRules } from '../../core/ignore/ignore.ts'
import type { Selection, SelectionEntry } from '../../core/ignore/selection.ts'
import { isBelow } from '../../core/paths.ts'
import { hashKey } from '../../core/records/block-diff.ts'
import { FLAG_IGNORED, type FileHead } from '../../core/records/file-info.ts'
import type { FolderIndex } from '../../db/types.ts'

const PAGE = 2_000
/** Needed items that one search reads, and names that are remembered for later ones. */
const ITEMS_MAX = 100_000
const REMEMBERED_MAX = 10_000

/**
 * Renames of kept files on other devices to names that are dropped here. A rename is a deletion and a new file with the
 * same block list; both may arrive in any order, and in different messages.
 */
export class FollowedRenames {
  /** By block list: names of files that were kept and deleted elsewhere. */
  readonly #deleted = new Map<string, string>()
  /** By block list: names of dropped files that appeared. */
  readonly #appeared = new Map<string, string>()

  /** The exceptions that needed items require. Called before each pull, which forgets what is dropped. */
  async find(
    index: FolderIndex,
    selection: Selection,
    rules: IgnoreRules,
    signal: AbortSignal,
  ): Promise<readonly SelectionEntry[]> {
    if (!selection.hasKept) return []
    const found = new Map<string, SelectionEntry>()
    let afterName = ''
    for (let count = 0; count < ITEMS_MAX; count += PAGE) {
      signal.throwIfAborted()
      const page = await index.needs.need({ offset: 0, limit: PAGE, afterName })
      for (const head of page) {
        const pair = await this.#pair(index, head, selection, rules)
        if (pair === undefined) continue
        const path = await followedPath(index, pair, selection)
        found.set(path, { path, state: 'kept', reason: 'renamed' })
      }
      afterName = page.at(-1)?.name ?? ''
      if (page.length < PAGE) break
    }
    return [...found.values()]
  }

  /** The old and the new name of a kept file, when the second of both arrives. */
  async #pair(
    index: FolderIndex,
    head: FileHead,
    selection: Selection,
    rules: IgnoreRules,
  ): Promise<RenamedFile | undefined> {
    const { name } = head
    if (head.deleted) {
      const local = await index.records.head('local', name)
      // Only what a user chose to keep: a file that is moved into a dropped directory is dropped with it.
      if (local === undefined || !isKeptFile(local) || selection.entryFor(name)?.state !== 'kept') return undefined
      return await this.#match(index, hashKey(local.blocksHash!), { from: name })
    }
    if (head.type !== 'file' || head.sizeBytes === 0 || head.blocksHash === undefined) return undefined
    return rules.isDropped(name) ? await this.#match(index, hashKey(head.blocksHash), { to: name }) : undefined
  }

  async #match(index: FolderIndex, key: string, { from, to }: Partial<RenamedFile>): Promise<RenamedFile | undefined> {
    if (from !== undefined) remember(this.#deleted, key, from)
    if (to !== undefined) remember(this.#appeared, key, to)
    const pair = { from: from ?? this.#deleted.get(key), to: to ?? this.#appeared.get(key) }
    if (pair.from === undefined || pair.to === undefined) return undefined
    const [old, next] = [await index.records.global(pair.from), await index.records.global(pair.to)]
    const isRename = old?.deleted === true && next?.deleted === false && hasBlocks(next, key)
    return isRename ? { from: pair.from, to: pair.to } : undefined
  }
}

interface RenamedFile {
  readonly from: string
  readonly to: string
}

/** Of a renamed directory that was kept as a whole, the directory: one entry instead of one for each file. */
async function followedPath(index: FolderIndex, { from, to }: RenamedFile, selection: Selection): Promise<string> {
  const kept = selection.entryFor(from)?.path ?? ''
  if (kept === '' || !isBelow(from, kept)) return to
  const rest = from.slice(kept.length)
  const directory = to.slice(0, -rest.length)
  if (!to.endsWith(rest) || directory === '') return to
  const [old, next] = [await index.records.global(kept), await index.records.both(directory)]
  // One that we know already may have files that were never kept.
  const isRenamed = old?.deleted === true && next.global?.deleted === false && next.local === undefined
  return isRenamed ? directory : to
}

function isKeptFile({ type, deleted, localFlags, blocksHash, sizeBytes }: FileHead): boolean {
  return type === 'file' && !deleted && (localFlags & FLAG_IGNORED) === 0 && blocksHash !== undefined && sizeBytes > 0
}

function hasBlocks({ blocksHash }: FileHead, key: string): boolean {
  return blocksHash !== undefined && hashKey(blocksHash) === key
}

/** The oldest is forgotten first. */
function remember(names: Map<string, string>, key: string, name: string): void {
  names.delete(key)
  names.set(key, name)
  const [oldest] = names.keys()
  if (names.size > REMEMBERED_MAX && oldest !== undefined) names.delete(oldest)
}
