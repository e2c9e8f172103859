import type { Config, DeviceConfig, OptionsConfig } from '../config/config.ts'
import type { DeviceId } from '../ids.ts'
import { isAllowedNetwork } from './lan.ts'

const WANTED_DEFAULT = 3
const WANTED_MAX = 128

/** The number of connections that the configuration requests; sent in our Hello. */
export function ownWanted(numConnections: number): number {
  if (numConnections === 0) return WANTED_DEFAULT
  return Math.min(Math.max(numConnections, 1), WANTED_MAX)
}

/** The number of connections to keep to a peer: one, until the peer requests more. */
export function wantedConnections(own: number, peer: number | undefined): number {
  if (peer === undefined || peer <= 1 || own <= 1) return 1
  return Math.min(Math.max(own, peer), WANTED_MAX)
}

/**
 * The number of connections in a peer's Hello. Undefined in a Hello to a device that the peer had not configured yet:
 * it has neither a name nor a number, and the connection stays if the peer adds us before our Hello arrives.
 */
export function announcedConnections(hello: {
  readonly deviceName: string
  readonly numConnections: number
}): number | undefined {
  return hello.deviceName === '' && hello.numConnections === 0 ? undefined : hello.numConnections
}

export type Transport = 'tcp' | 'quic' | 'relay'

/** Lower is better. */
export function connectionPriority(options: OptionsConfig, transport: Transport, isLan: boolean): number {
  switch (transport) {
    case 'tcp':
      return isLan ? options.connectionPriorityTcpLan : options.connectionPriorityTcpWan
    case 'quic':
      return isLan ? options.connectionPriorityQuicLan : options.connectionPriorityQuicWan
    case 'relay':
      return options.connectionPriorityRelay
  }
}

/** A connection after the TLS handshake, before the Hello messages. */
export interface ConnectionCandidate {
  readonly device: DeviceId
  readonly certificateCount: number
  readonly host: string
  readonly priority: number
  /** The device we dialled; undefined for an incoming connection. */
  readonly expected: DeviceId | undefined
}

/** The existing connections. */
export interface ExistingConnections {
  /** Priorities of the connections to this device. */
  readonly priorities: readonly number[]
  readonly wanted: number
  /** What may be wanted after the device's next Hello; more than `wanted` until it has announced a number. */
  readonly wantedMax: number
  /** To all devices. */
  readonly totalCount: number
}

export type Admission =
  | { readonly kind: 'known'; readonly device: DeviceConfig }
  /** An unknown device: Hello messages are exchanged, and the device is added to the pending devices. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly reason: string; readonly cause?: 'wrong-device' | 'network-not-allowed' }

/** Decides on a connection before the Hello messages. */
export function admit(
  config: Config,
  ownDevice: DeviceId,
  candidate: ConnectionCandidate,
  present: ExistingConnections,
): Admission {
  const { device } = candidate
  if (candidate.certificateCount !== 1)
    return refused(`it presented ${candidate.certificateCount} certificates instead of one`)
  if (device === ownDevice) return refused('it is this device itself')
  if (candidate.expected !== undefined && device !== candidate.expected) {
    return { kind: 'refused', reason: wrongDevice(device, candidate.expected), cause: 'wrong-device' }
  }
  if (config.remoteIgnoredDevices.some((ignored) => ignored.deviceID === device))
    return refused('the device is ignored')
  const configured = config.devices.find((entry) => entry.deviceID === device)
  if (configured === undefined)
    return candidate.expected === undefined ? { kind: 'unknown' } : refused('the device is not configured')
  const reason = refusalReason(config, configured, candidate, present)
  return reason === undefined ? { kind: 'known', device: configured } : refused(reason)
}

export function wrongDevice(reached: DeviceId, expected: DeviceId): string {
  return `wrong device: ${reached} is at this address instead of ${expected}`
}

function refusalReason(
  { options }: Config,
  configured: DeviceConfig,
  candidate: ConnectionCandidate,
  present: ExistingConnections,
): string | undefined {
  if (configured.paused) return 'the device is paused'
  if (!isAllowedNetwork(candidate.host, configured.allowedNetworks))
    return 'the device may not connect from that network'
  const threshold = options.connectionPriorityUpgradeThreshold
  // The Hello of an incoming connection decides whether it is wanted.
  const wanted = candidate.expected === undefined ? present.wantedMax : present.wanted
  if (!isConnectionWanted(candidate.priority, { ...present, wanted }, threshold)) return 'it is connected already'
  const isUpgrade = present.priorities.length >= wanted
  if (!isUpgrade && options.connectionLimitMax > 0 && present.totalCount >= options.connectionLimitMax) {
    return 'there are as many connections as the configuration allows'
  }
  return undefined
}

/** Whether to accept a connection: there are fewer than wanted, or it is better than the worst existing one. */
export function isConnectionWanted(
  priority: number,
  present: Pick<ExistingConnections, 'priorities' | 'wanted'>,
  threshold: number,
): boolean {
  return present.priorities.length < present.wanted || present.priorities.some((one) => priority + threshold < one)
}

/** Whether a new connection of this priority replaces an existing one. */
export function isReplaced(existing: number, added: number, threshold: number): boolean {
  return existing > added + threshold
}

function refused(reason: string): Admission {
  return { kind: 'refused', reason }
}
