import type { FolderConfig } from '../core/config/config.ts'
import { stopText } from '../core/remedies/stop-text.ts'
import type { FolderStatusJson, NeedJson } from '../rest/db.ts'
import type { Client } from '../client/client.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit, type Connection } from './context.ts'
import type { GuardJson } from '../rest/guard.ts'
import { guardOf, heldText } from './guard-commands.ts'
import { conflictCount, deviceShares, keptCount, printShares } from './device-shares.ts'
import { trashTotals, usedText } from './trash-commands.ts'
import { findingLines, warningsOf } from './doctor-command.ts'
import { importOf, importText } from './index-import.ts'
import { pauseNote, scheduledPauses } from './schedule-notes.ts'
import { fieldLines, tableLines } from './table.ts'
import { escapeText, formatBytes, formatCount, formatDuration } from './text.ts'

interface Json {
  readonly json?: boolean
}

/** The device and its folders, or one folder in full. */
export async function status(
  context: CliContext,
  connection: Connection,
  text: string | undefined,
  options: Json,
): Promise<CliExit> {
  return text === undefined
    ? deviceStatus(context, connection, options)
    : folderStatus(context, connection.client, text, options)
}

async function deviceStatus(
  context: CliContext,
  { client, address, home }: Connection,
  options: Json,
): Promise<CliExit> {
  const [version, system, configs, warnings, shares, indexImport, pauses] = await Promise.all([
    client.version(),
    client.systemStatus(),
    client.folders(),
    warningsOf(client),
    deviceShares(client),
    importOf(client),
    scheduledPauses(client),
  ])
  const folders = await Promise.all(
    configs.map(async (config) => {
      const [status, conflicts, guard] = await Promise.all([
        client.folderStatus(config.id),
        conflictCount(client, config.id),
        guardOf(client, config.id),
      ])
      const note = pauseNote(pauses, 'folder', config.id)
      return { config, status, conflicts, held: guard?.held ?? [], pauseNote: note }
    }),
  )
  if (options.json) {
    const rows = folders.map(({ config, status, conflicts, held, pauseNote: note }) => ({
      id: config.id,
      label: config.label,
      path: config.path,
      paused: config.paused || note !== undefined,
      scheduledPause: note ?? null,
      conflicts,
      held,
      ...status,
    }))
    context.print(
      JSON.stringify(
        { version: version.version, address, ...system, warnings, indexImport, folders: rows, devices: shares },
        undefined,
        2,
      ),
    )
    return CLI_EXIT.done
  }
  const fields: (readonly [string, string])[] = [
    ['Version', version.version],
    ['Device ID', system.myID],
    ['Address', address],
    ...(home === undefined ? [] : [['Home', home] as const]),
    ['Running for', formatDuration(system.uptime)],
    ...(indexImport === null ? [] : [['Importing', importText(indexImport)] as const]),
  ]
  for (const line of fieldLines(fields)) context.print(line)
  for (const line of warnings.flatMap(findingLines)) context.print(line)
  context.print('')
  if (folders.length === 0) {
    context.print(`No folders yet. Add one with "${context.program} folder add PATH".`)
    return CLI_EXIT.done
  }
  printFolders(context, folders)
  printShares(context, shares)
  return CLI_EXIT.done
}

interface FolderRow {
  readonly config: FolderConfig
  readonly status: FolderStatusJson
  readonly conflicts: number
  /** What the deletion guard holds. */
  readonly held: GuardJson['held']
  /** What rules or conditions pause it. */
  readonly pauseNote: string | undefined
}

function printFolders(context: CliContext, folders: readonly FolderRow[]): void {
  const columns = [
    { title: 'FOLDER', shrink: 'end' },
    { title: 'STATE' },
    { title: 'FILES', align: 'right' },
    { title: 'SIZE', align: 'right' },
    { title: 'NEEDED', align: 'right' },
    { title: 'ERRORS', align: 'right' },
  ] as const
  const rows = folders.map(({ config, status, held, pauseNote: note }) => [
    config.label === '' ? config.id : `${config.id} (${config.label})`,
    held.length > 0 && !config.paused ? 'held' : note === undefined ? stateText(config, status) : 'paused',
    String(status.localFiles),
    formatBytes(status.localBytes),
    formatBytes(status.needBytes),
    String(status.errors),
  ])
  for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  for (const { config, status, conflicts, held, pauseNote: note } of folders) {
    if (note !== undefined) context.print(`${escapeText(config.id)}: ${note}`)
    if (status.error !== '') context.print(`${escapeText(config.id)}: ${escapeText(stopText(status.error, config))}`)
    if (held.length > 0)
      context.print(`${escapeText(config.id)}: the deletion guard holds a loss of files; "guard" shows it`)
    for (const note of notesOf(config, status, conflicts)) context.print(`${escapeText(config.id)}: ${note}`)
  }
}

/** What asks for a decision of the user. */
function notesOf(
  { ignoreDelete }: FolderConfig,
  { receiveOnlyTotalItems, pullErrors, needDeletes }: FolderStatusJson,
  conflicts: number,
): readonly string[] {
  return [
    ...(conflicts > 0
      ? [`${formatCount(conflicts, 'conflict copy', 'conflict copies')}; "conflicts FOLDER" lists them`]
      : []),
    ...(ignoreDelete && needDeletes > 0
      ? [`${formatCount(needDeletes, 'deletion')} of other devices held back, because ignoreDelete is set`]
      : []),
    ...(receiveOnlyTotalItems > 0
      ? [`${formatCount(receiveOnlyTotalItems, 'local change')} in a receive-only folder; "folder revert" undoes them`]
      : []),
    ...(pullErrors > 0
      ? [`${formatCount(pullErrors, 'item')} could not be read or downloaded; "status FOLDER" lists them`]
      : []),
  ]
}

function stateText(config: FolderConfig, status: FolderStatusJson): string {
  if (config.paused) return 'paused'
  return status.state === '' ? 'stopped' : status.state
}

async function folderStatus(context: CliContext, client: Client, text: string, options: Json): Promise<CliExit> {
  const config = await findFolder(client, text)
  const status = await client.folderStatus(config.id)
  const errors = config.paused || status.errors === 0 ? [] : ((await client.folderErrors(config.id)).errors ?? [])
  const [shares, conflicts, kept, guard, devices, pauses, trash] = await Promise.all([
    deviceShares(client, config),
    conflictCount(client, config.id),
    keptCount(client, config.id),
    guardOf(client, config.id),
    client.devices(),
    scheduledPauses(client),
    config.versioning.type === '' ? undefined : trashTotals(client, config.id),
  ])
  const note = pauseNote(pauses, 'folder', config.id)
  if (options.json) {
    const { id, label, path, type, paused } = config
    const value = {
      id,
      label,
      path,
      type,
      paused: paused || note !== undefined,
      scheduledPause: note ?? null,
      ...status,
      conflicts,
      kept,
      guard,
      trash,
      errorItems: errors,
      devices: shares,
    }
    context.print(JSON.stringify(value, undefined, 2))
    return CLI_EXIT.done
  }
  const held: (readonly [string, string])[] =
    config.ignoreDelete && status.needDeletes > 0 ? [['Deletions held', formatCount(status.needDeletes, 'item')]] : []
  const stay =
    kept === 0 ? [] : [['Kept', `${formatCount(kept, 'file')} that others deleted; "kept" lists them`] as const]
  const nameOf = (id: string) => devices.find(({ deviceID }) => deviceID === id)?.name || id
  for (const loss of guard?.held ?? []) held.push(['Held', `${heldText(loss, nameOf)}; "guard" shows it`])
  const archived = trash === undefined ? [] : [['Old versions', usedText(trash)] as const]
  const fields = [
    ...folderFields(config, status, note),
    ...held,
    ...stay,
    ...archived,
    ['Conflict copies', String(conflicts)] as const,
  ]
  for (const line of fieldLines(fields)) context.print(line)
  for (const problem of errors) context.print(`  ${escapeText(problem.path)}: ${escapeText(problem.error)}`)
  printShares(context, shares)
  return CLI_EXIT.done
}

function folderFields(
  config: FolderConfig,
  status: FolderStatusJson,
  note: string | undefined,
): (readonly [string, string])[] {
  return [
    ['Folder', config.label === '' ? config.id : `${config.id} (${config.label})`],
    ['Path', config.path],
    ['Type', config.type],
    ['State', note ?? stateText(config, status)],
    ...(status.error === '' ? [] : [['Error', stopText(status.error, config)] as const]),
    ...(status.watchError === '' ? [] : [['Watching', status.watchError] as const]),
    ['Here', contentText(status.localFiles, status.localDirectories, status.localBytes)],
    ['Everywhere', contentText(status.globalFiles, status.globalDirectories, status.globalBytes)],
    ['Needed', `${formatCount(status.needTotalItems, 'item')}, ${formatBytes(status.needBytes)}`],
    ...(status.receiveOnlyTotalItems > 0
      ? [['Changed here', formatCount(status.receiveOnlyTotalItems, 'item')] as const]
      : []),
    ['Errors', String(status.errors)],
  ]
}

function contentText(files: number, directories: number, sizeBytes: number): string {
  const counts = `${formatCount(files, 'file')}, ${formatCount(directories, 'directory', 'directories')}`
  return `${counts}, ${formatBytes(sizeBytes)}`
}

/** Moves a file to the front of the download queue and prints its position. */
export async function prio(
  context: CliContext,
  client: Client,
  text: string,
  file: string,
  options: Json,
): Promise<CliExit> {
  const folder = await findFolder(client, text)
  const need = await client.prioritize(folder.id, file)
  context.print(options.json ? JSON.stringify(need, undefined, 2) : `${escapeText(file)} ${placeOf(need, file)}`)
  return CLI_EXIT.done
}

/** The queue position of a file, as the end of a sentence that begins with its name. */
export function placeOf(need: NeedJson, file: string): string {
  const at = need.queued.findIndex((each) => each.name === file)
  if (need.progress.some((each) => each.name === file)) return 'is being downloaded now'
  if (at === 0) return 'is the next to be downloaded'
  if (at > 0) return `is number ${at + 1} in the queue`
  if (need.rest.some((each) => each.name === file)) return 'is needed, but no device offers it now'
  return 'is not waiting to be downloaded'
}
