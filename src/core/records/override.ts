import { diskTimeOf, FLAG_RECEIVE_ONLY, isInvalid, withDiskTime, withoutDiskTime, type FileInfo } from './file-info.ts'
import type { ShortId } from '../ids.ts'
import { isSameApartFromVersion } from './plan.ts'
import { bumpVersion, firstCount, mergeVersions, type CountTime } from './version-vector.ts'

export interface OverrideOptions extends CountTime {
  readonly ownShortId: ShortId
}

/**
 * The record that makes what we have count everywhere: it has seen what all others did, and says what we had before.
 * What we never had is deleted. Undefined where our record says nothing about our disk, or there is nothing to overrule.
 */
export function overridingRecord(
  local: FileInfo | undefined,
  global: FileInfo,
  options: OverrideOptions,
): FileInfo | undefined {
  if (local !== undefined && isInvalid(local)) return undefined
  if (local === undefined && global.deleted) return undefined
  const seen = mergeVersions(local?.version ?? [], global.version)
  const { ownShortId, nowS } = options
  const version = bumpVersion(seen, ownShortId, firstCount(options))
  const ours = { version, modifiedBy: ownShortId, sequence: 0, localFlags: 0 }
  if (local !== undefined) return { ...local, ...ours }
  return {
    ...withoutDiskTime(global),
    ...ours,
    deleted: true,
    sizeBytes: 0,
    modifiedS: nowS,
    blockSizeBytes: 0,
    blocksHash: undefined,
    blockHashes: undefined,
  }
}

/** What undoing a change that was kept to ourselves means for its name. */
export type Reversal =
  /** Nobody else has the name: the item goes from our disk. */
  | { readonly kind: 'remove' }
  /** Only our record changes; `record` is older than what others have, or the same, so the next pull does the rest. */
  | { readonly kind: 'record'; readonly record: FileInfo }

export interface ReversalOptions {
  readonly ignorePerms: boolean
  /** Something is to be undone that only the disk and the folder's settings tell: the pull must look. */
  readonly mustPull?: boolean
}

/** Decides how one receive-only change is undone. Touches nothing. */
export function planReversal(
  local: FileInfo,
  global: FileInfo | undefined,
  { ignorePerms, mustPull = false }: ReversalOptions,
): Reversal {
  const plain: FileInfo = { ...local, localFlags: local.localFlags & ~FLAG_RECEIVE_ONLY, sequence: 0 }
  // Where nobody has a valid record the global one is invalid as well: ours, or that of somebody with the same trouble.
  if (global === undefined || isInvalid(global)) {
    return local.deleted ? { kind: 'record', record: { ...plain, version: [] } } : { kind: 'remove' }
  }
  if (!mustPull && isSameApartFromVersion(plain, global, ignorePerms)) {
    return { kind: 'record', record: { ...withDiskTime(global, diskTimeOf(plain)), sequence: 0, localFlags: 0 } }
  }
  return { kind: 'record', record: { ...plain, version: [] } }
}

/** The record of an item that was only here and is gone: older than anything of that name that ever comes up again. */
export function revertedRecord(local: FileInfo, nowS: number): FileInfo {
  return {
    ...withoutDiskTime(local),
    deleted: true,
    sizeBytes: 0,
    modifiedS: nowS,
    version: [],
    sequence: 0,
    localFlags: 0,
    blockSizeBytes: 0,
    blocksHash: undefined,
    blockHashes: undefined,
  }
}
