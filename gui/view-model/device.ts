import type { DeviceConfig } from '../../src/core/config/config.ts'
import { lookUp } from '../base/look-up.ts'
import type { LiveState } from '../live/state.ts'
import { visibleName } from '../base/visible-name.ts'
import { isTime } from '../base/moments.ts'
import type { Tone } from '../base/tone.ts'
import { scheduledPause } from './scheduled.ts'

export function deviceName({ deviceID, name }: Pick<DeviceConfig, 'deviceID' | 'name'>): string {
  return name === '' ? shortId(deviceID) : visibleName(name)
}

/** The first seven characters, the usual short form. */
export function shortId(deviceId: string): string {
  return deviceId.slice(0, 7)
}

/** The name of a device that may be unknown, or be this one. */
export function deviceNameById(state: LiveState, deviceId: string): string {
  const device = state.config?.devices.find(({ deviceID }) => deviceID === deviceId || shortId(deviceID) === deviceId)
  return device === undefined ? shortId(deviceId) : deviceName(device)
}

/** The other devices, as the config lists them. */
export function otherDevices(state: LiveState): readonly DeviceConfig[] {
  return state.config?.devices.filter(({ deviceID }) => deviceID !== state.system?.myID) ?? []
}

/** By which way a device is connected. */
export type ConnectionWay = 'relay' | 'lan' | 'internet'

/** What a device does; the most severe one that is true. */
export type DeviceCode =
  | 'paused'
  | 'never'
  | 'offline'
  | 'offlineBehind'
  | 'sharesNothing'
  | 'notAccepted'
  | 'syncing'
  | 'upToDate'

const DEVICE_TONES: Readonly<Record<DeviceCode, Tone>> = {
  paused: 'paused',
  never: 'away',
  offline: 'away',
  offlineBehind: 'away',
  sharesNothing: 'off',
  notAccepted: 'wait',
  syncing: 'busy',
  upToDate: 'good',
}

/** The state of a device, as a row shows it. Flat, so that two of them are compared field by field. */
export interface DeviceFacts {
  readonly code: DeviceCode
  readonly tone: Tone
  readonly paused: boolean
  readonly connected: boolean
  readonly way: ConnectionWay
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

/** Decides the state of a device from all that is known. */
export function deviceFacts(state: LiveState, deviceId: string): DeviceFacts {
  const connection = lookUp(state.connections.connections, deviceId)
  const shares = state.config?.folders.filter(({ devices }) => devices.some((each) => each.deviceID === deviceId)) ?? []
  const facts = {
    connected: connection?.connected === true,
    paused:
      state.config?.devices.some((device) => device.deviceID === deviceId && device.paused) === true ||
      scheduledPause(state, 'device', deviceId) !== undefined,
    lastSeenMs: lastSeenMs(state, deviceId),
    folders: shares.length,
    ...missingOn(state, deviceId),
  }
  const running = shares
    .filter(({ paused }) => !paused)
    .map(({ id }) => lookUp(state.folders, id)?.completion[deviceId])
  const isRefused = running.length > 0 && running.every((reported) => reported?.remoteState === 'notSharing')
  const code = codeOf(facts, isRefused)
  const way = connection?.type.startsWith('relay') ? 'relay' : connection?.isLocal ? 'lan' : 'internet'
  return { code, tone: DEVICE_TONES[code], way, ...facts }
}

function codeOf(
  facts: Pick<DeviceFacts, 'connected' | 'paused' | 'lastSeenMs' | 'folders' | 'waiting'>,
  isRefused: boolean,
): DeviceCode {
  if (facts.paused) return 'paused'
  if (!facts.connected) return !isTime(facts.lastSeenMs) ? 'never' : facts.waiting > 0 ? 'offlineBehind' : 'offline'
  if (facts.folders === 0) return 'sharesNothing'
  if (isRefused) return 'notAccepted'
  return facts.waiting > 0 ? 'syncing' : 'upToDate'
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

/** `TLS1.3-TLS_AES_128_GCM_SHA256` as `TLS 1.3 · AES-128-GCM-SHA256`. */
export function cryptoText(crypto: string): string {
  return crypto.replace(
    /^TLS([\d.]+)-(?:TLS_)?(\w+)$/,
    (_, version: string, cipher: string) => `TLS ${version} · ${cipher.replaceAll('_', '-')}`,
  )
}
