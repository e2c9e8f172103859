import type { Client } from '../client/client.ts'
import type { OptionsConfig } from '../core/config/config.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import { parseAddress } from '../core/network/address.ts'
import { expandServers, parseDiscoveryServer } from '../core/network/discovery-server.ts'
import { CLI_EXIT, type CliContext, type CliExit } from './context.ts'
import { SERVER_KINDS, type ServerKind } from './network-switches.ts'
import { escapeText } from './text.ts'

/** The servers of the Syncthing project. */
const DEFAULT = 'default'
/** What the listen address `default` means besides the public relays. */
const DEFAULT_LISTENERS: readonly string[] = ['tcp://0.0.0.0:22000', 'quic://0.0.0.0:22000']
const PUBLIC_RELAYS = 'dynamic+https://relays.syncthing.net/endpoint'

/** Shows the discovery and relay servers, or replaces those of one kind. */
export async function networkServers(
  context: CliContext,
  client: Client,
  change: { readonly kind: ServerKind; readonly urls: readonly string[] } | undefined,
  { json }: { readonly json?: boolean },
): Promise<CliExit> {
  const before = await client.options()
  const body = change === undefined ? undefined : changeOf(before, change.kind, change.urls)
  if (body !== undefined) await client.changeOptions(body)
  const options = { ...before, ...body }
  const servers = { discovery: options.globalAnnounceServers, relays: relaysOf(options.listenAddresses) }
  const isOn = { discovery: options.globalAnnounceEnabled, relays: options.relaysEnabled }
  if (json) {
    context.print(JSON.stringify({ servers, on: isOn }, undefined, 2))
    return CLI_EXIT.done
  }
  for (const kind of SERVER_KINDS) {
    const name = kind === 'discovery' ? 'global' : kind
    context.print(`${kind}${isOn[kind] ? '' : ` (off; "${context.program} network on ${name}" uses them)`}:`)
    for (const url of servers[kind]) context.print(`  ${urlText(url)}`)
    if (servers[kind].length === 0) context.print('  none')
  }
  return CLI_EXIT.done
}

function urlText(url: string): string {
  return url === DEFAULT ? `${DEFAULT}: those of the Syncthing project` : escapeText(url)
}

function changeOf(options: OptionsConfig, kind: ServerKind, urls: readonly string[]): Partial<OptionsConfig> {
  if (kind === 'relays') return { listenAddresses: withRelays(options.listenAddresses, urls) }
  for (const url of expandServers(urls)) checkDiscoveryServer(url)
  return { globalAnnounceServers: urls }
}

function checkDiscoveryServer(url: string): void {
  try {
    parseDiscoveryServer(url)
  } catch (error) {
    const form = 'a server has the form https://HOST:8443/?id=ID'
    throw new TwinfoldError('refused', `"${url}" is no discovery server: ${messageOf(error)}; ${form}`)
  }
}

function isRelay(address: string): boolean {
  const { kind } = parseAddress(address)
  return kind === 'relay' || kind === 'relay-pool'
}

/** The relays that a device joins are among its listen addresses. */
function relaysOf(addresses: readonly string[]): readonly string[] {
  return addresses
    .filter((address) => address === DEFAULT || isRelay(address))
    .map((address) => (address === PUBLIC_RELAYS ? DEFAULT : address))
}

/** The listen addresses with these relays in place of all others. */
function withRelays(addresses: readonly string[], relays: readonly string[]): readonly string[] {
  const wrong = relays.find((url) => url !== DEFAULT && !isRelay(url))
  if (wrong !== undefined) {
    const form = 'a relay has the form relay://HOST:22067/?id=ID, a pool dynamic+https://HOST/PATH'
    throw new TwinfoldError('refused', `"${wrong}" is no relay server; ${form}`)
  }
  const others = addresses.filter((address) => !isRelay(address))
  if (others.includes(DEFAULT) && relays.every((url) => url === DEFAULT)) return others
  const listeners = others.flatMap((address) => (address === DEFAULT ? DEFAULT_LISTENERS : [address]))
  return [...new Set([...listeners, ...relays.map((url) => (url === DEFAULT ? PUBLIC_RELAYS : url))])]
}
