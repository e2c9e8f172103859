import type { DeviceConfig, FolderConfig } from '../core/config/config.ts'
import { parseDeviceId } from '../core/device-id.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { ConnectionsJson } from '../rest/cluster.ts'
import type { Client, FolderChange } from '../client/client.ts'
import { addressProblem, dialColumns, type NetworkFacts } from './device-reasons.ts'
import { CLI_EXIT, findDevice, findFolder, type CliContext, type CliExit } from './context.ts'
import { pauseResult, type PauseOptions } from './folder-commands.ts'
import { confirmPlans } from './plan-command.ts'
import { resumeScheduled, scheduleOf } from './schedule-notes.ts'
import { shellWord } from './shell-words.ts'
import { tableLines } from './table.ts'
import { escapeText } from './text.ts'

interface Json {
  readonly json?: boolean
}

export interface DeviceAddOptions extends Json {
  readonly name?: string
  readonly address?: readonly string[]
  readonly folder?: readonly string[]
  readonly introducer?: boolean
  readonly autoAccept?: boolean
  readonly paused?: boolean
  /** Switches local discovery on. */
  readonly local?: boolean
}

/** Adds a device to the configuration and shares folders with it. The other side must add this device, too. */
export async function deviceAdd(
  context: CliContext,
  client: Client,
  text: string,
  options: DeviceAddOptions,
): Promise<CliExit> {
  const deviceID = parseDeviceId(text)
  const [devices, folders] = await Promise.all([
    client.devices(),
    Promise.all((options.folder ?? []).map((folder) => findFolder(client, folder))),
  ])
  const existing = devices.find((device) => device.deviceID === deviceID)
  if (existing !== undefined) {
    throw new TwinfoldError('refused', `the device already exists, as "${existing.name}"`)
  }
  await checkAddresses(context, client, options.address ?? [])
  refuseSameName(devices, options.name ?? '')
  if (options.local) await (await import('./network-command.ts')).switchNetwork(client, { on: true, names: ['local'] })
  await client.call('POST /rest/config/devices', {
    body: {
      deviceID,
      ...(options.name !== undefined && { name: options.name }),
      ...(options.address !== undefined && { addresses: options.address }),
      ...(options.introducer !== undefined && { introducer: options.introducer }),
      ...(options.autoAccept !== undefined && { autoAcceptFolders: options.autoAccept }),
      ...(options.paused !== undefined && { paused: options.paused }),
    },
  })
  for (const folder of folders) await client.changeFolder(folder.id, withDevices(folder, [deviceID]))
  if (options.json) {
    context.print(JSON.stringify(await client.call('GET /rest/config/devices/:id', { id: deviceID }), undefined, 2))
  } else {
    context.print(`Added device ${deviceID}. Add this device on the other one, too, before they can connect.`)
    context.print(`"${context.program} why ${options.name ?? deviceID}" explains why it is not connected.`)
  }
  await warnOfNoAddress(context, client, { ...options, name: options.name ?? deviceID })
  return CLI_EXIT.done
}

/** Without an address and without discovery the device is never found from here. */
async function warnOfNoAddress(
  { program, printError }: CliContext,
  client: Client,
  { name, address = ['dynamic'] }: { readonly name: string; readonly address?: readonly string[] },
): Promise<void> {
  const { localAnnounceEnabled, globalAnnounceEnabled } = await client.options()
  if (localAnnounceEnabled || globalAnnounceEnabled || address.some((text) => text !== 'dynamic')) return
  printError(
    'Discovery is off, so this device does not find it. In one local network run on both devices ' +
      `"${program} network on local"; elsewhere "${program} network on", or on one of them ` +
      `"${program} device address ${escapeText(shellWord(name))} tcp://HOST:22000".`,
  )
}

/** Two devices of one name are ambiguous in lists and commands. */
export function refuseSameName(devices: readonly DeviceConfig[], name: string): void {
  if (name === '' || devices.every((device) => device.name !== name)) return
  throw new TwinfoldError('refused', `another device is named "${name}"; choose another --name`)
}

/** Refuses addresses that cannot be parsed, and warns of those that are never dialled. */
async function checkAddresses(context: CliContext, client: Client, addresses: readonly string[]): Promise<void> {
  for (const text of addresses) {
    const problem = addressProblem(text)
    if (problem === undefined) continue
    if ('refused' in problem) throw new TwinfoldError('refused', problem.refused)
    context.printError(`Warning: ${escapeText(problem.warning)}`)
  }
  const relay = addresses.find((text) => text.startsWith('relay:'))
  if (relay === undefined || (await client.options()).relaysEnabled) return
  const remedy = `"${context.program} network on relays" enables them`
  context.printError(`Warning: ${escapeText(relay)} is not dialled, because relays are off; ${remedy}`)
}

/** Replaces the addresses of a device; a change connects at once. */
export async function deviceAddress(
  context: CliContext,
  client: Client,
  text: string,
  addresses: readonly string[],
  options: Json,
): Promise<CliExit> {
  const device = await otherDevice(client, text)
  await checkAddresses(context, client, addresses)
  await client.call('PATCH /rest/config/devices/:id', { id: device.deviceID, body: { addresses } })
  if (options.json) context.print(JSON.stringify({ deviceID: device.deviceID, addresses }, undefined, 2))
  else context.print(`Device ${labelOf(device)} is dialled at ${addresses.map(escapeText).join(', ')} from now on.`)
  return CLI_EXIT.done
}

/** The change that shares a folder with more devices; the existing devices stay. */
export function withDevices(folder: FolderConfig, ids: readonly string[]): FolderChange {
  const more = ids.filter((id) => !folder.devices.some((device) => device.deviceID === id))
  return { devices: [...folder.devices, ...more.map((deviceID) => ({ deviceID }))] }
}

/** This device, then the others by name: the order of the configuration is that of the IDs. */
function ownFirst<T extends { readonly deviceID: string; readonly name: string }>(
  devices: readonly T[],
  own: string,
): readonly T[] {
  const isOther = ({ deviceID }: T): number => (deviceID === own ? 0 : 1)
  return devices.toSorted((a, b) => isOther(a) - isOther(b) || a.name.localeCompare(b.name))
}

export async function deviceList(context: CliContext, client: Client, options: Json): Promise<CliExit> {
  const [devices, facts, seen] = await Promise.all([
    client.devices(),
    networkFacts(client),
    client.call('GET /rest/stats/device'),
  ])
  const { myID } = facts.status
  const rows = ownFirst(devices, myID).map((device) => {
    const [lastError, nextTry] = dialColumns(device, facts)
    const lastSeen = device.deviceID === myID ? '' : seenText(seen[device.deviceID]?.lastSeen)
    return { device, state: stateOf(device, myID, facts.connections), lastSeen, lastError, nextTry }
  })
  if (options.json) {
    const list = rows.map(({ device, ...state }) => ({ ...device, ...state }))
    context.print(JSON.stringify(list, undefined, 2))
    return CLI_EXIT.done
  }
  const columns = [
    { title: 'NAME', shrink: 'end' },
    { title: 'STATE' },
    { title: 'LAST SEEN' },
    { title: 'NEXT TRY' },
    { title: 'LAST ERROR', shrink: 'end' },
    { title: 'ID', shrink: 'end' },
    { title: 'ADDRESSES', shrink: 'end' },
  ] as const
  const cells = rows.map(({ device, state, lastSeen, lastError, nextTry }) => [
    device.name,
    state,
    lastSeen,
    nextTry,
    lastError,
    device.deviceID,
    device.addresses.join(', '),
  ])
  for (const line of tableLines(columns, cells, context.columns)) context.print(line)
  return CLI_EXIT.done
}

/** Devices that discovery has found and that are not configured. */
export async function deviceNearby(
  context: CliContext,
  client: Client,
  options: Json & { readonly ids?: boolean },
): Promise<CliExit> {
  const [devices, found, { localAnnounceEnabled }] = await Promise.all([
    client.devices(),
    client.call('GET /rest/system/discovery'),
    client.options(),
  ])
  const known = new Set<string>(devices.map(({ deviceID }) => deviceID))
  const unknown = Object.entries(found).filter(([id]) => !known.has(id))
  if (options.json) context.print(JSON.stringify(Object.fromEntries(unknown), undefined, 2))
  else if (options.ids) for (const [id] of unknown) context.print(escapeText(id))
  else if (unknown.length > 0) {
    const cells = unknown.map(([id, { addresses }]) => [id, addresses.join(', ')])
    const columns = [{ title: 'ID' }, { title: 'ADDRESSES', shrink: 'end' }] as const
    for (const line of tableLines(columns, cells, context.columns)) context.print(line)
  } else {
    const hint = localAnnounceEnabled ? '' : ' Local discovery is off; "twinfold network on local" enables it.'
    context.print(`No other devices were found.${hint}`)
  }
  return CLI_EXIT.done
}

/** What the daemon reports about its connections, in a few requests. */
export async function networkFacts(client: Client): Promise<NetworkFacts> {
  const [status, connections, options, discovered, disagreements, schedule] = await Promise.all([
    client.systemStatus(),
    client.call('GET /rest/system/connections'),
    client.options(),
    client.call('GET /rest/system/discovery'),
    client.call('GET /rest/twinfold/disagreements'),
    scheduleOf(client),
  ])
  return { status, connections, options, discovered, disagreements, schedule }
}

export function stateOf(device: DeviceConfig, own: string, { connections }: ConnectionsJson): string {
  if (device.deviceID === own) return 'this device'
  const connection = connections[device.deviceID]
  if (device.paused || connection?.paused === true) return 'paused'
  return connection?.connected === true ? 'connected' : 'disconnected'
}

const EPOCH = '1970-01-01'

/** The daemon reports the epoch for a device that never connected. */
export function seenText(time: string | undefined): string {
  return time === undefined || time.startsWith(EPOCH)
    ? 'never'
    : time.slice(0, 'YYYY-MM-DDTHH:MM'.length).replace('T', ' ')
}

/** Removes a device from the configuration. Files stay on both sides; they are no longer exchanged. */
export async function deviceRemove(
  context: CliContext,
  client: Client,
  text: string,
  options: Json & { readonly yes?: boolean },
): Promise<CliExit> {
  const device = await otherDevice(client, text)
  const isShared = (folder: FolderConfig) => folder.devices.some(({ deviceID }) => deviceID === device.deviceID)
  const action = `unshare:${device.deviceID}`
  const plans = (await client.folders()).filter(isShared).map(({ id }) => ({ folder: id, action }))
  await confirmPlans(context, client, plans, options)
  await client.call('DELETE /rest/config/devices/:id', { id: device.deviceID })
  if (options.json) context.print(JSON.stringify({ removed: device.deviceID, name: device.name }, undefined, 2))
  else context.print(`Removed device ${labelOf(device)}. The shared files were kept.`)
  return CLI_EXIT.done
}

export async function devicePause(
  context: CliContext,
  client: Client,
  text: string,
  options: PauseOptions,
): Promise<CliExit> {
  const device = await otherDevice(client, text)
  const { deviceID } = device
  const { paused, seconds } = options
  if (seconds === undefined) await client.call('PATCH /rest/config/devices/:id', { id: deviceID, body: { paused } })
  else await client.call('POST /rest/twinfold/pause', { query: { device: deviceID, seconds } })
  if (!paused) await resumeScheduled(client, { device: deviceID })
  if (options.json) context.print(JSON.stringify({ deviceID, paused }, undefined, 2))
  else context.print(`Device ${labelOf(device)} ${pauseResult(options, undefined)}.`)
  return CLI_EXIT.done
}

async function otherDevice(client: Client, text: string): Promise<DeviceConfig> {
  const [devices, { myID }] = await Promise.all([client.devices(), client.systemStatus()])
  const device = findDevice(devices, text)
  if (device.deviceID === myID) throw new TwinfoldError('refused', 'this is the ID of this device')
  return device
}

function labelOf(device: DeviceConfig): string {
  return device.name === '' ? device.deviceID : `"${escapeText(device.name)}" (${device.deviceID})`
}
