import type { DeviceConfig } from '../../src/core/config/config.ts'
import type { LiveState } from '../live/state.ts'
import { isTime } from './moments.ts'
import type { Tone } from './tone.ts'

export function deviceName({ deviceID, name }: Pick<DeviceConfig, 'deviceID' | 'name'>): string {
  return name === '' ? shortId(deviceID) : name
}

/** The first seven characters, the usual short form. */
export function shortId(deviceId: string): string {
  return deviceId.slice(0, 7)
}

/** The name of a device that may be unknown, or be this one. */
export function nameOf(state: LiveState, deviceId: string): string {
  const device = state.config?.devices.find(({ deviceID }) => deviceID === deviceId || shortId(deviceID) === deviceId)
  return device === undefined ? shortId(deviceId) : deviceName(device)
}

/** The other devices, as the config lists them. */
export function otherDevices(state: LiveState): readonly DeviceConfig[] {
  return state.config?.devices.filter(({ deviceID }) => deviceID !== state.system?.myID) ?? []
}

/** By which way a device is connected. */
export type Way = 'relay' | 'lan' | 'internet'

/** The state of a device, as a row shows it. Flat, so that two of them are compared field by field. */
export interface DeviceFacts {
  readonly tone: Tone
  readonly paused: boolean
  readonly connected: boolean
  readonly way: Way
  /** Not a time when it was never seen. */
  readonly lastSeenMs: number
  /** Folders that it takes part in. */
  readonly folders: number
  /** Items of the shared folders that are missing on it. */
  readonly waiting: number
  readonly bytesLeft: number
  /** The fraction it has; 1 only when nothing is missing. */
  readonly fraction: number
}

export function deviceFacts(state: LiveState, deviceId: string): DeviceFacts {
  const connection = state.connections.connections[deviceId]
  const connected = connection?.connected === true
  const paused = state.config?.devices.some((device) => device.deviceID === deviceId && device.paused) === true
  const missing = missingOn(state, deviceId)
  return {
    tone: paused ? 'off' : !connected ? 'wait' : missing.waiting > 0 ? 'busy' : 'good',
    paused,
    connected,
    way: connection?.type.startsWith('relay') ? 'relay' : connection?.isLocal ? 'lan' : 'internet',
    lastSeenMs: lastSeenMs(state, deviceId),
    folders:
      state.config?.folders.filter((folder) => folder.devices.some(({ deviceID }) => deviceID === deviceId)).length ??
      0,
    ...missing,
  }
}

/** 0 where it was never seen. */
function lastSeenMs(state: LiveState, deviceId: string): number {
  const timeMs = Date.parse(state.deviceStats[deviceId]?.lastSeen ?? '')
  return isTime(timeMs) ? timeMs : 0
}

function missingOn(state: LiveState, deviceId: string): Pick<DeviceFacts, 'waiting' | 'bytesLeft' | 'fraction'> {
  let [waiting, bytesLeft, bytesTotal] = [0, 0, 0]
  for (const { completion } of Object.values(state.folders)) {
    const reported = completion[deviceId]
    if (reported === undefined || reported.remoteState === 'notSharing') continue
    waiting += reported.needItems + reported.needDeletes
    bytesLeft += reported.needBytes
    bytesTotal += reported.globalBytes
  }
  return { waiting, bytesLeft, fraction: fractionOf(waiting, bytesLeft, bytesTotal) }
}

/** Deletions and empty files have no bytes but still count as missing. */
export function fractionOf(waiting: number, bytesLeft: number, bytesTotal: number): number {
  if (waiting === 0) return 1
  return bytesTotal === 0 ? 0.99 : Math.min(0.99, Math.max(0, 1 - bytesLeft / bytesTotal))
}
