import { isChanged, type CompareOptions } from '../core/records/change.ts'
import { isMissing, systemCode } from '../core/errors.ts'
import { joinPath, parseAside } from '../core/paths.ts'
import type { Disk } from '../platform/disk.ts'
import { renameToConflictName } from '../platform/files/conflict-name.ts'
import { diskReason } from '../platform/files/disk-reason.ts'
import type { ScanIndex, ScanRequest } from './types.ts'

export interface AsideDeps {
  readonly disk: Pick<Disk, 'lstat' | 'readSymlink' | 'removeFile' | 'renameNew'>
  readonly index: Pick<ScanIndex, 'head' | 'global'>
  readonly compare: CompareOptions
  nowMs(): number
}

/** Node sets times on Windows less exactly than records have them; the crash came before the difference was stored. */
const SET_TIME_WINDOW_MS = 0.002

type Restored = { readonly name: string } | { readonly error: string }

/**
 * Settles an item that a pull moved aside before the device stopped. It gets its name back where that is free.
 * Otherwise it was replaced, or was to replace: it is removed if it is a recorded item, and else kept as a conflict
 * copy, as a user changed it in the instant of the replacement. Undefined where nothing has a new name.
 */
export async function settleAside(
  deps: AsideDeps,
  { root, ownShortId }: Pick<ScanRequest, 'root' | 'ownShortId'>,
  path: string,
): Promise<Restored | undefined> {
  const aside = parseAside(path)
  if (aside === undefined) return undefined
  const { name, isCut } = aside
  const from = joinPath(root, path)
  try {
    if (!isCut && (await isRenamed(deps, from, joinPath(root, name)))) return { name }
    if (!isCut && (await isRecorded(deps, from, name))) {
      await deps.disk.removeFile(from)
      return undefined
    }
    const naming = { name, author: ownShortId, timeMs: deps.nowMs() }
    const copy = await renameToConflictName(naming, (to) => deps.disk.renameNew(from, joinPath(root, to)))
    return copy === undefined ? { error: 'keeping a changed file: all names are in use' } : { name: copy }
  } catch (error) {
    if (isMissing(error)) return undefined
    if (systemCode(error) === undefined) throw error
    return { error: `keeping a changed file: ${diskReason(error)}` }
  }
}

/** False where the name is in use. */
async function isRenamed({ disk }: AsideDeps, from: string, to: string): Promise<boolean> {
  try {
    await disk.renameNew(from, to)
    return true
  } catch (error) {
    if (systemCode(error) === 'EEXIST') return false
    throw error
  }
}

/** As our record, or as the global one; encrypted files are not edited here. */
async function isRecorded({ disk, index, compare }: AsideDeps, path: string, name: string): Promise<boolean> {
  const { type, sizeBytes, modifiedS, modifiedNs, mode } = await disk.lstat(path)
  if (type === 'other') return false
  const symlinkTarget = type === 'symlink' ? await disk.readSymlink(path) : ''
  const item = { name, type, sizeBytes, modifiedS, modifiedNs, mode, symlinkTarget }
  const records = [await index.head('local', name), await index.global(name)].filter((record) => record !== undefined)
  const modTimeWindowMs = Math.max(compare.modTimeWindowMs, SET_TIME_WINDOW_MS)
  const options = { ...compare, modTimeWindowMs }
  return records.some((record) => record.encrypted !== undefined || !isChanged(record, item, options))
}
