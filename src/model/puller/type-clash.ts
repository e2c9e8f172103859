import type { FileHead } from '../../core/records/file-info.ts'
import { isNeeded } from '../../core/records/need.ts'
import { itemFailed } from '../../platform/files/item-failed.ts'
import type { Blocker } from '../tree/folder-tree.ts'
import type { PullParts } from './pull-parts.ts'

type ClashParts = Pick<PullParts, 'clock' | 'folder' | 'folderLock' | 'ignore' | 'index' | 'kept' | 'log' | 'tree'>

/** The record that ends the clash may still be on its way: index updates arrive in several messages. */
const CLASH_AGE_MS_MIN = 30_000
const CLASHES_MAX = 1_000
/** Conflict names have years of four digits. */
const MODIFIED_S_MAX = 253_402_214_400

/**
 * Names that are a file or symlink here and a directory with needed items on other devices. Both cannot have the name:
 * the directory gets it, and ours is renamed to a conflict copy. The directory has more content and may be in use by
 * several devices, and a renamed file keeps its content, whereas a renamed directory changes the names of many items.
 */
export class TypeClashes {
  /** By name, with the time of the first failure; of the pull before and of this one. */
  #before: ReadonlyMap<string, number> = new Map()
  #now = new Map<string, number>()
  readonly #renaming = new Map<string, Promise<void>>()

  /** A pull begins: clashes that the pull before did not meet are over. */
  begin(): void {
    this.#before = this.#now
    this.#now = new Map()
  }

  /**
   * For an item that failed. True when an item of ours above it was renamed, so that the next attempt may succeed.
   * Rejects with the reason where it is not renamed.
   */
  async resolveAbove(parts: ClashParts, name: string, signal: AbortSignal): Promise<boolean> {
    const blocker = await parts.tree.findBlocker(name)
    if (blocker === undefined) return false
    if (blocker.type === 'other') throw itemFailed(described(blocker))
    const nowMs = parts.clock.monotonicMs()
    if (nowMs - this.#noted(blocker.name, nowMs) < CLASH_AGE_MS_MIN) {
      throw itemFailed(`${described(blocker)}; it will be renamed to a conflict copy`)
    }
    let renaming = this.#renaming.get(blocker.name)
    if (renaming === undefined) {
      renaming = renameBlocker(parts, blocker, signal).finally(() => this.#renaming.delete(blocker.name))
      this.#renaming.set(blocker.name, renaming)
    }
    await renaming
    return true
  }

  /** The time at which the clash was first met. */
  #noted(name: string, nowMs: number): number {
    const sinceMs = this.#now.get(name) ?? this.#before.get(name) ?? nowMs
    if (this.#now.size < CLASHES_MAX) this.#now.set(name, sinceMs)
    return sinceMs
  }
}

const TYPE_NAMES: Readonly<Record<Blocker['type'], string>> = {
  file: 'file',
  directory: 'directory',
  symlink: 'symlink',
  other: 'device, pipe or socket',
}

function described({ name, type }: Blocker): string {
  return `${JSON.stringify(name)} is a ${TYPE_NAMES[type]} on this device and a directory on another one`
}

async function renameBlocker(parts: ClashParts, blocker: Blocker, signal: AbortSignal): Promise<void> {
  const { name } = blocker
  if (parts.ignore.match(name).ignored) throw itemFailed(`${described(blocker)}; it is ignored`)
  using _lock = await parts.folderLock.shared(signal)
  const { local, global } = await parts.index.records.both(name)
  if (global !== undefined && isNeeded(local, global, false))
    throw itemFailed(`${described(blocker)}; it is not up to date`)
  const kept = local === undefined || local.deleted ? parts.kept.find(name) : undefined
  if (kept !== undefined) await parts.tree.displacement.file(kept.file, global ?? kept.file)
  const item = await parts.tree.check(name, local)
  if (item !== undefined && local !== undefined) await saveBlocker(parts, local)
  // Its record follows with the next scan, as a change of ours: the directory wins on all devices.
  await parts.tree.ensureParents(`${name}/.`)
}

/**
 * The conflict name has the time of the file, not the current one: several devices that resolve the same clash choose
 * the same name, and the copies are equal.
 */
async function saveBlocker(parts: ClashParts, local: FileHead): Promise<void> {
  const { name, type, modifiedS } = local
  const hasUsualTime = type === 'file' && modifiedS > 0 && modifiedS < MODIFIED_S_MAX
  const kept = await parts.tree.toConflictCopy(local, hasUsualTime ? modifiedS * 1_000 : undefined)
  if (kept === undefined) return
  const names = `${JSON.stringify(name)} to ${JSON.stringify(kept)}`
  parts.log.info(`folder ${parts.folder.id}: renamed ${names}, because it is a directory on another device`)
}
