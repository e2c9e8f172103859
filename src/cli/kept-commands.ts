import type { Client } from '../client/client.ts'
import { TwinfoldError } from '../core/errors.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { tableLines } from './table.ts'
import { escapeText, formatBytes, formatCount } from './text.ts'

interface Json {
  readonly json?: boolean
}

/** Of one request. */
const NAMES_MAX = 500

/** Lists the files that other devices have deleted and that stay here. */
export async function listKept(context: CliContext, client: Client, text: string, options: Json): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const [page, devices] = await Promise.all([
    client.call('GET /rest/twinfold/kept', { query: { folder: id, perpage: NAMES_MAX } }),
    client.devices(),
  ])
  if (options.json) {
    context.print(JSON.stringify({ folder: id, ...page }, undefined, 2))
    return CLI_EXIT.done
  }
  if (page.total === 0) {
    context.print(`No kept files in folder "${escapeText(id)}".`)
    return CLI_EXIT.done
  }
  const columns = [
    { title: 'FILE', shrink: 'start' },
    { title: 'SIZE', align: 'right' },
    { title: 'DELETED' },
    { title: 'BY', shrink: 'end' },
  ] as const
  const nameOf = (short: string) => devices.find(({ deviceID }) => deviceID.startsWith(short))?.name || short
  const rows = page.items.map(({ name, sizeBytes, deleted, deletedBy }) => [
    name,
    formatBytes(sizeBytes),
    deleted,
    nameOf(deletedBy),
  ])
  for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  const more = page.total - page.items.length
  if (more > 0) context.printError(`… and ${more} more, ${formatBytes(page.bytes)} in all`)
  return CLI_EXIT.done
}

export interface KeptChange extends Json {
  readonly action: 'bring-back' | 'delete'
  readonly all: boolean
  readonly yes: boolean
}

/** Brings kept files back on all devices, or deletes them here, too. */
export async function changeKept(
  context: CliContext,
  client: Client,
  text: string,
  paths: readonly string[],
  options: KeptChange,
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const { action, all, yes } = options
  if (all === paths.length > 0) throw new TwinfoldError('usage', 'name the files, or use --all for all kept files')
  const { total, bytes } = await client.call('GET /rest/twinfold/kept', { query: { folder: id, perpage: 1 } })
  const count = all ? total : paths.length
  if (action === 'delete' && !yes) {
    const what = all ? `${formatCount(total, 'file')}, ${formatBytes(bytes)}` : formatCount(count, 'file')
    const question = 'other devices may not have them; use --yes to delete them'
    throw new TwinfoldError('refused', `${what} of folder "${id}" would be deleted, and ${question}`)
  }
  const failures = await change(client, id, action, all ? undefined : paths)
  const done = count - failures.size
  if (options.json) {
    context.print(JSON.stringify({ folder: id, action, done, failures: Object.fromEntries(failures) }, undefined, 2))
  } else {
    const verb = action === 'delete' ? 'Deleted' : 'Brought back'
    if (done > 0) context.print(`${verb} ${formatCount(done, 'file')} of folder "${escapeText(id)}".`)
    else if (failures.size === 0) context.print(`No kept files in folder "${escapeText(id)}".`)
    for (const [name, reason] of failures) context.printError(`${escapeText(name)}: ${escapeText(reason)}`)
  }
  return failures.size === 0 ? CLI_EXIT.done : CLI_EXIT.doneWithProblems
}

async function change(
  client: Client,
  folder: string,
  action: KeptChange['action'],
  paths: readonly string[] | undefined,
): Promise<ReadonlyMap<string, string>> {
  const query = { folder }
  if (paths === undefined)
    return new Map(Object.entries(await client.call('POST /rest/twinfold/kept', { query, body: { action } })))
  const failures = new Map<string, string>()
  for (let at = 0; at < paths.length; at += NAMES_MAX) {
    const body = { action, names: paths.slice(at, at + NAMES_MAX) }
    const unchanged = await client.call('POST /rest/twinfold/kept', { query, body })
    for (const [name, reason] of Object.entries(unchanged)) failures.set(name, reason)
  }
  return failures
}
