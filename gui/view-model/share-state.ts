import type { FolderConfig } from '../../src/core/config/config.ts'
import { readableCopy, type ReadableCopy } from '../../src/core/encryption/readable-copy.ts'
import type { CompletionJson } from '../../src/rest/completion.ts'
import { lookUp } from '../base/look-up.ts'
import type { LiveState } from '../live/state.ts'
import { fractionOf } from './device.ts'
import type { Tone } from '../base/tone.ts'

/** The state of a folder on another device. */
export type ShareState =
  | {
      readonly kind: 'not-shared' | 'refused' | 'paused-here' | 'paused-there' | 'not-accepted' | 'unknown' | 'whole'
      readonly tone: Tone
    }
  | {
      readonly kind: 'behind'
      readonly tone: Tone
      readonly items: number
      readonly bytes: number
      readonly fraction: number
    }

/** The state of a folder on another device, from all that is known. */
export function shareStateOf(state: LiveState, folder: FolderConfig, deviceId: string): ShareState {
  return shareState(
    folder,
    deviceId,
    lookUp(state.folders, folder.id)?.completion[deviceId],
    lookUp(state.connections.connections, deviceId)?.connected === true,
    state.disagreements.some((each) => each.deviceID === deviceId && each.folder === folder.id),
  )
}

/** Uses the last completion reported while connected, so that a disconnected device still shows its missing items. */
export function shareState(
  folder: FolderConfig,
  deviceId: string,
  completion: CompletionJson | undefined,
  connected: boolean,
  isRefused = false,
): ShareState {
  if (!folder.devices.some(({ deviceID }) => deviceID === deviceId)) return { kind: 'not-shared', tone: 'off' }
  if (folder.paused) return { kind: 'paused-here', tone: 'paused' }
  if (isRefused) return { kind: 'refused', tone: 'bad' }
  if (completion === undefined) return { kind: 'unknown', tone: 'wait' }
  if (completion.remoteState === 'paused') return { kind: 'paused-there', tone: 'paused' }
  if (connected && completion.remoteState === 'notSharing') return { kind: 'not-accepted', tone: 'wait' }
  const items = completion.needItems + completion.needDeletes
  if (items === 0) return { kind: 'whole', tone: 'good' }
  const fraction = fractionOf(items, completion.needBytes, completion.globalBytes)
  return { kind: 'behind', tone: connected ? 'busy' : 'wait', items, bytes: completion.needBytes, fraction }
}

/** How a device has a folder in readable form, from all that is known. */
export function readableCopyAt(state: LiveState, folder: FolderConfig, deviceId: string): ReadableCopy {
  return readableCopy({
    share: folder.devices.find(({ deviceID }) => deviceID === deviceId),
    remoteState: lookUp(lookUp(state.folders, folder.id)?.completion ?? {}, deviceId)?.remoteState,
    offer: lookUp(lookUp(state.pendingFolders, folder.id)?.offeredBy ?? {}, deviceId),
  })
}
