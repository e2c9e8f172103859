import {
  diskTimeOf,
  FLAG_RECEIVE_ONLY,
  isInvalid,
  withDiskState,
  withoutDiskState,
  type FileInfo,
} from './file-info.ts'
import { isSameApartFromVersion } from './plan.ts'
import { editedVersion, mergeVersions, type CountTime } from './version-vector.ts'

/**
 * The record that overrides changes of other devices with our state: its version succeeds theirs. Items that we never
 * had are deleted. Undefined when our record does not describe our disk, or there is nothing to override.
 */
export function overridingRecord(
  local: FileInfo | undefined,
  global: FileInfo,
  options: CountTime,
): FileInfo | undefined {
  if (local !== undefined && isInvalid(local)) return undefined
  if (local === undefined && global.deleted) return undefined
  const seen = mergeVersions(local?.version ?? [], global.version)
  const { ownShortId, nowS } = options
  const version = editedVersion(seen, options)
  const ours = { version, modifiedBy: ownShortId, sequence: 0, localFlags: 0 }
  if (local !== undefined) {
    const { contestedBy: _kept, ...content } = local
    return { ...content, ...ours }
  }
  return {
    ...withoutDiskState(global),
    ...ours,
    deleted: true,
    sizeBytes: 0,
    modifiedS: nowS,
    blockSizeBytes: 0,
    blocksHash: undefined,
    blockHashes: undefined,
  }
}

/** How a receive-only change is reverted. */
export type Reversal =
  /** No other device has the name: the item is removed from our disk. */
  | { readonly kind: 'remove' }
  /** Only our record changes; `record` is older than or equal to the global one, so the next pull restores the item. */
  | { readonly kind: 'record'; readonly record: FileInfo }

export interface ReversalOptions {
  readonly ignorePerms: boolean
  /** The comparison here does not cover the change (extended attributes): the item must be pulled. */
  readonly mustPull?: boolean
}

/** Decides how one receive-only change is reverted. Pure. */
export function planReversal(
  local: FileInfo,
  global: FileInfo | undefined,
  { ignorePerms, mustPull = false }: ReversalOptions,
): Reversal {
  const plain: FileInfo = { ...local, localFlags: local.localFlags & ~FLAG_RECEIVE_ONLY, sequence: 0 }
  // Without any valid record the global one is invalid too: ours, or that of another device in the same state.
  if (global === undefined || isInvalid(global)) {
    return local.deleted ? { kind: 'record', record: { ...plain, version: [] } } : { kind: 'remove' }
  }
  if (!mustPull && isSameApartFromVersion(plain, global, ignorePerms)) {
    return { kind: 'record', record: { ...withDiskState(global, diskTimeOf(plain)), sequence: 0, localFlags: 0 } }
  }
  return { kind: 'record', record: { ...plain, version: [] } }
}

/** The record of a removed local-only item: older than any later version of that name. */
export function revertedRecord(local: FileInfo, nowS: number): FileInfo {
  return {
    ...withoutDiskState(local),
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
