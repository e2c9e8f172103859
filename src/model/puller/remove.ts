import { isMissing } from '../../core/errors.ts'
import type { FileHead, FileInfo } from '../../core/records/file-info.ts'
import { FLAG_RECEIVE_ONLY } from '../../core/records/file-info.ts'
import { isTemporary } from '../../core/paths.ts'
import { pathOf, type PullContext } from './context.ts'
import { itemFailed } from './item-failed.ts'
import { removeSafely } from './remove-safely.ts'
import { checkTarget, isAsRecorded, statItem, saveAsConflict } from './target.ts'

const DELETED_ELSEWHERE = 'delete dir: directory has been deleted on a remote device but'
const HAS_CHANGED = `${DELETED_ELSEWHERE} contains changed files, scheduling scan`
const HAS_IGNORED = `${DELETED_ELSEWHERE} contains ignored files (see ignore documentation for (?d) prefix)`
const HAS_KNOWN = `${DELETED_ELSEWHERE} is not empty; the contents are probably ignored on that remote device, but not locally`

/**
 * Limit of deletable items below a deleted directory, far above normal use of `(?d)`; beyond it the user must decide.
 */
const DELETABLE_MAX = 100_000

/** Removes a file or symlink that was deleted on another device, and records it. */
export async function removeFileItem(
  context: PullContext,
  global: FileInfo,
  local: FileHead,
  saveOurs: boolean,
): Promise<void> {
  const { name } = global
  const there = (await context.parents.isReachable(name)) && (await statItem(context, name)) !== undefined
  if (there) {
    await checkTarget(context, name, local)
    if (saveOurs) await saveAsConflict(context, name, global)
    else if (local.type === 'file') await context.archive?.move(name)
    await removeSafely(context, name, local)
  }
  context.records.add(deletionRecord(global), there)
}

export function deletionRecord(global: FileInfo): FileInfo {
  return { ...global, sequence: 0, localFlags: 0 }
}

/** For temporary files, which no other program writes. */
export async function removeIfThere(context: PullContext, name: string): Promise<void> {
  const remove = () => context.platform.disk.removeFile(pathOf(context, name))
  await context.parents.inside(name, remove).catch((error: unknown) => {
    if (!isMissing(error)) throw error
  })
}

/**
 * Removes a directory that was deleted on another device, and records it, unless it contains items that must be kept.
 */
export async function removeDirectoryItem(context: PullContext, global: FileInfo): Promise<void> {
  const { name } = global
  const item = (await context.parents.isReachable(name)) ? await statItem(context, name) : undefined
  // Another item of that name is not the deleted one: the next scan announces it.
  if (item !== undefined && (item === 'other' || item.type !== 'directory')) context.scanLater(name)
  else if (item !== undefined) await clearDirectory(context, name)
  context.records.add(deletionRecord(global), item !== undefined)
}

/** Removes a directory with its deletable contents. Rejects with the reason where something must be kept. */
export async function clearDirectory(context: PullContext, name: string): Promise<void> {
  const contents = new Contents(context)
  await contents.collect(name)
  contents.refuse()
  const { disk } = context.platform
  for (const { path: child, isDirectory } of contents.deletable.reverse()) {
    const path = pathOf(context, child)
    await context.parents.inside(child, () => (isDirectory ? disk.removeDirectory(path) : disk.removeFile(path)))
  }
  if (contents.receiveOnly) context.scanLater(name) // stays on disk as a local change
  else await context.parents.inside(name, () => disk.removeDirectory(pathOf(context, name)))
}

/** Classifies the contents of a directory that was deleted on another device. */
class Contents {
  readonly #context: PullContext
  /** Parents before children. */
  readonly deletable: { readonly path: string; readonly isDirectory: boolean }[] = []
  receiveOnly = false
  #changed = false
  #ignored = false
  #known = false

  constructor(context: PullContext) {
    this.#context = context
  }

  async collect(directory: string): Promise<void> {
    for (const entry of await this.#context.platform.disk.list(pathOf(this.#context, directory))) {
      if (entry.valid) await this.#classify(`${directory}/${entry.name}`)
      else this.#changed = true
    }
  }

  /** Rejects with the most severe reason. */
  refuse(): void {
    if (this.#changed) throw itemFailed(HAS_CHANGED)
    if (this.#ignored) throw itemFailed(HAS_IGNORED)
    if (this.#known && !this.receiveOnly) throw itemFailed(HAS_KNOWN)
  }

  async #classify(path: string): Promise<void> {
    const context = this.#context
    const item = await statItem(context, path)
    if (item === undefined) return
    const isDirectory = item !== 'other' && item.type === 'directory'
    const match = context.ignore.match(path)
    if (match.deletable || (isTemporary(path) && !isDirectory)) {
      if (this.deletable.length >= DELETABLE_MAX) this.#ignored = true
      else this.deletable.push({ path, isDirectory })
      if (isDirectory) await this.collect(path)
      return
    }
    if (match.ignored || item === 'other') {
      this.#ignored = true
      return
    }
    const record = await context.index.get('local', path)
    if (record !== undefined && (record.localFlags & FLAG_RECEIVE_ONLY) !== 0) this.receiveOnly = true
    else if (record === undefined || !isAsRecorded(context, item, record)) {
      context.scanLater(path)
      this.#changed = true
    } else this.#known = true
  }
}
