import type { Client } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import type { DeviceConfig } from '../core/config/config.ts'
import { isAbsolute } from 'node:path'
import type { RemediesJson } from '../rest/remedies.ts'
import { deviceReasons } from './device-reasons.ts'
import { networkFacts, seenText } from './device-commands.ts'
import { conflictCount, deviceShares } from './device-shares.ts'
import { folderReasons } from './folder-reasons.ts'
import { guardOf, heldText } from './guard-commands.ts'
import { CLI_EXIT, findDevice, findFolder, type CliContext, type CliExit } from './context.ts'
import { clockText, scheduleOf, timedPauseEnd } from './schedule-notes.ts'
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
  const inside = insideFolder(folder, given)
  const file = isAbsolute(given) ? inside : inside.replace(/^\.\//, '').replace(/\/+$/, '')
  const reply = await client.call('GET /rest/twinfold/why', { query: { folder: folder.id, file } })
  // The daemon does not know in which time zone its user is.
  const reasons = reply.reasons.map(({ text, until }) =>
    until === undefined ? text : text.replaceAll(until, clockText(until)),
  )
  if (options.json) {
    const { upToDate, global, local } = reply
    context.print(JSON.stringify({ folder: folder.id, file, upToDate, reasons, global, local }, undefined, 2))
  } else {
    context.print(`${escapeText(file)} in folder "${escapeText(folder.id)}":`)
    for (const reason of reasons) context.print(`  - ${escapeText(reason)}`)
  }
  return CLI_EXIT.done
}

/** A name without a file is that of a device, or else of a folder. */
export async function whyName(context: CliContext, client: Client, text: string, options: Json): Promise<CliExit> {
  const [devices, folders] = await Promise.all([client.devices(), client.folders()])
  const isDevice = devices.some(({ name, deviceID }) => name === text || deviceID === text)
  const isFolder = folders.some(({ id, label }) => id === text || label === text)
  if (isFolder && !isDevice) return whyFolder(context, client, text, options)
  return whyDevice(context, client, devices, text, options)
}

/** None from a Syncthing, or an older Twinfold, which has no such route. */
async function remediesOf(client: Client): Promise<RemediesJson> {
  return await client.call('GET /rest/twinfold/remedies').catch((error: unknown) => {
    if (error instanceof ClientError && error.failure === 'status') return []
    throw error
  })
}

/** Prints why a folder is in sync or not. */
async function whyFolder(context: CliContext, client: Client, text: string, options: Json): Promise<CliExit> {
  const folder = await findFolder(client, text)
  const [status, shares, disagreements, conflicts, guard, devices, schedule, remedies] = await Promise.all([
    client.folderStatus(folder.id),
    deviceShares(client, folder),
    client.call('GET /rest/twinfold/disagreements'),
    conflictCount(client, folder.id),
    guardOf(client, folder.id),
    client.devices(),
    scheduleOf(client),
    remediesOf(client),
  ])
  const nameOf = (id: string) => devices.find(({ deviceID }) => deviceID === id)?.name || id
  const held = (guard?.held ?? []).map((loss) => `${heldText(loss, nameOf)}; "guard" shows it`)
  const reasons = folderReasons(folder, {
    remedies,
    status,
    shares,
    disagreements,
    conflicts,
    held,
    schedule,
    pausedUntil: folder.paused ? await timedPauseEnd(client, 'folder', folder.id) : '',
  })
  if (options.json) {
    const { state, needTotalItems, needBytes } = status
    context.print(JSON.stringify({ folder: folder.id, state, needTotalItems, needBytes, reasons }, undefined, 2))
  } else {
    context.print(`Folder "${escapeText(folder.id)}":`)
    for (const reason of reasons) context.print(`  - ${escapeText(reason)}`)
  }
  return CLI_EXIT.done
}

/** Prints why a device is connected or not. */
async function whyDevice(
  context: CliContext,
  client: Client,
  devices: readonly DeviceConfig[],
  text: string,
  options: Json,
): Promise<CliExit> {
  const device = findDevice(devices, text)
  const [facts, seen] = await Promise.all([networkFacts(client), client.call('GET /rest/stats/device')])
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
