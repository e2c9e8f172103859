import type { Client } from '../client/client.ts'
import type { DeviceConfig, FolderConfig } from '../core/config/config.ts'
import { TwinfoldError } from '../core/errors.ts'
import { CLI_EXIT, findDevice, findFolder, type CliContext, type CliExit } from './context.ts'
import { withDevices } from './device-commands.ts'
import { confirmPlans } from './plan-command.ts'
import { escapeText } from './text.ts'

interface Json {
  readonly json?: boolean
}

/** Shares an existing folder with more devices. */
export async function folderShare(
  context: CliContext,
  client: Client,
  text: string,
  names: readonly string[],
  options: Json,
): Promise<CliExit> {
  const { folder, devices } = await foundBoth(client, text, names)
  const ids = devices.map(({ deviceID }) => deviceID)
  await client.changeFolder(folder.id, withDevices(folder, ids))
  return printShared(context, client, folder, options, `is shared with ${namesOf(devices)}`)
}

/** Stops sharing a folder with devices. The files stay on all of them. */
export async function folderUnshare(
  context: CliContext,
  client: Client,
  text: string,
  names: readonly string[],
  options: Json,
): Promise<CliExit> {
  const { folder, devices } = await foundBoth(client, text, names)
  const ids: readonly string[] = devices.map(({ deviceID }) => deviceID)
  const missing = devices.find((device) => !folder.devices.some(({ deviceID }) => deviceID === device.deviceID))
  if (missing !== undefined) {
    throw new TwinfoldError('refused', `folder "${folder.id}" is not shared with ${namesOf([missing])}`)
  }
  const kept = folder.devices.filter(({ deviceID }) => !ids.includes(deviceID))
  await client.changeFolder(folder.id, { devices: kept })
  return printShared(context, client, folder, options, `is no longer shared with ${namesOf(devices)}; files were kept`)
}

export async function foundBoth(
  client: Client,
  text: string,
  names: readonly string[],
): Promise<{ readonly folder: FolderConfig; readonly devices: readonly DeviceConfig[] }> {
  const [folder, known, { myID }] = await Promise.all([
    findFolder(client, text),
    client.devices(),
    client.systemStatus(),
  ])
  const devices = names.map((name) => findDevice(known, name))
  if (devices.some(({ deviceID }) => deviceID === myID)) {
    throw new TwinfoldError('refused', 'a folder is always shared with this device itself')
  }
  return { folder, devices }
}

async function printShared(
  context: CliContext,
  client: Client,
  { id }: FolderConfig,
  { json }: Json,
  text: string,
): Promise<CliExit> {
  if (json) context.print(JSON.stringify(await findFolder(client, id), undefined, 2))
  else context.print(`Folder "${escapeText(id)}" ${text}.`)
  return CLI_EXIT.done
}

export function namesOf(devices: readonly DeviceConfig[]): string {
  return devices.map(({ name, deviceID }) => (name === '' ? deviceID : `"${escapeText(name)}"`)).join(', ')
}

/** Undoes local changes in a receive-only or encrypted folder. */
export async function folderRevert(
  context: CliContext,
  client: Client,
  text: string,
  options: Json & { readonly yes?: boolean },
): Promise<CliExit> {
  const { id } = await folderOfType(client, text, ['receiveonly', 'receiveencrypted'], 'reverted')
  await confirmPlans(context, client, [{ folder: id, action: 'revert' }], options)
  await client.call('POST /rest/db/revert', { query: { folder: id } })
  return printStarted(context, id, options, 'reverted', 'local changes are being reverted')
}

/** Makes the local state of a send-only folder the state of all devices. */
export async function folderOverride(
  context: CliContext,
  client: Client,
  text: string,
  options: Json & { readonly yes?: boolean },
): Promise<CliExit> {
  const { id } = await folderOfType(client, text, ['sendonly'], 'overridden')
  await confirmPlans(context, client, [{ folder: id, action: 'override' }], options)
  await client.call('POST /rest/db/override', { query: { folder: id } })
  return printStarted(context, id, options, 'overridden', 'changes of other devices are being overridden')
}

/** The daemon ignores the request for a folder of another type, so the type is checked here. */
async function folderOfType(
  client: Client,
  text: string,
  types: readonly FolderConfig['type'][],
  verb: string,
): Promise<FolderConfig> {
  const folder = await findFolder(client, text)
  if (types.includes(folder.type)) return folder
  throw new TwinfoldError(
    'refused',
    `folder "${folder.id}" is ${folder.type}; only changes in a ${types.join(' or ')} folder can be ${verb}`,
  )
}

function printStarted(context: CliContext, id: string, { json }: Json, key: string, text: string): CliExit {
  context.print(json ? JSON.stringify({ [key]: id }, undefined, 2) : `Folder "${escapeText(id)}": ${text}.`)
  return CLI_EXIT.done
}
