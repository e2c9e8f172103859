import type { FileHead } from '../../core/records/file-info.ts'
import { messageOf } from '../../core/errors.ts'
import { diskReason } from '../../platform/files/disk-reason.ts'
import { isItemFailure, itemFailed } from '../../platform/files/item-failed.ts'
import type { Versioner } from '../../versioner/types.ts'
import type { ResolvedConflict } from '../types.ts'
import type { PullParts } from './pull-parts.ts'

interface UndoParts extends Pick<PullParts, 'index' | 'tree'> {
  readonly versioner: Pick<Versioner, 'newest' | 'restore'> | undefined
  scanLater(name: string): void
}

/** What brings one file and its conflict copy back. */
interface UndoStep {
  /** The file that is renamed to the conflict copy: our record of it, and that of the copy name. */
  readonly rename: { readonly from: FileHead; readonly to: FileHead; readonly free: FileHead | undefined } | undefined
  /** The merged file, which is removed where it has replaced none. */
  readonly remove: FileHead | undefined
  /** The files that old versions become again. */
  readonly restore: readonly { readonly file: FileHead; readonly versionMs: number }[]
}

/**
 * Brings back both files of resolved conflicts, with their names, contents, modes and times. All of them are checked
 * first: where one cannot be brought back nothing is changed, and the map holds the reasons. The caller must hold the
 * lock exclusively, and have scanned the names.
 */
export async function undoConflicts(
  parts: UndoParts,
  resolved: readonly ResolvedConflict[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>()
  const steps: UndoStep[] = []
  const attempt = async (name: string, work: () => Promise<unknown>) => {
    signal.throwIfAborted()
    try {
      await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!isItemFailure(error)) throw error
      failures.set(name, diskReason(error))
    }
  }
  for (const conflict of resolved) {
    await attempt(conflict.copy.name, async () => steps.push(await planUndo(parts, conflict)))
  }
  if (failures.size > 0) return failures
  for (const step of steps) {
    const name = step.restore[0]?.file.name ?? step.rename?.to.name ?? ''
    await attempt(name, () => applyUndo(parts, step, signal))
  }
  return failures
}

async function planUndo(parts: UndoParts, conflict: ResolvedConflict): Promise<UndoStep> {
  const { keep, copy, original, replaced, made } = conflict
  const { index, tree } = parts
  const free = await index.records.head('local', copy.name)
  if ((await tree.check(copy.name, free)) !== undefined) throw itemFailed('there is a conflict copy of this name again')
  const restore = []
  if (replaced !== undefined) restore.push(await findVersion(parts, replaced))
  if (keep === 'original' || keep === 'merged') restore.push(await findVersion(parts, copy))
  if (keep === 'original') return { rename: undefined, remove: undefined, restore }
  const { name, ...content } = made ?? { ...copy, name: original }
  const from = await index.records.head('local', name)
  if (from === undefined || !hasContentOf(from, content) || (await tree.check(name, from)) === undefined)
    throw itemFailed('the file was changed since')
  if (keep === 'merged') return { rename: undefined, remove: replaced === undefined ? from : undefined, restore }
  return { rename: { from, to: copy, free }, remove: undefined, restore }
}

function hasContentOf(record: FileHead, content: Pick<FileHead, 'sizeBytes' | 'blocksHash'>): boolean {
  if (record.deleted || record.type !== 'file' || record.sizeBytes !== content.sizeBytes) return false
  return Buffer.compare(record.blocksHash ?? NONE, content.blocksHash ?? NONE) === 0
}

const NONE = new Uint8Array()

async function findVersion({ versioner }: UndoParts, file: FileHead): Promise<UndoStep['restore'][number]> {
  const version = await versioner?.newest(file.name)
  if (version?.sizeBytes !== file.sizeBytes) throw itemFailed('its old version is gone, or a newer one has replaced it')
  return { file, versionMs: version.versionMs }
}

async function applyUndo(parts: UndoParts, { remove, rename, restore }: UndoStep, signal: AbortSignal): Promise<void> {
  const { scanLater, tree, versioner } = parts
  if (rename !== undefined) {
    const { from, to, free } = rename
    await tree.move(from, { global: { ...to, blockHashes: undefined }, local: free, saveOurs: false })
    scanLater(from.name)
    scanLater(to.name)
  }
  for (const { file, versionMs } of restore) {
    const place = {
      restore: (_name: string, version: Parameters<typeof tree.restoreAs>[1]) => tree.restoreAs(file, version),
    }
    await versioner?.restore(file.name, versionMs, place, signal).catch((error: unknown) => {
      signal.throwIfAborted()
      throw itemFailed(messageOf(error), { cause: error })
    })
    scanLater(file.name)
  }
  if (remove !== undefined) {
    await tree.remove(remove.name, remove)
    scanLater(remove.name)
  }
  await tree.takeChanged()?.()
}
