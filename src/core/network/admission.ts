import type { Config, DeviceConfig, OptionsConfig } from '../config/config.ts'
import type { DeviceId } from '../ids.ts'
import { isAllowedNetwork } from './lan.ts'

const WANTED_DEFAULT = 3
const WANTED_MAX = 128

/** How many connections a device of the configuration would like to have; what we say in our Hello. */
export function ownWanted(numConnections: number): number {
  if (numConnections === 0) return WANTED_DEFAULT
  return Math.min(Math.max(numConnections, 1), WANTED_MAX)
}

/** How many there shall be between us. One, until the peer has said that it wants more. */
export function wantedConnections(own: number, peer: number | undefined): number {
  if (peer === undefined || peer <= 1 || own <= 1) return 1
  return Math.min(Math.max(own, peer), WANTED_MAX)
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

/** What is known of one who has shown a certificate and said nothing yet. */
export interface Applicant {
  readonly device: DeviceId
  readonly certificateCount: number
  readonly host: string
  readonly priority: number
  /** Whom we wanted to reach; undefined when they came to us. */
  readonly expected: DeviceId | undefined
}

/** What there is already. */
export interface Present {
  /** Priorities of the connections to this device. */
  readonly priorities: readonly number[]
  readonly wanted: number
  /** To all devices. */
  readonly totalCount: number
}

export type Admission =
  | { readonly kind: 'known'; readonly device: DeviceConfig }
  /** Nobody we know: hears our Hello, tells us its own, and goes on the list of those who want in. */
  | { readonly kind: 'stranger' }
  | { readonly kind: 'refused'; readonly reason: string }

/** Decides before a word is exchanged. */
export function admit(config: Config, ownDevice: DeviceId, applicant: Applicant, present: Present): Admission {
  const { device } = applicant
  if (applicant.certificateCount !== 1)
    return refused(`it showed ${applicant.certificateCount} certificates instead of one`)
  if (device === ownDevice) return refused('it is this device itself')
  if (applicant.expected !== undefined && device !== applicant.expected) {
    return refused(`it is device ${device} where ${applicant.expected} was expected`)
  }
  if (config.remoteIgnoredDevices.some((ignored) => ignored.deviceID === device))
    return refused('the device is ignored')
  const known = config.devices.find((one) => one.deviceID === device)
  if (known === undefined)
    return applicant.expected === undefined ? { kind: 'stranger' } : refused('the device is not configured')
  const reason = whyNot(config, known, applicant, present)
  return reason === undefined ? { kind: 'known', device: known } : refused(reason)
}

function whyNot({ options }: Config, known: DeviceConfig, applicant: Applicant, present: Present): string | undefined {
  if (known.paused) return 'the device is paused'
  if (!isAllowedNetwork(applicant.host, known.allowedNetworks)) return 'the device may not connect from that network'
  if (!isWelcome(applicant.priority, present, options.connectionPriorityUpgradeThreshold))
    return 'it is connected already'
  const isUpgrade = present.priorities.length >= present.wanted
  if (!isUpgrade && options.connectionLimitMax > 0 && present.totalCount >= options.connectionLimitMax) {
    return 'there are as many connections as the configuration allows'
  }
  return undefined
}

/** One more is welcome while there are fewer than wanted, or when it is better than the worst there is. */
export function isWelcome(
  priority: number,
  present: Pick<Present, 'priorities' | 'wanted'>,
  threshold: number,
): boolean {
  return present.priorities.length < present.wanted || priority + threshold < Math.max(...present.priorities)
}

/** Whether a new connection of this priority makes an existing one needless. */
export function isReplaced(existing: number, added: number, threshold: number): boolean {
  return existing > added + threshold
}

function refused(reason: string): Admission {
  return { kind: 'refused', reason }
}
