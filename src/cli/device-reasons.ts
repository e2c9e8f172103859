import type { DeviceConfig, OptionsConfig } from '../core/config/config.ts'
import { parseAddress } from '../core/network/address.ts'
import { parseIp } from '../core/network/ip.ts'
import type { ConnectionsJson } from '../rest/cluster.ts'
import type { StatusJson } from '../rest/system.ts'
import type { DisagreementsJson } from '../rest/network.ts'
import type { ScheduleJson } from '../rest/schedule.ts'
import { METERED_REASON, pauseNote } from './schedule-notes.ts'
import { formatDuration } from './text.ts'

/** What the daemon reports about its connections. */
export interface NetworkFacts {
  readonly status: StatusJson
  readonly connections: ConnectionsJson
  readonly options: Pick<OptionsConfig, 'reconnectionIntervalS' | 'globalAnnounceEnabled' | 'localAnnounceEnabled'>
  /** Addresses that discovery has found, by device. */
  readonly discovered: Readonly<Record<string, { readonly addresses: readonly string[] | null }>>
  /** Folders whose encryption is configured differently here and on another device. */
  readonly disagreements: DisagreementsJson
  readonly schedule: Pick<ScheduleJson, 'pauses' | 'metered'>
}

/** The last attempt to connect to one address. */
interface DialReport {
  readonly address: string
  /** Empty after a success, and while none has ended. */
  readonly error: string
  readonly triedAgoS: number | undefined
  /** Upper bound of the time until the next attempt; undefined where there is none. */
  readonly nextWithinS: number | undefined
}

/** The jitter of the retry interval is at most a tenth of it. */
const JITTER = 1.1

/** All addresses of a device, configured and discovered, with their last attempts. */
function dialReports(device: DeviceConfig, facts: NetworkFacts): readonly DialReport[] {
  const discovered = facts.discovered[device.deviceID]?.addresses ?? []
  const isDynamic = device.addresses.includes('dynamic')
  const texts = new Set([...device.addresses, ...(isDynamic ? discovered : [])])
  return [...texts].filter((text) => text !== 'dynamic').map((text) => dialReport(text, facts))
}

/** Without what was settled by a connection that was closed because the settings contradict each other. */
function currentReports(device: DeviceConfig, facts: NetworkFacts): readonly DialReport[] {
  const times = contradictions(device, facts).map(({ time }) => Date.parse(time))
  const closedMs = times.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  const closedAgoS = (Date.parse(facts.connections.total.at) - closedMs) / 1_000
  return dialReports(device, facts).filter(({ triedAgoS }) => triedAgoS === undefined || !(triedAgoS >= closedAgoS))
}

function contradictions({ deviceID }: DeviceConfig, { disagreements }: NetworkFacts): DisagreementsJson {
  return disagreements.filter((each) => each.deviceID === deviceID)
}

function dialReport(text: string, { status, connections, options }: NetworkFacts): DialReport {
  const parsed = parseAddress(text)
  const never = { address: text, triedAgoS: undefined, nextWithinS: undefined }
  if (parsed.kind === 'bad') return { ...never, error: `not an address: ${parsed.reason}` }
  if (!('text' in parsed)) return { ...never, error: 'this kind of address is not supported' }
  const last = status.lastDialStatus[parsed.text]
  if (last === undefined) return { ...never, error: '' }
  const nowMs = Date.parse(connections.total.at)
  const triedAgoS = Math.max(0, (nowMs - Date.parse(last.when)) / 1_000)
  const nextS = last.next === undefined ? undefined : (Date.parse(last.next) - nowMs) / 1_000
  const nextWithinS = Math.max(0, nextS ?? options.reconnectionIntervalS * JITTER - triedAgoS)
  return { address: text, error: last.error ?? '', triedAgoS, nextWithinS }
}

/** The latest error of a device, and when it is tried again; empty while it is connected or paused. */
export function dialColumns(device: DeviceConfig, facts: NetworkFacts): readonly [error: string, next: string] {
  const isConnected = facts.connections.connections[device.deviceID]?.connected === true
  const isPaused = device.paused || facts.connections.connections[device.deviceID]?.paused === true
  if (isConnected || isPaused || device.deviceID === facts.status.myID) return ['', '']
  const [contradiction] = contradictions(device, facts)
  const reports = currentReports(device, facts)
  if (reports.length === 0 && contradiction === undefined) return [noAddress(device, facts), 'when it connects']
  const failed = reports
    .filter(({ error }) => error !== '')
    .sort((a, b) => (a.triedAgoS ?? Infinity) - (b.triedAgoS ?? Infinity))
  const next = reports.flatMap(({ nextWithinS }) => nextWithinS ?? [])
  const nextText = next.length === 0 ? '' : withinText(next.reduce((a, b) => Math.min(a, b)))
  return [failed[0]?.error ?? contradiction?.reason ?? '', nextText]
}

function withinText(seconds: number): string {
  return seconds < 1 ? 'now' : `within ${formatDuration(Math.ceil(seconds))}`
}

function noAddress(device: DeviceConfig, { options }: NetworkFacts): string {
  if (!device.addresses.includes('dynamic')) return 'no address'
  const isOn = options.globalAnnounceEnabled || options.localAnnounceEnabled
  return isOn ? 'discovery has found no address yet' : 'no address, and discovery is off'
}

/** Why a device is connected or not, the most important reason first. */
export function deviceReasons(device: DeviceConfig, facts: NetworkFacts, lastSeen: string): readonly string[] {
  const { status, connections } = facts
  const connection = connections.connections[device.deviceID]
  if (device.deviceID === status.myID) return ['it is this device itself']
  if (device.paused) return ['it is paused here; "device resume" connects again']
  const note = pauseNote(facts.schedule.pauses, 'device', device.deviceID)
  if (note !== undefined) return [`it is ${note}; "device resume" connects until then`]
  if (connection?.connected === true) {
    return [`it is connected at ${connection.address} (${connection.type}), with ${connection.clientVersion}`]
  }
  const refused = refusals(device, facts)
  const reports = currentReports(device, facts)
  return [
    ...(facts.schedule.metered === 'yes' ? [METERED_REASON] : []),
    ...refused,
    ...(reports.length === 0 && refused.length === 0 ? [noAddressReason(device, facts)] : reports.map(reportText)),
    ...hints(reports),
    ...listenErrors(facts),
    lastSeen === 'never'
      ? `it has never connected; the other device must have this device, too: ${status.myID}`
      : `it was last connected ${lastSeen}`,
  ]
}

function refusals(device: DeviceConfig, facts: NetworkFacts): readonly string[] {
  return contradictions(device, facts).map(
    ({ folder, reason, remedy }) => `${folder === null ? '' : `folder "${folder}": `}${reason}. ${remedy}`,
  )
}

function noAddressReason(device: DeviceConfig, facts: NetworkFacts): string {
  const remedy = 'give one with "device address", switch discovery on with "network", or let it connect to this device'
  return `${noAddress(device, facts)}; ${remedy}`
}

function reportText({ address, error, triedAgoS, nextWithinS }: DialReport): string {
  if (triedAgoS === undefined) return `${address}: ${error === '' ? 'not tried yet' : error}`
  const next = nextWithinS === undefined ? '' : `, next attempt ${withinText(nextWithinS)}`
  return `${address}: ${error === '' ? 'reached' : error}, ${formatDuration(triedAgoS)} ago${next}`
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    /ECONNREFUSED|connection refused/,
    'nothing listens at a refused address: the other device is stopped, or uses another port',
  ],
  [
    /ETIMEDOUT|timed? ?out|timeout|EHOSTUNREACH|ENETUNREACH|unreachable/i,
    'an address without a response is off, in another network, or behind a firewall (port 22000)',
  ],
  [/ENOTFOUND|EAI_AGAIN|host name/, 'a host name could not be resolved: check its spelling and the name server'],
  [
    /not accept the invitation/,
    'ask for a new invitation, or accept this device on the other one: on its page, or by "pending accept" there',
  ],
  [/has not added/, 'accept this device on the other one: on its page, or by "pending accept" there'],
  [/device ID|another device|unexpected device/i, 'another device uses the address: compare the device IDs'],
  [
    /closed|ECONNRESET|EPIPE|ended/i,
    'the other device closed the connection: it may not have added this device yet ("pending" on it)',
  ],
]

function hints(reports: readonly DialReport[]): readonly string[] {
  return HINTS.filter(([pattern]) => reports.some(({ error }) => pattern.test(error))).map(([, hint]) => hint)
}

/** Without QUIC, which is never used: a configuration of Syncthing lists it beside TCP. */
function listenErrors({ status }: NetworkFacts): readonly string[] {
  return Object.entries(status.connectionServiceStatus)
    .filter(([address, { error }]) => (error ?? '') !== '' && parseAddress(address).kind !== 'unsupported')
    .map(([address, { error }]) => `this device does not listen on ${address}: ${error}`)
}

/** What is wrong with an address given on the command line: refused, or accepted with a warning. */
export function addressProblem(text: string): { readonly refused: string } | { readonly warning: string } | undefined {
  const parsed = parseAddress(text)
  if (parsed.kind === 'bad') {
    return refusal(text, `${parsed.reason}${text.includes('://') ? '' : `; did you mean tcp://${text}?`}`)
  }
  if (parsed.kind === 'unsupported')
    return { warning: `addresses like ${text} are not supported yet and are not dialled` }
  if (parsed.kind === 'relay-pool') return refusal(text, 'a pool of relays cannot be dialled')
  if (parsed.kind !== 'tcp') return undefined
  if (parsed.host === '' || parseIp(parsed.host)?.value === 0n) return refusal(text, 'it names no host')
  return parsed.port === 0 ? refusal(text, 'it has no port') : undefined
}

function refusal(text: string, reason: string): { readonly refused: string } {
  return { refused: `"${text}" cannot be used as an address: ${reason}` }
}
