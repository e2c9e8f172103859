import {
  FLAG_IGNORED,
  FLAG_MUST_RESCAN,
  FLAG_RECEIVE_ONLY,
  isInvalid,
  withDiskState,
  withoutDiskState,
  type DiskState,
  type FileHead,
  type FileInfo,
} from './file-info.ts'
import { isNeeded } from './need.ts'
import { compareVersions, mergeVersions } from './version-vector.ts'

/** The input of the decision on one name. */
export interface PlanCase {
  readonly local: FileHead | undefined
  readonly global: FileHead
  /** The global record deletes an item that another device still has. */
  readonly heldElsewhere: boolean
  /** The folder's ignore patterns match the name. */
  readonly ignored: boolean
  /** The folder does not apply deletions of other devices. */
  readonly ignoreDelete: boolean
  /** Edits of ours are kept. A changed file of an encrypted folder is a damaged one. */
  readonly keepsConflicts: boolean
  /** Files that other devices delete stay here, in the list of kept files. */
  readonly collects: boolean
  /** The kept file of this name, where our record is its deletion. */
  readonly kept: FileHead | undefined
}

/** `saveOurs`: our file is renamed to a conflict copy first, because the winner is concurrent with our edit. */
export type Step =
  | { readonly kind: 'keep' }
  /** Nothing on disk changes, only our record: the name is ignored here. */
  | { readonly kind: 'ignore' }
  /** Nothing on disk changes: the item was deleted elsewhere and does not exist here. Our record passes that on. */
  | { readonly kind: 'adopt' }
  /** The content already exists: only mode and time are set. */
  | { readonly kind: 'metadata' }
  | { readonly kind: 'fetch'; readonly saveOurs: boolean }
  | { readonly kind: 'make-directory'; readonly saveOurs: boolean }
  | { readonly kind: 'make-symlink'; readonly saveOurs: boolean }
  | { readonly kind: 'remove'; readonly type: FileHead['type']; readonly saveOurs: boolean }
  /** The file becomes a kept one: our record is the deletion, and nothing on disk changes. */
  | { readonly kind: 'collect' }

const KEEP: Step = { kind: 'keep' }

/**
 * Decides on the step for one name. Pure: the puller executes the step as it is. An edit of ours that is concurrent
 * with the winner is kept or saved, never lost.
 */
export function planStep(given: PlanCase): Step {
  const { local, global, heldElsewhere, ignored, ignoreDelete, keepsConflicts, kept } = given
  if (!isNeeded(local, global, heldElsewhere)) return KEEP
  if (global.deleted && ignoreDelete && local?.deleted === false) return KEEP
  if (ignored) return { kind: 'ignore' }
  const saveOurs = keepsConflicts && local !== undefined && mustSave(local, global)
  if (global.deleted) return planRemoval(local, saveOurs, given.collects)
  if (global.type === 'directory') return { kind: 'make-directory', saveOurs }
  if (global.type === 'symlink') return { kind: 'make-symlink', saveOurs }
  const ours = kept ?? local
  if (ours !== undefined && hasSameContent(ours, global)) return { kind: 'metadata' }
  return { kind: 'fetch', saveOurs }
}

/** An ignored record does not describe the disk: the removal step checks the disk first for an unscanned file. */
function planRemoval(local: FileHead | undefined, saveOurs: boolean, collects: boolean): Step {
  if (local === undefined || local.deleted) return { kind: 'adopt' }
  // A symlink is a line of text and a directory has no content of its own: only files are worth keeping.
  if (collects && local.type === 'file') return { kind: 'collect' }
  return { kind: 'remove', type: local.type, saveOurs }
}

/**
 * Our record for concurrent deletions: a deletion with the merged version. Otherwise a device that was offline could
 * restore an item that only a losing side had deleted.
 */
export function jointDeletion<T extends FileHead>(global: T, deletions: readonly FileHead[]): T {
  if (!global.deleted) return global
  // A receive-only deletion of ours is dropped without merging.
  const valid = deletions.filter((record) => record.deleted && !isInvalid(record))
  const version = valid.reduce((merged, record) => mergeVersions(merged, record.version), global.version)
  return compareVersions(version, global.version) === 'equal' ? global : { ...global, version }
}

/** Only files get a conflict copy: a directory has no content of its own and a symlink is a line of text. */
function mustSave(local: FileHead, global: FileHead): boolean {
  if (local.deleted || local.type !== 'file') return false
  const order = compareVersions(global.version, local.version)
  return order !== 'newer' && order !== 'equal' && !isMadeFrom(global, local)
}

/** Whether the author of a version announced our content as its predecessor: then nothing is lost. */
function isMadeFrom({ previousBlocksHash }: FileHead, { blocksHash, localFlags }: FileHead): boolean {
  if ((localFlags & FLAG_MUST_RESCAN) !== 0) return false // the content on the disk is unknown
  return (
    previousBlocksHash !== undefined && blocksHash !== undefined && Buffer.compare(previousBlocksHash, blocksHash) === 0
  )
}

/** Whether two records are of files with the same bytes. An invalid record of ours does not describe the disk. */
export function hasSameContent(local: FileHead, global: FileHead): boolean {
  if (local.type !== 'file' || global.type !== 'file' || local.deleted || global.deleted) return false
  // A receive-only change comes from a scan: its blocks are valid.
  if (isInvalid({ localFlags: local.localFlags & ~FLAG_RECEIVE_ONLY })) return false
  if (local.sizeBytes !== global.sizeBytes || local.blockSizeBytes !== global.blockSizeBytes) return false
  return (
    local.blocksHash !== undefined &&
    global.blocksHash !== undefined &&
    Buffer.compare(local.blocksHash, global.blocksHash) === 0
  )
}

/** Times this close are equal: disks and runtimes round by less than this. */
const ROUNDED_NS_MAX = 1_000

/**
 * Whether our record equals the global one apart from its version. Then a send-only folder adopts the version without
 * touching a file.
 */
export function isSameApartFromVersion(local: FileHead, global: FileHead, ignorePerms: boolean): boolean {
  if (isInvalid(local) || local.type !== global.type || local.deleted !== global.deleted) return false
  if (local.deleted) return true
  if (local.type === 'symlink') return local.symlinkTarget === global.symlinkTarget
  const comparePermissions = !ignorePerms && !local.noPermissions && !global.noPermissions
  if (comparePermissions && local.permissions !== global.permissions) return false
  return local.type === 'directory' || (hasSameContent(local, global) && isSameTime(local, global))
}

function isSameTime(a: FileHead, b: FileHead): boolean {
  return Math.abs((a.modifiedS - b.modifiedS) * 1e9 + (a.modifiedNs - b.modifiedNs)) < ROUNDED_NS_MAX
}

export type Bookkeeping = { readonly kind: 'keep' | 'ignore' | 'adopt' | 'collect' }

/** The step of a send-only folder for a needed name: it never touches a file. */
export function planBookkeeping(
  { local, global, heldElsewhere, ignored, collects }: Omit<PlanCase, 'ignoreDelete' | 'keepsConflicts' | 'kept'>,
  ignorePerms: boolean,
): Bookkeeping {
  if (!isNeeded(local, global, heldElsewhere)) return { kind: 'keep' }
  if (ignored) return { kind: 'ignore' }
  if (local === undefined) return { kind: global.deleted ? 'adopt' : 'keep' }
  if (collects && global.deleted && !local.deleted && local.type === 'file') return { kind: 'collect' }
  return { kind: isSameApartFromVersion(local, global, ignorePerms) ? 'adopt' : 'keep' }
}

/**
 * Our record of an item that matches the global one. It keeps the state on disk beside the global time: all devices
 * must agree on the time of a version, because it decides conflicts. Flags are local and reset.
 */
export function adoptedRecord(global: FileInfo, onDisk: DiskState): FileInfo {
  return { ...withDiskState(global, onDisk), sequence: 0, localFlags: 0 }
}

/** Our record of an item that was deleted elsewhere, and is gone here. */
export function deletionRecord(global: FileInfo): FileInfo {
  return { ...global, sequence: 0, localFlags: 0 }
}

/** The record of a name that is ignored here: it is announced as invalid, and no longer needed. */
export function ignoredGlobal(global: FileHead): FileInfo {
  return {
    ...withoutDiskState(global),
    sizeBytes: 0,
    sequence: 0,
    blockSizeBytes: 0,
    blocksHash: undefined,
    blockHashes: undefined,
    symlinkTarget: '',
    localFlags: FLAG_IGNORED,
  }
}
