import type { DeviceConfig, FolderConfig } from '../core/config.ts'
import type { FileEntryJson, FileViewJson } from '../rest/db.ts'
import type { Client } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { isListed, placeOf } from './status-commands.ts'
import { escapeText } from './text.ts'

/** Why a file is or is not here: what the index, the queue and the last errors say about it, in sentences. */
export async function why(
  context: CliContext,
  client: Client,
  text: string,
  file: string,
  options: { readonly json?: boolean },
): Promise<CliExit> {
  const folder = await findFolder(client, text)
  const view = await fileView(client, folder, file)
  const upToDate = view !== undefined && isUpToDate(view)
  const reasons = [
    ...(await folderReasons(client, folder)),
    ...(view === undefined ? [UNKNOWN] : ownReasons(view)),
    ...(view === undefined || upToDate ? [] : await waitingReasons(client, folder, file)),
    ...(view === undefined ? [] : offerReasons(view, await client.devices(), upToDate)),
  ]
  if (options.json) {
    const { global = null, local = null } = view ?? {}
    context.print(JSON.stringify({ folder: folder.id, file, upToDate, reasons, global, local }, undefined, 2))
  } else {
    context.print(`${escapeText(file)} in folder "${escapeText(folder.id)}":`)
    for (const reason of reasons) context.print(`  - ${escapeText(reason)}`)
  }
  return CLI_EXIT.done
}

const UNKNOWN =
  'no device has told of it, and no scan has seen it here: it is ignored, new since the last scan, or misspelt'

async function fileView(client: Client, folder: FolderConfig, file: string): Promise<FileViewJson | undefined> {
  try {
    return await client.call('GET /rest/db/file', { query: { folder: folder.id, file } })
  } catch (error) {
    if (error instanceof ClientError && error.status === 404) return undefined
    throw error
  }
}

function isUpToDate({ local, global }: FileViewJson): boolean {
  return exists(local) && !local.invalid && local.version.join() === global.version.join()
}

/** A side that has no record shows one without a name. */
function exists(entry: FileEntryJson): boolean {
  return entry.name !== ''
}

async function folderReasons(client: Client, folder: FolderConfig): Promise<string[]> {
  if (folder.paused) return ['the folder is paused: nothing in it is scanned or downloaded']
  const { error } = await client.folderStatus(folder.id)
  return [
    ...(error === '' ? [] : [`the folder has stopped: ${error}`]),
    ...(folder.type === 'sendonly' ? ['the folder only sends: what others change is not taken'] : []),
  ]
}

function ownReasons(view: FileViewJson): string[] {
  const { local, global } = view
  if (exists(local) && local.ignored) return ['it is ignored here']
  if (isUpToDate(view))
    return [local.deleted ? 'it was deleted, here as everywhere' : 'it is here, in the newest version']
  if (!exists(local)) return [global.deleted ? 'it was deleted elsewhere and never was here' : 'it is not here yet']
  return [global.deleted ? 'it is here, but was deleted elsewhere' : 'it is here in an older version']
}

async function waitingReasons(client: Client, folder: FolderConfig, file: string): Promise<string[]> {
  if (folder.paused) return []
  const [need, { errors }] = await Promise.all([client.need(folder.id), client.folderErrors(folder.id)])
  const failed = errors?.find((problem) => problem.path === file)
  return [
    ...(failed === undefined ? [] : [`the last attempt failed: ${failed.error}`]),
    ...(isListed(need, file) ? [`it ${placeOf(need, file)}`] : []),
  ]
}

function offerReasons(view: FileViewJson, devices: readonly DeviceConfig[], upToDate: boolean): string[] {
  const names = (view.availability ?? []).map(({ id }) => devices.find((one) => one.deviceID === id)?.name || id)
  if (names.length > 0) return [`connected devices that have the newest version: ${names.join(', ')}`]
  return upToDate || view.global.deleted ? [] : ['no connected device has the newest version']
}
