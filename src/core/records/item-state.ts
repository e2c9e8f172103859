import { FLAG_IGNORED, FLAG_RECEIVE_ONLY, isInvalid, type FileHead } from './file-info.ts'
import { hasSameContent } from './plan.ts'
import type { Claim } from './claim.ts'
import { hasWinner, isNeeded } from './need.ts'

/** The state of our copy of an item relative to the newest version. */
export type ItemState = 'here' | 'older' | 'missing' | 'extra' | 'ignored'

/** The state of an item on another device. */
export type DeviceVersion = 'newest' | 'older' | 'none'

/** The action for a needed item. */
export type WaitingAction = 'download' | 'metadata' | 'directory' | 'symlink' | 'delete'

/** A receive-only change takes precedence over everything but a pattern: both are choices of the user. */
export function itemState(local: Claim | undefined, global: Claim): ItemState {
  if (local === undefined) return 'missing'
  if ((local.localFlags & FLAG_IGNORED) !== 0) return 'ignored'
  if ((local.localFlags & FLAG_RECEIVE_ONLY) !== 0) return 'extra'
  if (!isNeeded(local, global, false)) return 'here'
  return local.deleted ? 'missing' : 'older'
}

/** A device has the newest version of a deletion once it has applied it. */
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
