import type { DeviceConfig } from '../../src/core/config.ts'
import type { LiveState } from '../live/state.ts'
import { t } from '../words/words.ts'
import { formatAgo, formatPercent, isTime } from './format.ts'
import type { Tone } from './tone.ts'

export function deviceName({ deviceID, name }: Pick<DeviceConfig, 'deviceID' | 'name'>): string {
  return name === '' ? shortId(deviceID) : name
}

/** The first seven characters, as people compare them. */
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

/** How a device stands, as a row shows it. */
export interface DeviceFacts {
  readonly tone: Tone
  readonly text: string
  readonly connected: boolean
  /** What it still lacks of what we share with it. */
  readonly waiting: number
  readonly bytesLeft: number
  readonly fraction: number
}

export function deviceFacts(state: LiveState, device: DeviceConfig, nowMs: number): DeviceFacts {
  const connection = state.connections.connections[device.deviceID]
  const connected = connection?.connected === true
  const lack = lackOf(state, device.deviceID)
  const base = { connected, ...lack }
  if (device.paused) return { ...base, tone: 'off', text: t('device.paused') }
  if (!connected) {
    const seenMs = Date.parse(state.deviceStats[device.deviceID]?.lastSeen ?? '')
    return { ...base, tone: 'wait', text: isTime(seenMs) ? t('device.offlineSince', { time: formatAgo(seenMs, nowMs) }) : t('device.never') }
  }
  const way = connection.type.startsWith('relay') ? t('device.byRelay') : connection.isLocal ? t('device.byLan') : t('device.byInternet')
  if (lack.waiting === 0) return { ...base, tone: 'good', text: t('device.upToDate', { way }) }
  return { ...base, tone: 'busy', text: t('device.syncing', { way, percent: formatPercent(lack.fraction) }) }
}

function lackOf(state: LiveState, deviceId: string): Pick<DeviceFacts, 'waiting' | 'bytesLeft' | 'fraction'> {
  let [waiting, bytesLeft, bytesTotal] = [0, 0, 0]
  for (const { completion } of Object.values(state.folders)) {
    const told = completion[deviceId]
    if (told === undefined || told.remoteState === 'notSharing') continue
    waiting += told.needItems + told.needDeletes
    bytesLeft += told.needBytes
    bytesTotal += told.globalBytes
  }
  return { waiting, bytesLeft, fraction: bytesTotal === 0 ? 1 : 1 - bytesLeft / bytesTotal }
}
