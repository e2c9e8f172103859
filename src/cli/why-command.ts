import type { Client } from '../client/client.ts'
import type { DeviceConfig } from '../core/config/config.ts'
import { TwinfoldError } from '../core/errors.ts'
import { isAbsolute } from 'node:path'
import { deviceReasons } from './device-reasons.ts'
import { networkFacts, seenText } from './device-commands.ts'
import { CLI_EXIT, findDevice, findFolder, type CliContext, type CliExit } from './context.ts'
import { insideFolder } from './scan-command.ts'
import { escapeText } from './text.ts'

interface Json {
  readonly json?: boolean
}

/** Prints the daemon's explanation of the state of a file. */
export async function whyFile(
  context: CliContext,
  client: Client,
  text: string,
  given: string,
  options: Json,
): Promise<CliExit> {
  const folder = await findFolder(client, text)
  const file = isAbsolute(given) ? insideFolder(folder, given) : given.replace(/^\.\//, '').replace(/\/+$/, '')
  const reply = await client.call('GET /rest/twinfold/why', { query: { folder: folder.id, file } })
  const reasons = reply.reasons.map((reason) => reason.text)
  if (options.json) {
    const { upToDate, global, local } = reply
    context.print(JSON.stringify({ folder: folder.id, file, upToDate, reasons, global, local }, undefined, 2))
  } else {
    context.print(`${escapeText(file)} in folder "${escapeText(folder.id)}":`)
    for (const reason of reasons) context.print(`  - ${escapeText(reason)}`)
  }
  return CLI_EXIT.done
}

/** Without a file, only a device can be meant. */
async function refuseFolder(
  { program }: CliContext,
  client: Client,
  devices: readonly DeviceConfig[],
  text: string,
): Promise<void> {
  if (devices.some(({ name, deviceID }) => name === text || deviceID === text)) return
  if (!(await client.folders()).some(({ id, label }) => id === text || label === text)) return
  const remedy = `name a file of it, or use "${program} status ${text}"`
  throw new TwinfoldError('usage', `"${text}" is a folder, not a device: ${remedy}`)
}

/** Prints why a device is connected or not. */
export async function whyDevice(context: CliContext, client: Client, text: string, options: Json): Promise<CliExit> {
  const [devices, facts, seen] = await Promise.all([
    client.devices(),
    networkFacts(client),
    client.call('GET /rest/stats/device'),
  ])
  await refuseFolder(context, client, devices, text)
  const device = findDevice(devices, text)
  const { deviceID, name } = device
  const reasons = deviceReasons(device, facts, seenText(seen[deviceID]?.lastSeen))
  if (options.json) {
    const connected = facts.connections.connections[deviceID]?.connected === true
    context.print(JSON.stringify({ deviceID, name, connected, reasons }, undefined, 2))
  } else {
    context.print(`Device ${name === '' ? deviceID : `"${escapeText(name)}" (${deviceID})`}:`)
    for (const reason of reasons) context.print(`  - ${escapeText(reason)}`)
  }
  return CLI_EXIT.done
}
