import {
  FLAG_IGNORED,
  FLAG_MUST_RESCAN,
  FLAG_RECEIVE_ONLY,
  isInvalid,
  withoutDiskTime,
  type FileHead,
} from './file-info.ts'
import { isNeeded } from './need.ts'
import { compareVersions, mergeVersions } from './version-vector.ts'

/** What is known of one name when its step is decided. */
export interface PlanCase {
  readonly local: FileHead | undefined
  readonly global: FileHead
  /** The folder's patterns exclude the name. */
  readonly ignored: boolean
  /** The folder leaves here what others deleted. */
  readonly ignoreDelete: boolean
}

/** `saveOurs`: our file goes to a conflict name first, because the winner never saw our edit. */
export type Step =
  | { readonly kind: 'keep' }
  /** Nothing on disk changes, only our record: the name is excluded here. */
  | { readonly kind: 'ignore' }
  /** Nothing on disk changes: what was deleted elsewhere is not here either. */
  | { readonly kind: 'adopt' }
  /** The content is here already: only mode and time are set. */
  | { readonly kind: 'metadata' }
  | { readonly kind: 'fetch'; readonly saveOurs: boolean }
  | { readonly kind: 'make-directory'; readonly saveOurs: boolean }
  | { readonly kind: 'make-symlink'; readonly saveOurs: boolean }
  | { readonly kind: 'remove'; readonly type: FileHead['type']; readonly saveOurs: boolean }

const KEEP: Step = { kind: 'keep' }

/**
 * Decides what one name needs. Touches nothing: the puller carries the step out. An edit of ours that the winner never
 * saw is kept or saved, never lost.
 */
export function planStep({ local, global, ignored, ignoreDelete }: PlanCase): Step {
  if (!isNeeded(local, global)) return KEEP
  if (global.deleted && ignoreDelete) return KEEP
  if (ignored) return { kind: 'ignore' }
  const saveOurs = local !== undefined && mustSave(local, global)
  if (global.deleted) return planRemoval(local, saveOurs)
  if (global.type === 'directory') return { kind: 'make-directory', saveOurs }
  if (global.type === 'symlink') return { kind: 'make-symlink', saveOurs }
  if (local !== undefined && hasSameContent(local, global)) return { kind: 'metadata' }
  return { kind: 'fetch', saveOurs }
}

/** An ignored record says nothing about the disk: whoever removes looks there first, and finds a file nobody scanned. */
function planRemoval(local: FileHead | undefined, saveOurs: boolean): Step {
  if (local === undefined || local.deleted) return { kind: 'adopt' }
  return { kind: 'remove', type: local.type, saveOurs }
}

/**
 * What we record where both sides deleted, apart from each other: a deletion that has seen what either of them saw.
 * Otherwise a device that was away could bring back what only the loser of the two had deleted.
 */
export function jointDeletion<T extends FileHead>(local: FileHead | undefined, global: T): T {
  // A deletion of ours that others were not to have gives way without a trace.
  if (local === undefined || !local.deleted || !global.deleted || isInvalid(local)) return global
  return { ...global, version: mergeVersions(global.version, local.version) }
}

/** Only files are worth a copy: a directory has no content of its own and a symlink is a line of text. */
function mustSave(local: FileHead, global: FileHead): boolean {
  if (local.deleted || local.type !== 'file') return false
  const order = compareVersions(global.version, local.version)
  return order !== 'newer' && order !== 'equal' && !isMadeFrom(global, local)
}

/** Whether the author of a version says that it was made from just the content we have: then nothing of it is lost. */
function isMadeFrom({ previousBlocksHash }: FileHead, { blocksHash, localFlags }: FileHead): boolean {
  if ((localFlags & FLAG_MUST_RESCAN) !== 0) return false // nobody knows what is on the disk
  return (
    previousBlocksHash !== undefined && blocksHash !== undefined && Buffer.compare(previousBlocksHash, blocksHash) === 0
  )
}

/**
 * Whether two records of a name have no history in common: files that were made apart and got the same name by chance,
 * such as copies of what two devices lost to the same winner in the same second.
 */
export function areStrangers(a: FileHead, b: FileHead): boolean {
  return a.version.every(({ device }) => b.version.every((entry) => entry.device !== device))
}

/** Whether two records are of files with the same bytes. An invalid record of ours promises nothing about the disk. */
export function hasSameContent(local: FileHead, global: FileHead): boolean {
  if (local.type !== 'file' || global.type !== 'file' || local.deleted || global.deleted) return false
  // A change kept to ourselves is a change of a file that was scanned: its blocks are true.
  if (isInvalid({ localFlags: local.localFlags & ~FLAG_RECEIVE_ONLY })) return false
  if (local.sizeBytes !== global.sizeBytes || local.blockSizeBytes !== global.blockSizeBytes) return false
  return (
    local.blocksHash !== undefined &&
    global.blocksHash !== undefined &&
    Buffer.compare(local.blocksHash, global.blocksHash) === 0
  )
}

/** Two times this close are one: disks and runtimes round what they are told, by less than this. */
const ROUNDED_NS_MAX = 1_000

/**
 * Whether our record says the same as the global one apart from its history. Then a folder that only sends takes over
 * the version, and no file is touched.
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

export type Bookkeeping = { readonly kind: 'keep' } | { readonly kind: 'ignore' } | { readonly kind: 'adopt' }

/** What a folder that only sends does about a name it needs: it never touches a file. */
export function planBookkeeping({ local, global, ignored }: PlanCase, ignorePerms: boolean): Bookkeeping {
  if (!isNeeded(local, global)) return { kind: 'keep' }
  if (ignored) return { kind: 'ignore' }
  if (local === undefined) return { kind: global.deleted ? 'adopt' : 'keep' }
  return { kind: isSameApartFromVersion(local, global, ignorePerms) ? 'adopt' : 'keep' }
}

/** The record of a name that is excluded here: others see that we do not have it, and we do not need it any more. */
export function ignoredGlobal(global: FileHead): FileHead {
  return {
    ...withoutDiskTime(global),
    sizeBytes: 0,
    sequence: 0,
    blockSizeBytes: 0,
    blocksHash: undefined,
    symlinkTarget: '',
    localFlags: FLAG_IGNORED,
  }
}
