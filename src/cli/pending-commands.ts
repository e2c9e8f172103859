import type { DeviceConfig, FolderConfig } from '../core/config/config.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { FolderOfferJson, PendingDevicesJson, PendingFoldersJson } from '../rest/cluster.ts'
import type { Client } from '../client/client.ts'
import { nearestTexts } from '../core/formats/nearest.ts'
import { CLI_EXIT, suggestion, type CliContext, type CliExit } from './context.ts'
import { refuseSameName, withDevices } from './device-commands.ts'
import { addFolder, checkPath, directoryPath } from './folder-commands.ts'
import { tableLines } from './table.ts'
import { escapeText } from './text.ts'

interface Json {
  readonly json?: boolean
}

interface Pending {
  readonly devices: PendingDevicesJson
  readonly folders: PendingFoldersJson
}

async function readPending(client: Client): Promise<Pending> {
  const [devices, folders] = await Promise.all([
    client.call('GET /rest/cluster/pending/devices'),
    client.call('GET /rest/cluster/pending/folders'),
  ])
  return { devices, folders }
}

/** Pending devices and folders. */
export async function pendingList(context: CliContext, client: Client, options: Json): Promise<CliExit> {
  const [pending, known] = await Promise.all([readPending(client), client.devices()])
  if (options.json) {
    context.print(JSON.stringify(pending, undefined, 2))
    return CLI_EXIT.done
  }
  const devices = Object.entries(pending.devices).map(([id, { name, address }]) => ['device', id, name, address])
  const folders = Object.entries(pending.folders).flatMap(([id, { offeredBy }]) =>
    Object.entries(offeredBy).map(([device, { label }]) => ['folder', id, label, nameOf(known, device)]),
  )
  if (devices.length + folders.length === 0) {
    context.print('No pending devices or folders.')
    return CLI_EXIT.done
  }
  const columns = [{ title: 'WHAT' }, { title: 'ID' }, { title: 'NAME', shrink: 'end' }, { title: 'FROM' }] as const
  for (const line of tableLines(columns, [...devices, ...folders], context.columns)) context.print(line)
  context.print(`Use "${context.program} pending accept ID" or "${context.program} pending ignore ID".`)
  return CLI_EXIT.done
}

function nameOf(known: readonly DeviceConfig[], id: string): string {
  const name = known.find((device) => device.deviceID === id)?.name ?? ''
  return name === '' ? id : name
}

export interface AcceptOptions extends Json {
  readonly path?: string
  readonly name?: string
  /** Fetches nothing until something is kept. */
  readonly nothingYet?: boolean
  /** Adds the folder whatever the check of the directory finds. */
  readonly force?: boolean
}

/** Accepts a pending device or folder. The user chooses the path; the offering device cannot. */
export async function pendingAccept(
  context: CliContext,
  client: Client,
  id: string,
  options: AcceptOptions,
): Promise<CliExit> {
  const pending = await readPending(client)
  const device = ownValue(pending.devices, id)
  if (device !== undefined) {
    const name = options.name ?? device.name
    refuseSameName(await client.devices(), name)
    await client.call('POST /rest/config/devices', { body: { deviceID: id, name } })
    return printResult(context, options, { accepted: 'device', id }, `Added device ${id}.`)
  }
  const offers = offersOf(pending, id)
  const existing = await acceptFolder(context, client, id, offers, options)
  const merged =
    existing === undefined
      ? ''
      : ` It existed here before, at ${escapeText(existing.path)}: the files of all its devices are merged.`
  return printResult(context, options, { accepted: 'folder', id }, `Folder "${escapeText(id)}" is shared now.${merged}`)
}

type Offers = readonly (readonly [device: string, offer: FolderOfferJson])[]

function offersOf({ folders }: Pending, id: string): Offers {
  const offers = Object.entries(ownValue(folders, id)?.offeredBy ?? {})
  if (offers.length > 0) return offers
  const near = suggestion(nearestTexts(id, Object.keys(folders), 1))
  throw new TwinfoldError('refused', `no pending device or folder "${id}"; "pending" lists them${near}`)
}

/** The folder of this ID, if there was one. */
async function acceptFolder(
  context: CliContext,
  client: Client,
  id: string,
  offers: Offers,
  options: AcceptOptions,
): Promise<FolderConfig | undefined> {
  const existing = (await client.folders()).find((folder) => folder.id === id)
  if (existing !== undefined) {
    const devices = offers.map(([device]) => device)
    await client.changeFolder(id, withDevices(existing, devices))
    return existing
  }
  if (options.path === undefined) {
    throw new TwinfoldError('usage', `a directory for the files is required: pending accept ${id} --path DIR`)
  }
  const path = directoryPath(context, options.path)
  await checkPath(context, client, path, options)
  const folder = {
    id,
    path,
    label: options.name ?? offers[0]![1].label,
    devices: offers.map(([deviceID]) => ({ deviceID })),
    ...(offers.some(([, offer]) => offer.receiveEncrypted) && { type: 'receiveencrypted' as const }),
  }
  await addFolder(client, folder, options)
  return undefined
}

/** Ignores a pending device or folder until it is removed from the ignored list. */
export async function pendingIgnore(context: CliContext, client: Client, id: string, options: Json): Promise<CliExit> {
  const pending = await readPending(client)
  const device = ownValue(pending.devices, id)
  if (device !== undefined) {
    const config = await client.config()
    const ignored = [...config.remoteIgnoredDevices, { deviceID: id, ...device }]
    await client.call('PUT /rest/config', { body: { ...config, remoteIgnoredDevices: ignored } })
    return printResult(context, options, { ignored: 'device', id }, `Device ${id} is ignored now.`)
  }
  const known = await client.devices()
  for (const [from, { time, label }] of offersOf(pending, id)) {
    const ignored = known.find((one) => one.deviceID === from)?.ignoredFolders ?? []
    const body = { ignoredFolders: [...ignored, { time, id, label }] }
    await client.call('PATCH /rest/config/devices/:id', { id: from, body })
  }
  return printResult(context, options, { ignored: 'folder', id }, `Folder "${escapeText(id)}" is ignored now.`)
}

function printResult(context: CliContext, { json }: Json, value: object, text: string): CliExit {
  context.print(json ? JSON.stringify(value, undefined, 2) : text)
  return CLI_EXIT.done
}

/** The id is user input: it must not match an inherited property of the object. */
function ownValue<T>(record: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(record, key) ? record[key] : undefined
}
