import { shortageOf } from '../config/disk-space.ts'
import type { Size } from '../config/config.ts'
import type { HeldLoss } from '../guard/guard-state.ts'

/** Whether a device has everything of a folder. `unknown`: it starts, or its index is not known. */
export type SyncState = 'in-sync' | 'behind' | 'paused' | 'unknown'

export interface FolderFacts {
  readonly id: string
  readonly label: string
  /** Of this device. */
  readonly sync: SyncState
  readonly needItems: number
  readonly needBytes: number
  /** Of the devices that hooks name. */
  readonly remoteSync: ReadonlyMap<string, SyncState>
  /** Why the folder stopped, or how many items failed; empty: no error. Undefined: unknown. */
  readonly error: string | undefined
  /** When a file was last received from another device; 0: never. */
  readonly receivedMs: number
  /** The number of the last change of the index of this device. */
  readonly sequence: number
  /** Where a hook needs it and it could be read. */
  readonly space: DiskState | undefined
  /** The names of the conflict copies, where a hook needs them and the index could be read. */
  readonly conflicts: readonly string[] | undefined
  /** What the deletion guard holds, where a hook needs it and the folder runs. */
  readonly held: readonly HeldLoss[] | undefined
}

export interface DiskState {
  readonly is: 'low' | 'enough' | 'nearly-low'
  readonly text: string
  readonly freeBytes: number
}

export interface RemoteDevice {
  readonly id: string
  readonly name: string
  readonly isConnected: boolean
  readonly isPaused: boolean
  /** 0: never. */
  readonly lastSeenMs: number
}

/** What conditions are decided on. */
export interface DeviceStates {
  readonly nowMs: number
  /** Time of this process since the states before; 0 for the first: time that it did not run does not count. */
  readonly elapsedMs: number
  readonly folders: readonly FolderFacts[]
  readonly devices: readonly RemoteDevice[]
}

/** A disk is no longer low when it is this much above the minimum: one at the limit must not alternate. */
const ENOUGH_FACTOR = 1.1

export function diskState(
  space: { readonly freeBytes: number; readonly totalBytes: number },
  minimum: Size,
): DiskState {
  const { freeBytes } = space
  const shortage = shortageOf(space, minimum)
  if (shortage !== undefined) return { is: 'low', text: shortage, freeBytes }
  const isClose = shortageOf(space, { ...minimum, value: minimum.value * ENOUGH_FACTOR }) !== undefined
  return { is: isClose ? 'nearly-low' : 'enough', text: '', freeBytes }
}

/** The state of this device in a folder. */
export function ownSync(status: {
  readonly isPaused: boolean
  readonly state: string
  readonly needItems: number
}): SyncState {
  if (status.isPaused) return 'paused'
  if (status.state === '') return 'unknown'
  if (status.needItems > 0) return 'behind'
  // A folder that stopped has counts that nothing keeps up to date.
  return status.state === 'error' ? 'unknown' : 'in-sync'
}

/** The state of another device in a folder, by its index. */
export function remoteSync(completion: {
  readonly needItems: number
  readonly needDeletes: number
  readonly remoteState: string
}): SyncState {
  if (completion.remoteState === 'paused') return 'paused'
  if (completion.needItems + completion.needDeletes > 0) return 'behind'
  return completion.remoteState === 'valid' ? 'in-sync' : 'unknown'
}
