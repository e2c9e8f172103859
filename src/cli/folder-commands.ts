import { TwinfoldError } from '../core/errors.ts'
import type { FolderConfig, FolderTypeName } from '../core/config/config.ts'
import { safetyOfNew, type SafetyChange } from '../core/config/safety.ts'
import type { Client, FolderChange } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import { CLI_EXIT, findDevice, findFolder, type CliContext, type CliExit } from './context.ts'
import { confirmPlans } from './plan-command.ts'
import { folderIdFromName } from './new-folder-id.ts'
import { pauseNote, resumeScheduled, scheduledPauses } from './schedule-notes.ts'
import { tableLines } from './table.ts'
import { escapeText, formatDuration } from './text.ts'

export interface FolderAddOptions {
  readonly id?: string
  readonly label?: string
  readonly type?: FolderTypeName
  readonly device?: readonly string[]
  readonly paused?: boolean
  readonly rescanInterval?: number
  readonly watch?: boolean
  /** Fetches nothing until something is kept. */
  readonly nothingYet?: boolean
  /** Without the trash can and the guard that folders made here have. */
  readonly unsafe?: boolean
  /** Adds the folder whatever the check of the directory finds. */
  readonly force?: boolean
  readonly json?: boolean
}

export async function folderAdd(
  context: CliContext,
  client: Client,
  path: string,
  options: FolderAddOptions,
): Promise<CliExit> {
  const [existing, devices] = await Promise.all([client.folders(), client.devices()])
  const absolute = directoryPath(context, path)
  refuseSamePath(existing, absolute)
  const id = options.id ?? (await newId(context, client, existing, labelOf(absolute)))
  refuseSameId(existing, id)
  const shared = options.device?.map((device) => ({ deviceID: findDevice(devices, device).deviceID }))
  await checkPath(context, client, absolute, options)
  const folder = {
    id,
    path: absolute,
    label: options.label ?? labelOf(absolute),
    ...settings(options),
    ...(shared !== undefined && { devices: shared }),
  }
  await addFolder(client, folder, options)
  const added = await findFolder(client, id)
  if (options.json) context.print(JSON.stringify(added, undefined, 2))
  else context.print(`Added folder "${escapeText(id)}" at ${escapeText(added.path)}`)
  return CLI_EXIT.done
}

type NewFolder = Parameters<Client['addFolder']>[0]

/**
 * With nothing yet, the folder is paused until that is recorded: it must not begin to fetch. It gets a trash can and
 * the guard, unless that is unwanted.
 */
export async function addFolder(
  client: Client,
  folder: NewFolder,
  { nothingYet, unsafe }: Pick<FolderAddOptions, 'nothingYet' | 'unsafe'>,
): Promise<void> {
  const { versioning, extensions }: SafetyChange = unsafe
    ? { extensions: {} }
    : safetyOfNew(await client.call('GET /rest/config/defaults/folder'), folder)
  const safe = { ...folder, ...(versioning !== undefined && { versioning }) }
  await client.addFolder(nothingYet ? { ...safe, paused: true } : safe)
  await setExtensions(client, folder.id, extensions)
  if (!nothingYet) return
  const { selectNothing } = await import('./selection-commands.ts')
  await selectNothing(client, folder.id)
  if (folder.paused !== true) await client.changeFolder(folder.id, { paused: false })
}

/** A Syncthing, or an older Twinfold, does not have them. */
async function setExtensions(client: Client, id: string, extensions: SafetyChange['extensions']): Promise<void> {
  if (Object.keys(extensions).length === 0) return
  await client
    .call('PATCH /rest/twinfold/settings', { body: { folders: { [id]: extensions } } })
    .catch((error: unknown) => {
      if (!(error instanceof ClientError && error.status === 404)) throw error
    })
}

/** From the name of the directory. Not an ID that another device offers: accepting that would merge two folders. */
async function newId(
  context: CliContext,
  client: Client,
  existing: readonly FolderConfig[],
  name: string,
): Promise<string> {
  const offered = await client.call('GET /rest/cluster/pending/folders')
  const taken = new Set<string>([...existing.map(({ id }) => id), ...Object.keys(offered)])
  return folderIdFromName(name, taken) ?? `${context.randomText(5)}-${context.randomText(5)}`
}

/** A directory from the command line; the daemon expands `~`. An empty text is not the working directory. */
export function directoryPath(context: CliContext, text: string): string {
  if (text.trim() === '') throw new TwinfoldError('usage', 'the path of the directory is empty')
  return text.startsWith('~') ? text : context.absolutePath(text)
}

/** The name of the directory; empty for a root. */
function labelOf(path: string): string {
  return /([^/\\~]+)[/\\]*$/.exec(path)?.[1] ?? ''
}

/** Refuses a directory that cannot become a folder. A Syncthing, or an older Twinfold, has no such check. */
export async function checkPath(
  context: CliContext,
  client: Client,
  path: string,
  { force }: { readonly force?: boolean },
): Promise<void> {
  if (force) return
  const found = await client
    .call('POST /rest/twinfold/check-folder', { query: { path } })
    .catch((error: unknown): undefined => {
      if (!(error instanceof ClientError && error.status === 404)) throw error
    })
  if (found === undefined) return
  if (found.problem !== null) {
    throw new TwinfoldError('refused', `${found.problem.text}. Use --force to add it anyway`)
  }
  for (const warning of found.warnings) context.printError(`Warning: ${escapeText(warning)}`)
}

/** Only the given settings: the daemon's defaults supply the rest. */
function settings(options: FolderAddOptions): FolderChange {
  return {
    ...(options.type !== undefined && { type: options.type }),
    ...(options.paused !== undefined && { paused: options.paused }),
    ...(options.rescanInterval !== undefined && { rescanIntervalS: options.rescanInterval }),
    ...(options.watch === false && { fsWatcherEnabled: false }),
  }
}

/** The daemon would replace a folder with the same id, which `add` must not do. */
function refuseSameId(existing: readonly FolderConfig[], id: string): void {
  const sameId = existing.find((folder) => folder.id === id)
  if (sameId !== undefined) {
    throw new TwinfoldError(
      'refused',
      `folder "${id}" already exists, at ${sameId.path}; choose another --id or remove it first`,
    )
  }
}

function refuseSamePath(existing: readonly FolderConfig[], path: string): void {
  const samePath = existing.find((folder) => folder.path.replace(/\/+$/, '') === path.replace(/\/+$/, ''))
  if (samePath !== undefined) throw new TwinfoldError('refused', `${path} is already the folder "${samePath.id}"`)
}

export async function folderList(
  context: CliContext,
  client: Client,
  options: { readonly json?: boolean },
): Promise<CliExit> {
  const folders = await client.folders()
  const pauses = await scheduledPauses(client)
  const isPaused = (id: string) => pauses.some((pause) => pause.kind === 'folder' && pause.id === id)
  const rows = await Promise.all(
    folders.map(async (folder) => ({
      folder,
      state: isPaused(folder.id) ? 'paused' : await folderState(client, folder),
    })),
  )
  if (options.json) {
    context.print(
      JSON.stringify(
        rows.map(({ folder, state }) => ({ ...folder, state })),
        undefined,
        2,
      ),
    )
  } else if (rows.length === 0) {
    context.print(`No folders yet. Add one with "${context.program} folder add PATH".`)
  } else {
    const columns = [
      { title: 'ID' },
      { title: 'LABEL', shrink: 'end' },
      { title: 'TYPE' },
      { title: 'STATE' },
      { title: 'PATH', shrink: 'start' },
    ] as const
    const cells = rows.map(({ folder, state }) => [folder.id, folder.label, folder.type, state, folder.path])
    for (const line of tableLines(columns, cells, context.columns)) context.print(line)
  }
  return CLI_EXIT.done
}

/** A folder whose status cannot be read must not hide the others. */
async function folderState(client: Client, folder: FolderConfig): Promise<string> {
  if (folder.paused) return 'paused'
  try {
    const status = await client.folderStatus(folder.id)
    return status.state === '' ? 'stopped' : status.state
  } catch (error) {
    if (error instanceof ClientError && error.failure === 'status') return 'unknown'
    throw error
  }
}

export async function folderRemove(
  context: CliContext,
  client: Client,
  text: string,
  options: { readonly json?: boolean; readonly yes?: boolean },
): Promise<CliExit> {
  const folder = await findFolder(client, text)
  await confirmPlans(context, client, [{ folder: folder.id, action: 'remove' }], options)
  await client.removeFolder(folder.id)
  if (options.json) context.print(JSON.stringify({ removed: folder.id, path: folder.path }, undefined, 2))
  else context.print(`Removed folder "${escapeText(folder.id)}". The files in ${escapeText(folder.path)} were kept.`)
  return CLI_EXIT.done
}

/** A paused folder is neither scanned nor synchronized; its index is kept. */
export async function folderPause(
  context: CliContext,
  client: Client,
  text: string,
  options: PauseOptions,
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const { paused, seconds } = options
  if (seconds === undefined) await client.changeFolder(id, { paused })
  else await client.call('POST /rest/twinfold/pause', { query: { folder: id, seconds } })
  if (!paused) await resumeScheduled(client, { folder: id })
  const note = paused ? undefined : pauseNote(await scheduledPauses(client), 'folder', id)
  if (options.json) context.print(JSON.stringify({ id, paused: paused || note !== undefined }, undefined, 2))
  else context.print(`Folder "${escapeText(id)}" ${pauseResult(options, note)}.`)
  return CLI_EXIT.done
}

export interface PauseOptions {
  readonly json?: boolean
  readonly paused: boolean
  /** After which it is resumed. */
  readonly seconds?: number
}

/** What a pause or resume has led to; the note says what still pauses it. */
export function pauseResult({ paused, seconds }: PauseOptions, note: string | undefined): string {
  if (!paused) return note === undefined ? 'is resumed' : `is still ${note}`
  return seconds === undefined ? 'is paused' : `is paused for ${formatDuration(seconds)}`
}

export async function folderMark(
  context: CliContext,
  client: Client,
  text: string,
  { force, json }: { readonly force: boolean; readonly json: boolean },
): Promise<CliExit> {
  const { id, path, markerName } = await findFolder(client, text)
  await client.call('POST /rest/twinfold/marker', { query: { folder: id, ...(force && { force: 'true' as const }) } })
  context.print(
    json
      ? JSON.stringify({ folder: id, path, marker: markerName }, undefined, 2)
      : `Created ${markerName} in ${path}; folder "${escapeText(id)}" is scanned now.`,
  )
  return CLI_EXIT.done
}
