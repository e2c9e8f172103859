import type { DeviceConfig, FolderConfig } from '../../src/core/config/config.ts'
import { lookUp } from '../base/look-up.ts'
import type { LiveState } from '../live/state.ts'
import { deviceFacts, deviceName, otherDevices } from './device.ts'
import { folderName } from './folder-name.ts'
import { isTime } from '../base/moments.ts'
import { wantsLogin } from './password.ts'
import type { ReasonText } from './reasons.ts'
import { offlineAdvice, offlineSteps, type OfflineFacts } from './why-offline.ts'

/** The steps from a new home to the first file on another device, in this order. */
export type SetupName = 'login' | 'folder' | 'device' | 'reached' | 'accepted' | 'shared' | 'file'

export interface SetupStep {
  readonly name: SetupName
  readonly isDone: boolean
  /** What keeps it from being done; undefined where the step itself says what to do. */
  readonly blocked?: ReasonText | undefined
}

/**
 * Whether the first steps are shown: in a new home always; with a folder or a device until another device was
 * connected, or, once begun in this browser, until they are closed.
 */
export function showsSetup(state: LiveState, shown: string): boolean {
  if (state.config === undefined) return false
  const others = otherDevices(state)
  if (state.config.folders.length === 0 && others.length === 0) return true
  if (shown !== '') return shown === 'open'
  return !others.some(({ deviceID }) => wasConnected(state, deviceID))
}

/** The other device that the steps are about: one that is connected, else the first. */
export function setupDevice(state: LiveState): DeviceConfig | undefined {
  const others = otherDevices(state)
  return others.find(({ deviceID }) => wasConnected(state, deviceID)) ?? others[0]
}

/** All steps. `offline` is what is known of a device that is not connected. */
export function setupSteps(state: LiveState, offline: OfflineFacts | undefined): readonly SetupStep[] {
  const device = setupDevice(state)
  const folders = state.config?.folders ?? []
  return [
    { name: 'login', isDone: wantsLogin(state) },
    { name: 'folder', isDone: folders.length > 0 },
    { name: 'device', isDone: device !== undefined },
    ...(device === undefined ? [] : connectionSteps(state, device, offline)),
  ]
}

function connectionSteps(
  state: LiveState,
  device: DeviceConfig,
  offline: OfflineFacts | undefined,
): readonly SetupStep[] {
  const isAccepted = wasConnected(state, device.deviceID)
  const isReached = isAccepted || hasAnswered(offline)
  const advice = offline && offlineAdvice(offline)
  const folders = sharedWith(state, device.deviceID)
  const isTaken = folders.some(
    ({ id }) => lookUp(state.folders, id)?.completion[device.deviceID]?.remoteState === 'valid',
  )
  return [
    { name: 'reached', isDone: isReached, blocked: advice },
    { name: 'accepted', isDone: isAccepted, blocked: advice },
    { name: 'shared', isDone: isTaken, blocked: shareBlock(folders, device) },
    { name: 'file', isDone: hasExchanged(state, device.deviceID), blocked: fileBlock(state, folders) },
  ]
}

function wasConnected(state: LiveState, deviceId: string): boolean {
  const { connected, lastSeenMs } = deviceFacts(state, deviceId)
  return connected || isTime(lastSeenMs)
}

function hasAnswered(offline: OfflineFacts | undefined): boolean {
  return offline !== undefined && offlineSteps(offline).some(({ name, tone }) => name === 'reached' && tone === 'good')
}

function sharedWith(state: LiveState, deviceId: string): readonly FolderConfig[] {
  return (state.config?.folders ?? []).filter(({ devices }) => devices.some((each) => each.deviceID === deviceId))
}

function shareBlock(folders: readonly FolderConfig[], device: DeviceConfig): ReasonText {
  const [first] = folders
  if (first === undefined) return { key: 'setup.block.unshared', values: { device: deviceName(device) } }
  return { key: 'setup.block.notTaken', values: { folder: folderName(first), device: deviceName(device) } }
}

function fileBlock(state: LiveState, folders: readonly FolderConfig[]): ReasonText | undefined {
  const [first] = folders
  if (first === undefined) return undefined
  const isEmpty = folders.every(({ id }) => (lookUp(state.folders, id)?.status.globalFiles ?? 0) === 0)
  return isEmpty
    ? { key: 'setup.block.empty', values: { path: first.path } }
    : { key: 'setup.block.transfer', values: { folder: folderName(first) } }
}

/** Whether both devices have at least one item of a shared folder. */
function hasExchanged(state: LiveState, deviceId: string): boolean {
  return sharedWith(state, deviceId).some(({ id }) => {
    const live = lookUp(state.folders, id)
    const there = live?.completion[deviceId]
    if (live === undefined || there === undefined || there.remoteState !== 'valid') return false
    return live.status.globalFiles > 0 && live.status.inSyncFiles > 0 && there.globalItems > there.needItems
  })
}
