import { FLAG_IGNORED, FLAG_RECEIVE_ONLY, isInvalid, type FileHead } from './file-info.ts'
import { hasWinner, isNeeded, type Claim } from './need.ts'

/** How our copy of an item stands to the newest one. */
export type ItemState = 'here' | 'older' | 'missing' | 'extra' | 'ignored'

/** What another device has of an item. */
export type DeviceVersion = 'newest' | 'older' | 'none'

/** What has to be done here for an item that is needed. */
export type WaitingAction = 'download' | 'metadata' | 'directory' | 'symlink' | 'delete'

/** A change that is kept to ourselves is told before everything else but a pattern: both are somebody's own wish. */
export function itemState(local: Claim | undefined, global: Claim): ItemState {
  if (local === undefined) return 'missing'
  if ((local.localFlags & FLAG_IGNORED) !== 0) return 'ignored'
  if ((local.localFlags & FLAG_RECEIVE_ONLY) !== 0) return 'extra'
  if (!isNeeded(local, global)) return 'here'
  return local.deleted ? 'missing' : 'older'
}

/** Of a deletion, those have the newest version who carried it out. */
export function deviceVersion(remote: Claim | undefined, global: Claim): DeviceVersion {
  if (remote === undefined) return 'none'
  if (hasWinner(remote, global)) return 'newest'
  return remote.deleted || isInvalid(remote) ? 'none' : 'older'
}

export function waitingAction(local: FileHead | undefined, global: FileHead): WaitingAction {
  if (global.deleted) return 'delete'
  if (global.type !== 'file') return global.type
  return local !== undefined && hasSameContent(local, global) ? 'metadata' : 'download'
}

function hasSameContent(local: FileHead, global: FileHead): boolean {
  if (local.deleted || local.type !== 'file' || local.sizeBytes !== global.sizeBytes) return false
  if (local.blocksHash === undefined || global.blocksHash === undefined) return false
  return local.blockSizeBytes === global.blockSizeBytes && Buffer.compare(local.blocksHash, global.blocksHash) === 0
}
