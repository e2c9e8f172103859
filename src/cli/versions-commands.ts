import type { Client } from '../client/client.ts'
import type { FolderConfig, VersioningConfig } from '../core/config/config.ts'
import { TwinfoldError } from '../core/errors.ts'
import { versionPolicy } from '../core/records/version-policy.ts'
import { nearestTexts } from '../core/formats/nearest.ts'
import type { VersionsJson } from '../rest/versions.ts'
import { CLI_EXIT, findFolder, suggestion, type CliContext, type CliExit } from './context.ts'
import { tableLines } from './table.ts'
import { escapeText, formatBytes, formatCount } from './text.ts'
import { withVersioning, type VersioningLimits, type VersioningType } from './versioning.ts'

interface Json {
  readonly json?: boolean
}

/** Switches versioning of a folder on, or changes it. */
export async function versionsOn(
  context: CliContext,
  client: Client,
  text: string,
  { type = 'simple', json, ...limits }: Json & VersioningLimits & { readonly type?: VersioningType },
): Promise<CliExit> {
  const { id, versioning } = await findFolder(client, text)
  const next = withVersioning(versioning, type, limits)
  await client.changeFolder(id, { versioning: next })
  if (json) context.print(JSON.stringify({ folder: id, versioning: next }, undefined, 2))
  else {
    context.print(`Folder "${escapeText(id)}" keeps old versions: ${keptText(next)}.`)
    context.print('They are of files that other devices replace or delete from now on, not of your own edits.')
  }
  return CLI_EXIT.done
}

function keptText(versioning: VersioningConfig): string {
  const policy = versionPolicy(versioning)
  switch (policy?.kind) {
    case 'trashcan':
      return `the newest one of each file, ${ageText(policy.ageSMax)}`
    case 'simple':
      return `the last ${policy.countMax} of each file, ${ageText(policy.ageSMax)}`
    case 'staggered':
      return `many recent and fewer old ones, ${ageText(policy.ageSMax)}`
    default:
      return versioning.type
  }
}

function ageText(ageS: number): string {
  return ageS === 0 ? 'for any time' : `for ${formatCount(Math.round(ageS / 86_400), 'day')}`
}

export async function versionsOff(context: CliContext, client: Client, text: string, options: Json): Promise<CliExit> {
  const { id, versioning } = await findFolder(client, text)
  const next = withVersioning(versioning, 'off')
  await client.changeFolder(id, { versioning: next })
  context.print(
    options.json
      ? JSON.stringify({ folder: id, versioning: next }, undefined, 2)
      : `Folder "${escapeText(id)}" keeps no more old versions. Those that exist stay in .stversions.`,
  )
  return CLI_EXIT.done
}

/** Lists the old versions of a folder, or of one file, the newest first. */
export async function versionsList(
  context: CliContext,
  client: Client,
  text: string,
  file: string | undefined,
  options: Json,
): Promise<CliExit> {
  const folder = await findFolder(client, text)
  const { id } = folder
  const all = await allVersions(context, client, folder)
  const shown = file === undefined ? all : { [file]: versionsOf(all, file) }
  if (options.json) {
    context.print(JSON.stringify(shown, undefined, 2))
    return CLI_EXIT.done
  }
  const rows = Object.entries(shown).flatMap(([path, versions]) =>
    versions.map(({ versionTime, modTime, size }) => [path, versionTime, modTime, formatBytes(size)]),
  )
  if (rows.length === 0) {
    context.print(`Folder "${escapeText(id)}" has no old versions.`)
    return CLI_EXIT.done
  }
  const columns = [
    { title: 'FILE', shrink: 'start' },
    { title: 'VERSION' },
    { title: 'MODIFIED' },
    { title: 'SIZE', align: 'right' },
  ] as const
  for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  return CLI_EXIT.done
}

/** Rejects with the remedy where the folder keeps none. */
async function allVersions(
  { program }: CliContext,
  client: Client,
  { id, versioning }: Pick<FolderConfig, 'id' | 'versioning'>,
): Promise<VersionsJson> {
  if (versioning.type !== '') return await client.call('GET /rest/folder/versions', { query: { folder: id } })
  const remedy = `"${program} versions on ${id}" keeps those of later changes`
  throw new TwinfoldError('refused', `folder "${id}" keeps no old versions; ${remedy}`)
}

/** Restores one version of a file, the newest unless one is named. The current file is kept as a version. */
export async function versionsRestore(
  context: CliContext,
  client: Client,
  text: string,
  file: string,
  options: Json & { readonly time?: string },
): Promise<CliExit> {
  const folder = await findFolder(client, text)
  const { id } = folder
  const versions = versionsOf(await allVersions(context, client, folder), file)
  const wanted = options.time
  const chosen = versions.find(({ versionTime }) => wanted === undefined || versionTime.startsWith(wanted))
  if (chosen === undefined) {
    const known = versions.map(({ versionTime }) => versionTime).join(', ')
    throw new TwinfoldError('refused', `${file} has no version "${wanted}"; known: ${known}`)
  }
  const body = { [file]: chosen.versionTime }
  const failed = await client.call('POST /rest/folder/versions', { query: { folder: id }, body })
  const error = failed[file]
  if (error !== undefined && error !== null) throw new TwinfoldError('refused', `${file}: ${error}`)
  const value = { folder: id, file, restored: chosen.versionTime }
  context.print(
    options.json
      ? JSON.stringify(value, undefined, 2)
      : `Restored ${escapeText(file)} in its version of ${chosen.versionTime}.`,
  )
  return CLI_EXIT.done
}

function versionsOf(all: VersionsJson, file: string): VersionsJson[string] {
  const versions = Object.hasOwn(all, file) ? all[file] : undefined
  if (versions !== undefined) return versions
  const near = nearestTexts(file, Object.keys(all), 3)
  throw new TwinfoldError('refused', `there is no old version of "${file}"${suggestion(near)}`)
}
