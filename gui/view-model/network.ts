import type { OptionsConfig } from '../../src/core/config/config.ts'
import { NOTE_NETWORK } from '../../src/core/config/notes.ts'
import type { StatusJson } from '../../src/rest/system.ts'
import type { NetworkJson } from '../../src/rest/network.ts'
import type { Tone } from '../base/tone.ts'
import { errorKey } from './error-key.ts'

/** The switches of the question in a new home, in its order. */
export const NETWORK_SWITCHES = [
  'localAnnounceEnabled',
  'globalAnnounceEnabled',
  'relaysEnabled',
  'natEnabled',
] as const satisfies readonly (keyof OptionsConfig)[]

export type NetworkSwitch = (typeof NETWORK_SWITCHES)[number]

/** Whether the owner of a new home has not decided about the network yet. */
export function isNetworkUndecided(options: Pick<OptionsConfig, 'unackedNotificationIDs'> | undefined): boolean {
  return options?.unackedNotificationIDs.includes(NOTE_NETWORK) === true
}

/** The change of the options that answers the question. */
export function networkAnswer(
  { unackedNotificationIDs }: Pick<OptionsConfig, 'unackedNotificationIDs'>,
  chosen: ReadonlySet<NetworkSwitch>,
): Partial<OptionsConfig> {
  const switches = Object.fromEntries(NETWORK_SWITCHES.map((name) => [name, chosen.has(name)]))
  return { ...switches, unackedNotificationIDs: unackedNotificationIDs.filter((id) => id !== NOTE_NETWORK) }
}

/** One line of the state: a name, and how it is. */
export interface NetworkLine {
  readonly name: string
  readonly tone: Tone
  /** Why it does not work; undefined while it does. */
  readonly error?: string
  /** The addresses at which this device can be reached by it. */
  readonly addresses?: readonly string[]
  /** The port of this device that a router maps. */
  readonly port?: number
}

export function discoveryLines({ discoveryStatus = {} }: Pick<StatusJson, 'discoveryStatus'>): readonly NetworkLine[] {
  return Object.entries(discoveryStatus).map(([name, { error }]) => lineOf(name, error))
}

export function listenerLines(status: StatusJson['connectionServiceStatus']): readonly NetworkLine[] {
  return Object.entries(status).map(([name, { error, lanAddresses, wanAddresses }]) => {
    const addresses = new Set([...wanAddresses, ...lanAddresses].filter((address) => address !== name))
    return { ...lineOf(name, error), addresses: [...addresses] }
  })
}

export function mappingLines({ enabled, error, mappings }: NetworkJson['portMapping']): readonly NetworkLine[] {
  if (!enabled) return []
  if (mappings.length === 0) return [{ ...lineOf('', error), ...(error === null && { tone: 'busy' }) }]
  return mappings.map(({ protocol, gateway, internalPort, externalAddress, error: refusal }) => ({
    ...lineOf(`${protocol} ${gateway}`, refusal),
    port: internalPort,
    addresses: externalAddress === undefined ? [] : [externalAddress],
  }))
}

function lineOf(name: string, error: string | null): NetworkLine {
  return error === null ? { name, tone: 'good' } : { name, tone: 'bad', error }
}

const OF_SERVERS = /^(?:global@|dynamic\+|relay:\/\/|https?:)/

/** Whether a server on the Internet could not be reached at all: no address, or no way to it. */
export function isWithoutInternet({ name, error = '' }: NetworkLine): boolean {
  const key = errorKey(error)
  return OF_SERVERS.test(name) && (key === 'dial.unreachable' || key === 'dial.name-not-found')
}

/** The host alone of `global@https://discovery.example/v2/`. */
export function serverName(name: string): string {
  return /^(?:global@|dynamic\+)?\w+:\/\/([^/?]+)/.exec(name)?.[1] ?? name
}
