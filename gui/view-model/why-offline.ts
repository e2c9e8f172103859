import type { DeviceConfig, OptionsConfig } from '../../src/core/config/config.ts'
import type { DialReason } from '../../src/core/network/dial-failure.ts'
import type { DisagreementsJson } from '../../src/rest/network.ts'
import type { StatusJson } from '../../src/rest/system.ts'
import { whyNoAddress, type Attempt } from './attempts.ts'
import { discoveryLines, isWithoutInternet, listenerLines, serverName, type NetworkLine } from './network.ts'
import { isTime } from '../base/moments.ts'
import type { ReasonText } from './reasons.ts'
import type { Tone } from '../base/tone.ts'

/** All that the page knows about a device that is not connected. */
export interface OfflineFacts {
  readonly device: Pick<DeviceConfig, 'paused' | 'addresses'>
  readonly attempts: readonly Attempt[]
  readonly options: Pick<OptionsConfig, 'localAnnounceEnabled' | 'globalAnnounceEnabled' | 'relaysEnabled'> | undefined
  readonly status: Pick<StatusJson, 'discoveryStatus' | 'connectionServiceStatus'>
  readonly wasSeen: boolean
  /** The first setting of encryption that differs on both sides, which keeps them apart. */
  readonly disagreement: DisagreementsJson[number]['code'] | undefined
  /** By how much the clock of the daemon differs from that of the browser. */
  readonly clockOffMs: number
}

/** One step to a connection, and how far it got. */
export interface OfflineStep {
  readonly name: 'addresses' | 'reached' | 'accepted' | 'discovery' | 'relays' | 'listening' | 'clock'
  readonly tone: Tone
  readonly text: ReasonText
}

/** The reason that tells most about the device comes first: one that has answered before one that has not. */
const BY_WEIGHT = [
  'not-added',
  'wrong-device',
  'rejected',
  'network-not-allowed',
  'not-a-device',
  'bad-address',
  'name-not-found',
  'proxy',
  'refused',
  'unreachable',
  'timeout',
  'not-on-relay',
  'unsupported',
  'disabled',
  'other',
] as const satisfies readonly DialReason[]

/** The clock of a browser on another machine may differ a little; certificates and discovery allow for more. */
const CLOCK_OFF_MAX_MS = 60_000

/** What to do about it, from the reason that matters most. */
export function offlineAdvice(facts: OfflineFacts): ReasonText {
  const { device, attempts, options, disagreement, clockOffMs } = facts
  if (device.paused) return { key: 'offline.todo.paused' }
  if (disagreement !== undefined) return { key: `disagree.${disagreement}` }
  if (isClockOff(clockOffMs)) return { key: 'offline.todo.clock' }
  if (attempts.length === 0) return { key: `offline.todo.${whyNoAddress(device.addresses, options)}` }
  const reason = mainReason(attempts)
  if (reason !== undefined) return { key: `offline.todo.${reason}` }
  return { key: attempts.every(({ triedMs }) => !isTime(triedMs)) ? 'offline.todo.untried' : 'offline.todo.lost' }
}

/** The steps in the order in which a connection takes them, then what they depend on. */
export function offlineSteps(facts: OfflineFacts): readonly OfflineStep[] {
  if (facts.device.paused) return []
  return [
    addressStep(facts),
    ...(facts.attempts.length === 0 ? [] : [reachedStep(facts)]),
    acceptedStep(facts),
    discoveryStep(facts),
    relayStep(facts),
    listenStep(facts),
    clockStep(facts),
  ]
}

function mainReason(attempts: readonly Attempt[]): DialReason | undefined {
  return BY_WEIGHT.find((each) => attempts.some(({ reason }) => reason === each))
}

function addressStep({ device, attempts, options }: OfflineFacts): OfflineStep {
  if (attempts.length > 0)
    return { name: 'addresses', tone: 'good', text: { key: 'offline.known', values: { n: attempts.length } } }
  return { name: 'addresses', tone: 'bad', text: { key: `device.${whyNoAddress(device.addresses, options)}` } }
}

/** A device that refuses us has been reached. */
const ANSWERED: readonly (DialReason | undefined)[] = ['not-added', 'rejected']

function reachedStep({ attempts }: OfflineFacts): OfflineStep {
  const reason = mainReason(attempts)
  const hasAnswered = ANSWERED.includes(reason) || attempts.some((each) => isTime(each.triedMs) && each.error === '')
  if (hasAnswered) return { name: 'reached', tone: 'good', text: { key: 'offline.reached' } }
  if (reason === undefined) return { name: 'reached', tone: 'wait', text: { key: 'device.notTried' } }
  return { name: 'reached', tone: 'bad', text: { key: 'offline.notReached', values: { n: attempts.length } } }
}

function acceptedStep({ attempts, wasSeen, disagreement }: OfflineFacts): OfflineStep {
  const name = 'accepted'
  const reason = mainReason(attempts)
  if (disagreement !== undefined) return { name, tone: 'bad', text: { key: 'offline.disagreement' } }
  if (reason === 'not-added') return { name, tone: 'bad', text: { key: 'offline.notAccepted' } }
  if (reason === 'rejected') return { name, tone: 'wait', text: { key: 'offline.closed' } }
  return wasSeen
    ? { name, tone: 'good', text: { key: 'offline.wasAccepted' } }
    : { name, tone: 'wait', text: { key: 'offline.acceptedUnknown' } }
}

function discoveryStep({ device, attempts, options, status }: OfflineFacts): OfflineStep {
  const name = 'discovery'
  if (!device.addresses.includes('dynamic')) return { name, tone: 'off', text: { key: 'offline.discoveryUnused' } }
  if (options?.localAnnounceEnabled !== true && options?.globalAnnounceEnabled !== true)
    return { name, tone: 'off', text: { key: 'network.off' } }
  const failed = failedText(discoveryLines(status))
  if (failed !== undefined) return { name, tone: 'bad', text: failed }
  const hasFound = attempts.some(({ address }) => !device.addresses.includes(address))
  return hasFound
    ? { name, tone: 'good', text: { key: 'offline.discoveryFound' } }
    : { name, tone: 'wait', text: { key: 'offline.discoveryNothing' } }
}

function isRelay({ name }: NetworkLine): boolean {
  return name.startsWith('relay://') || name.startsWith('dynamic+')
}

function relayStep({ options, status }: OfflineFacts): OfflineStep {
  const name = 'relays'
  if (options?.relaysEnabled !== true) return { name, tone: 'off', text: { key: 'network.off' } }
  const lines = listenerLines(status.connectionServiceStatus).filter(isRelay)
  const failed = failedText(lines)
  if (failed !== undefined) return { name, tone: 'bad', text: failed }
  return lines.length === 0
    ? { name, tone: 'off', text: { key: 'offline.relaysOthers' } }
    : { name, tone: 'good', text: { key: 'network.works' } }
}

function listenStep({ status }: OfflineFacts): OfflineStep {
  const name = 'listening'
  const lines = listenerLines(status.connectionServiceStatus).filter((line) => !isRelay(line))
  const failed = failedText(lines)
  if (failed !== undefined) return { name, tone: 'bad', text: failed }
  return lines.length === 0
    ? { name, tone: 'off', text: { key: 'offline.listensNowhere' } }
    : { name, tone: 'good', text: { key: 'network.works' } }
}

/** In words first: without the Internet every server fails, and their names tell nothing. */
function failedText(lines: readonly NetworkLine[]): ReasonText | undefined {
  const failed = lines.filter(({ error }) => error !== undefined)
  if (failed.length === 0) return undefined
  const names = [...new Set(failed.map(({ name }) => serverName(name)))].join(', ')
  return { key: failed.every(isWithoutInternet) ? 'offline.noInternet' : 'offline.failed', values: { names } }
}

function isClockOff(clockOffMs: number): boolean {
  return Math.abs(clockOffMs) > CLOCK_OFF_MAX_MS
}

function clockStep({ clockOffMs }: OfflineFacts): OfflineStep {
  return isClockOff(clockOffMs)
    ? { name: 'clock', tone: 'bad', text: { key: 'offline.clockOff', values: { n: minutes(clockOffMs) } } }
    : { name: 'clock', tone: 'good', text: { key: 'offline.clockFine' } }
}

function minutes(ms: number): number {
  return Math.round(Math.abs(ms) / 60_000)
}
