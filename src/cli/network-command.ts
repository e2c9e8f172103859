import type { OptionsConfig } from '../core/config/config.ts'
import { NOTE_NETWORK } from '../core/config/notes.ts'
import { parseAddress } from '../core/network/address.ts'
import { parseIp } from '../core/network/ip.ts'
import type { StatusJson } from '../rest/system.ts'
import type { NetworkJson } from '../rest/network.ts'
import type { Client } from '../client/client.ts'
import { CLI_EXIT, type CliContext, type CliExit } from './context.ts'
import { NETWORK_SWITCHES, type NetworkSwitch } from './network-switches.ts'
import { tableLines } from './table.ts'
import { escapeText } from './text.ts'

/** Switches some kinds on or off, all that find devices if none is named, and shows the result. */
export async function network(
  context: CliContext,
  client: Client,
  change: { readonly on: boolean; readonly names: readonly string[] } | undefined,
  flags: { readonly json?: boolean },
): Promise<CliExit> {
  if (change !== undefined) await switchNetwork(client, change)
  const [options, status, state] = await Promise.all([
    client.options(),
    client.systemStatus(),
    client.call('GET /rest/twinfold/network'),
  ])
  if (flags.json) {
    const switches = Object.fromEntries(NETWORK_SWITCHES.map((one) => [one.name, one.isOn(options)]))
    const { discoveryStatus = {}, connectionServiceStatus: listeners } = status
    context.print(JSON.stringify({ switches, discovery: discoveryStatus, listeners, ...state }, undefined, 2))
    return CLI_EXIT.done
  }
  for (const line of [...switchLines(options, context.columns), ...stateLines(status, state)]) context.print(line)
  if (await client.restartRequired()) context.print('Restart the daemon to apply all changes.')
  return CLI_EXIT.done
}

/** Also answers the question of the page. */
export async function switchNetwork(
  client: Client,
  { on, names }: { readonly on: boolean; readonly names: readonly string[] },
): Promise<void> {
  const chosen = NETWORK_SWITCHES.filter((one) => (names.length === 0 ? one.findsDevices : names.includes(one.name)))
  const { unackedNotificationIDs } = await client.options()
  const answered = { unackedNotificationIDs: unackedNotificationIDs.filter((id) => id !== NOTE_NETWORK) }
  // At most one for each switch.
  await client.changeOptions(Object.assign(answered, ...chosen.map((one) => one.set(on))) as Partial<OptionsConfig>)
}

function switchLines(options: OptionsConfig, columns: number): readonly string[] {
  const row = (one: NetworkSwitch) => [one.name, one.isOn(options) ? 'on' : 'off', one.meaning]
  const titles = [{ title: 'SWITCH' }, { title: 'STATE' }, { title: 'WHEN IT IS ON', shrink: 'end' }] as const
  return tableLines(titles, NETWORK_SWITCHES.map(row), columns)
}

/** A wildcard is where it listens, not an address that another device can dial. */
function listeningText(addresses: readonly string[]): string {
  const reachable = [...new Set(addresses)].filter((text) => {
    const address = parseAddress(text)
    return address.kind !== 'tcp' || (address.host !== '' && parseIp(address.host)?.value !== 0n)
  })
  return reachable.length === 0
    ? 'listening, but this machine has no address in a network'
    : `listening, reachable as ${reachable.join(', ')}`
}

/** One line per part: texts of routers and servers are escaped. */
function stateLines(
  { discoveryStatus = {}, connectionServiceStatus }: StatusJson,
  { portMapping }: NetworkJson,
): readonly string[] {
  const discovery = Object.entries(discoveryStatus).map(([name, { error }]) => `${name}: ${error ?? 'works'}`)
  const listeners = Object.entries(connectionServiceStatus).map(
    ([name, { error, lanAddresses, wanAddresses }]) =>
      `${name}: ${error ?? listeningText([...lanAddresses, ...wanAddresses])}`,
  )
  const mappings = portMapping.mappings.map(
    ({ protocol, gateway, internalPort, externalAddress, error }) =>
      `port ${internalPort} at router ${gateway} (${protocol}): ${error ?? externalAddress}`,
  )
  const parts: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ['Listeners', listeners],
    ['Discovery', discovery],
    ['Port mapping', portMapping.error === null ? mappings : [portMapping.error]],
  ]
  return parts.flatMap(([title, lines]) =>
    lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${escapeText(line)}`)],
  )
}
