import type { Client, FolderChange } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import type { DeviceConfig, FolderConfig, FolderTypeName } from '../core/config/config.ts'
import type { MergeMode, MergePrograms } from '../core/config/merge-settings.ts'
import { safetyOff, safetyOn, type SafetyChange } from '../core/config/safety.ts'
import { TwinfoldError } from '../core/errors.ts'
import { CLI_EXIT, findDevice, findFolder, type CliContext, type CliExit } from './context.ts'
import { refuseSameName } from './device-commands.ts'
import { checkPath, directoryPath } from './folder-commands.ts'
import { confirmPlans } from './plan-command.ts'
import { shellWord } from './shell-words.ts'
import { escapeText, formatCount } from './text.ts'
import { withVersioning, type VersioningType } from './versioning.ts'

interface Json {
  readonly json?: boolean
}

/** The name of a device here; that of this device is also what others see when they add it. */
export async function deviceRename(
  context: CliContext,
  client: Client,
  text: string,
  name: string,
  options: Json,
): Promise<CliExit> {
  const devices = await client.devices()
  const device = findDevice(devices, text)
  if (name.trim() === '') throw new TwinfoldError('usage', 'the new name is empty')
  refuseSameName(
    devices.filter(({ deviceID }) => deviceID !== device.deviceID),
    name,
  )
  await client.call('PATCH /rest/config/devices/:id', { id: device.deviceID, body: { name } })
  if (options.json) context.print(JSON.stringify({ deviceID: device.deviceID, name }, undefined, 2))
  else context.print(`Device "${escapeText(device.name || device.deviceID)}" is named "${escapeText(name)}" now.`)
  return CLI_EXIT.done
}

/** Rates in KiB/s; 0 is without a limit. */
export interface RateLimits {
  readonly sendKbps: number
  readonly receiveKbps: number
}

export interface DeviceSetOptions extends Json {
  readonly introducer?: boolean
  readonly autoAccept?: boolean
  readonly compression?: DeviceConfig['compression']
  readonly limits?: RateLimits
}

/** Changes settings of a device. Those of this device itself are the limits of all connections together. */
export async function deviceSet(
  context: CliContext,
  client: Client,
  text: string,
  options: DeviceSetOptions,
): Promise<CliExit> {
  const [devices, { myID }] = await Promise.all([client.devices(), client.systemStatus()])
  const device = findDevice(devices, text)
  const { introducer, autoAccept, compression, limits } = options
  const body = {
    ...(introducer !== undefined && { introducer }),
    ...(autoAccept !== undefined && { autoAcceptFolders: autoAccept }),
    ...(compression !== undefined && { compression }),
    ...(limits !== undefined && { maxSendKbps: limits.sendKbps, maxRecvKbps: limits.receiveKbps }),
  }
  if (Object.keys(body).length === 0) {
    throw new TwinfoldError('usage', 'nothing to change: use --introducer, --auto-accept, --compression or --limits')
  }
  if (device.deviceID !== myID) await client.call('PATCH /rest/config/devices/:id', { id: device.deviceID, body })
  else if (limits !== undefined && Object.keys(body).length === 2) await client.changeOptions(body)
  else throw new TwinfoldError('refused', 'this is the device itself: only --limits apply to it')
  if (options.json) {
    context.print(JSON.stringify({ deviceID: device.deviceID, name: device.name, ...body }, undefined, 2))
    return CLI_EXIT.done
  }
  const changes = [
    ...(introducer === undefined ? [] : [`introducer ${onOff(introducer)}`]),
    ...(autoAccept === undefined ? [] : [`auto-accept ${onOff(autoAccept)}`]),
    ...(compression === undefined ? [] : [`compression ${compression}`]),
    ...(limits === undefined ? [] : [`sends ${rateText(limits.sendKbps)}, receives ${rateText(limits.receiveKbps)}`]),
  ]
  context.print(`Device "${escapeText(device.name || device.deviceID)}": ${changes.join('; ')}.`)
  return CLI_EXIT.done
}

function onOff(isOn: boolean): string {
  return isOn ? 'on' : 'off'
}

function rateText(kbps: number): string {
  return kbps === 0 ? 'without a limit' : `at most ${kbps} KiB/s`
}

export interface FolderSetOptions extends Json {
  readonly label?: string
  readonly path?: string
  readonly type?: FolderTypeName
  readonly versioning?: VersioningType | 'off'
  readonly rescanInterval?: number
  readonly watch?: boolean
  /** Files that other devices delete stay here. */
  readonly collect?: boolean
  /** An unusual loss of files is held. */
  readonly guard?: boolean
  /** The patterns of `.stglobalignore` are in force here. */
  readonly sharedIgnores?: boolean
  /** Local deletions and edits are archived, too. */
  readonly archiveLocal?: boolean
  /** Folders with a higher number download first. */
  readonly priority?: number
  readonly pauseOnBattery?: boolean
  /** What is done with conflicting edits of texts. */
  readonly merge?: MergeMode
  readonly mergeUnion?: readonly string[]
  readonly mergePrograms?: MergePrograms
  /** Deleted files are kept, and mass deletions are held. */
  readonly safety?: boolean
  /** Switches them although that changes what is ignored. */
  readonly yes?: boolean
  /** Accepts a path without the marker, or that the check refuses. */
  readonly force?: boolean
}

export async function folderSet(
  context: CliContext,
  client: Client,
  text: string,
  options: FolderSetOptions,
): Promise<CliExit> {
  const folder = await findFolder(client, text)
  const { archiveLocal, label, type, rescanInterval, watch, collect, guard, sharedIgnores } = options
  const { priority, pauseOnBattery } = options
  const { merge, mergeUnion, mergePrograms } = options
  const path = options.path === undefined ? undefined : await newPath(context, client, folder, options.path, options)
  refuseEncryption(folder, type)
  const safety = safetyChange(folder, options)
  const versioning =
    options.versioning === undefined ? safety?.versioning : withVersioning(folder.versioning, options.versioning)
  const change: FolderChange = {
    ...(label !== undefined && { label }),
    ...(path !== undefined && { path }),
    ...(type !== undefined && { type }),
    ...(versioning !== undefined && { versioning }),
    ...(rescanInterval !== undefined && { rescanIntervalS: rescanInterval }),
    ...(watch !== undefined && { fsWatcherEnabled: watch }),
  }
  const extensions = {
    ...safety?.extensions,
    ...(collect !== undefined && { collect }),
    ...(guard !== undefined && { guard }),
    ...(sharedIgnores !== undefined && { sharedIgnores }),
    ...(archiveLocal !== undefined && { archiveLocal }),
    ...(priority !== undefined && { priority }),
    ...(pauseOnBattery !== undefined && { pauseOnBattery }),
    ...(merge !== undefined && { merge }),
    ...(mergeUnion !== undefined && { mergeUnion }),
    ...(mergePrograms !== undefined && { mergePrograms }),
  }
  const [isChange, isExtension] = [Object.keys(change).length > 0, Object.keys(extensions).length > 0]
  if (!isChange && !isExtension && safety === undefined) {
    const flags = '--label, --path, --type, --versioning, --rescan-interval, --watch, --guard, --collect, --safety'
    throw new TwinfoldError(
      'usage',
      `nothing to change: use ${flags}, --archive-local, --merge, --priority, --pause-on-battery or --shared-ignores`,
    )
  }
  if (sharedIgnores !== undefined && options.yes !== true)
    await (await import('./shared-ignores.ts')).askSharedIgnores(context, client, folder.id, sharedIgnores)
  if (type !== undefined && type !== folder.type)
    await confirmPlans(context, client, [{ folder: folder.id, action: `type:${type}` }], options)
  if (isExtension)
    await client.call('PATCH /rest/twinfold/settings', { body: { folders: { [folder.id]: extensions } } })
  if (isChange) await client.changeFolder(folder.id, change)
  if (options.json)
    context.print(JSON.stringify({ ...(await findFolder(client, folder.id)), ...extensions }, undefined, 2))
  else context.print(`Folder "${escapeText(folder.id)}": ${changeTexts(options, path).join('; ')}.`)
  return CLI_EXIT.done
}

function changeTexts(options: FolderSetOptions, path: string | undefined): readonly string[] {
  const { archiveLocal, label, type, versioning, rescanInterval, watch, collect, guard, safety } = options
  const { merge, mergePrograms, mergeUnion, sharedIgnores } = options
  return [
    ...(label === undefined ? [] : [`label "${escapeText(label)}"`]),
    ...(path === undefined ? [] : [`at ${escapeText(path)}`]),
    ...(type === undefined ? [] : [`type ${type}`]),
    ...(versioning === undefined ? [] : [`versioning ${versioning}`]),
    ...(rescanInterval === undefined ? [] : [`a full scan every ${rescanInterval} s`]),
    ...(watch === undefined ? [] : [`watching ${onOff(watch)}`]),
    ...(options.priority === undefined ? [] : [`priority ${options.priority}`]),
    ...(options.pauseOnBattery === undefined ? [] : [`pause on battery ${onOff(options.pauseOnBattery)}`]),
    ...(safety === undefined ? [] : [`safety ${onOff(safety)}`]),
    ...(sharedIgnores === undefined ? [] : [`shared ignores ${onOff(sharedIgnores)}`]),
    ...(archiveLocal === undefined ? [] : [`local deletions and edits ${archiveLocal ? '' : 'not '}archived`]),
    ...(guard === undefined ? [] : [`deletion guard ${onOff(guard)}`]),
    ...(merge === undefined ? [] : [`merge ${merge}`]),
    ...(mergeUnion === undefined ? [] : [`both additions kept in ${listText(mergeUnion)}`]),
    ...(mergePrograms === undefined ? [] : [`merge programs for ${listText(Object.keys(mergePrograms))}`]),
    ...(collect === undefined ? [] : [collect ? 'files that others delete stay here' : 'collect off']),
  ]
}

function listText(patterns: readonly string[]): string {
  return patterns.length === 0 ? 'no names' : patterns.map((pattern) => escapeText(pattern)).join(', ')
}

/** A versioning that is chosen at the same time wins over that of the safety. */
function safetyChange(folder: FolderConfig, options: FolderSetOptions): SafetyChange | undefined {
  if (options.safety === undefined) return undefined
  const type = options.type ?? folder.type
  if (options.safety && type === 'receiveencrypted')
    throw new TwinfoldError('refused', `folder "${folder.id}" is encrypted: its files cannot be restored here`)
  const versioning = { ...folder.versioning, ...(options.versioning !== undefined && { type: options.versioning }) }
  return options.safety ? safetyOn({ type, versioning }) : safetyOff({ type, versioning })
}

/** Encrypted data and plain files do not become each other: the folder has to be added again. */
function refuseEncryption({ id, type: before }: FolderConfig, type: FolderTypeName | undefined): void {
  if (type === undefined || type === before) return
  if (type !== 'receiveencrypted' && before !== 'receiveencrypted') return
  throw new TwinfoldError(
    'refused',
    `folder "${id}" cannot change from ${before} to ${type}: remove it and its files here, and accept it again`,
  )
}

/** The files have to be there already: an empty directory in their place would stop the folder. */
async function newPath(
  context: CliContext,
  client: Client,
  folder: FolderConfig,
  text: string,
  options: { readonly force?: boolean },
): Promise<string> {
  const path = directoryPath(context, text)
  await checkPath(context, client, path, options)
  const { localFiles, localDirectories } = await client.folderStatus(folder.id)
  const isEmpty = localFiles + localDirectories === 0
  if (options.force || isEmpty || (await hasMarker(client, path, folder.markerName))) return path
  const items = formatCount(localFiles, 'file')
  const move = `mv ${shellWord(folder.path)} ${shellWord(path)}`
  throw new TwinfoldError(
    'refused',
    `${path} has no ${folder.markerName}, so the files of folder "${folder.id}" (${items}) are not there. Move the ` +
      `whole directory first, then run this again: ${move}`,
  )
}

async function hasMarker(client: Client, path: string, markerName: string): Promise<boolean> {
  const marker = `${path.replace(/\/+$/, '')}/${markerName}`
  try {
    const found = await client.call('GET /rest/system/browse', { query: { current: marker } })
    return found.some((each) => each.replace(/\/+$/, '').endsWith(`/${markerName}`))
  } catch (error) {
    if (error instanceof ClientError && error.failure === 'status') return true // the daemon decides
    throw error
  }
}
