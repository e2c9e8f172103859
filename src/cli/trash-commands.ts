import type { Client } from '../client/client.ts'
import { ClientError } from '../client/errors.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { TrashJson } from '../rest/trash.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { parseSince } from './since.ts'
import { tableLines } from './table.ts'
import { escapeText, formatBytes, formatCount } from './text.ts'

interface Json {
  readonly json?: boolean
}

const PER_PAGE = 500
/** Of one request. */
const RESTORED_MAX = 500

/** Lists what other devices have deleted or replaced, of the whole folder or below some paths. */
export async function listTrash(
  context: CliContext,
  client: Client,
  text: string,
  paths: readonly string[],
  options: Json,
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const { totals, items } = await readTrash(client, id, paths)
  if (options.json) {
    context.print(JSON.stringify({ folder: id, ...totals, items }, undefined, 2))
    return CLI_EXIT.done
  }
  if (items.length === 0) {
    context.print(`The trash of folder "${escapeText(id)}" is empty${paths.length === 0 ? '' : ' there'}.`)
    return CLI_EXIT.done
  }
  const columns = [
    { title: 'FILE', shrink: 'start' },
    { title: 'SIZE', align: 'right' },
    { title: 'ARCHIVED' },
  ] as const
  const rows = items.map(({ name, sizeBytes, time }) => [name, formatBytes(sizeBytes), time])
  for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  context.print(`In all: ${usedText(totals)}.`)
  return CLI_EXIT.done
}

/** "3 files, 12 MiB of at most 1 GiB" */
export function usedText({ files, sizeBytes, maxBytes }: Totals): string {
  const most = maxBytes === null ? '' : ` of at most ${formatBytes(maxBytes)}`
  return `${formatCount(files, 'file')}, ${formatBytes(sizeBytes)}${most}`
}

/** Undefined where the daemon does not know, as a Syncthing does not. */
export async function trashTotals(client: Client, folder: string): Promise<Totals | undefined> {
  try {
    const query = { folder, perpage: 0 }
    const { files, sizeBytes, maxBytes } = await client.call('GET /rest/twinfold/trash', { query })
    return { files, sizeBytes, maxBytes }
  } catch (error) {
    if (error instanceof ClientError && error.failure === 'status') return undefined
    throw error
  }
}

type Totals = Pick<TrashJson, 'files' | 'sizeBytes' | 'maxBytes'>

interface Trash {
  readonly totals: Totals
  readonly items: TrashJson['items']
}

async function readTrash(client: Client, folder: string, paths: readonly string[]): Promise<Trash> {
  const items = new Map<string, TrashJson['items'][number]>()
  let totals: Totals = { files: 0, sizeBytes: 0, maxBytes: null }
  for (const path of paths.length === 0 ? [''] : paths) {
    let after: string | undefined
    do {
      const query = { folder, perpage: PER_PAGE, ...(path !== '' && { path }), ...(after !== undefined && { after }) }
      const { files, sizeBytes, maxBytes, next, items: page } = await client.call('GET /rest/twinfold/trash', { query })
      totals = { files, sizeBytes, maxBytes }
      for (const item of page) items.set(`${item.name}//${item.time}`, item)
      after = next ?? undefined
    } while (after !== undefined)
  }
  return { totals, items: [...items.values()] }
}

export interface RestoreOptions extends Json {
  readonly yes: boolean
}

/** Restores the newest version of each file; a whole folder only with `--yes`. */
export async function restoreTrash(
  context: CliContext,
  client: Client,
  text: string,
  paths: readonly string[],
  { json, yes }: RestoreOptions,
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const { items } = await readTrash(client, id, paths)
  const newest = new Map<string, string>()
  for (const { name, time } of items) if (!newest.has(name)) newest.set(name, time)
  if (newest.size === 0) throw new TwinfoldError('refused', `the trash of folder "${id}" has none of them`)
  if (paths.length === 0 && !yes) {
    const what = formatCount(newest.size, 'file')
    throw new TwinfoldError('refused', `${what} of folder "${id}" would be restored on all devices; use --yes`)
  }
  const failures = new Map<string, string>()
  const wanted = [...newest]
  for (let at = 0; at < wanted.length; at += RESTORED_MAX) {
    const body = Object.fromEntries(wanted.slice(at, at + RESTORED_MAX))
    const failed = await client.call('POST /rest/folder/versions', { query: { folder: id }, body })
    for (const [name, reason] of Object.entries(failed)) failures.set(name, reason)
  }
  const restored = newest.size - failures.size
  if (json) {
    context.print(JSON.stringify({ folder: id, restored, failures: Object.fromEntries(failures) }, undefined, 2))
  } else {
    if (restored > 0) context.print(`Restored ${formatCount(restored, 'file')} of folder "${escapeText(id)}".`)
    for (const [name, reason] of failures) context.printError(`${escapeText(name)}: ${escapeText(reason)}`)
  }
  return failures.size === 0 ? CLI_EXIT.done : CLI_EXIT.doneWithProblems
}

export interface EmptyTrashOptions extends RestoreOptions {
  readonly older?: string
}

/** Removes files for good. Without `--yes` it only says what would be removed. */
export async function emptyTrash(
  context: CliContext,
  client: Client,
  text: string,
  paths: readonly string[],
  { json, yes, older }: EmptyTrashOptions,
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const before = older === undefined ? undefined : parseSince(older, context.timeMs(), '--older')
  if (!yes) {
    const { items } = await readTrash(client, id, paths)
    const gone = before === undefined ? items : items.filter(({ time }) => Date.parse(time) < Date.parse(before))
    const sizeBytes = gone.reduce((sum, item) => sum + item.sizeBytes, 0)
    const what = `${formatCount(gone.length, 'file')}, ${formatBytes(sizeBytes)}`
    throw new TwinfoldError('refused', `${what} of the trash of folder "${id}" would be gone for good; use --yes`)
  }
  const body = { ...(paths.length > 0 && { paths: [...paths] }), ...(before !== undefined && { before }) }
  const removed = await client.call('POST /rest/twinfold/trash/empty', { query: { folder: id }, body })
  if (json) context.print(JSON.stringify({ folder: id, ...removed }, undefined, 2))
  else {
    const what = `${formatCount(removed.files, 'file')}, ${formatBytes(removed.sizeBytes)}`
    context.print(`Removed ${what} from the trash of folder "${escapeText(id)}".`)
  }
  return CLI_EXIT.done
}
