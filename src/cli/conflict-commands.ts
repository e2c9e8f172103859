import type { Client } from '../client/client.ts'
import { TwinfoldError } from '../core/errors.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { tableLines } from './table.ts'
import { escapeText, formatBytes, formatCount } from './text.ts'

interface Json {
  readonly json?: boolean
}

/** Of one request. */
const COPIES_MAX = 500

/** Lists the conflict copies of one folder, or of all. */
export async function listConflicts(
  context: CliContext,
  client: Client,
  text: string | undefined,
  options: Json,
): Promise<CliExit> {
  const folders = text === undefined ? await client.folders() : [await findFolder(client, text)]
  const pages = await Promise.all(
    folders.map(async ({ id }) => {
      const query = { folder: id, perpage: COPIES_MAX }
      return { id, page: await client.call('GET /rest/twinfold/conflicts', { query }) }
    }),
  )
  const items = pages.flatMap(({ id, page }) => page.items.map((item) => ({ ...item, folder: id })))
  if (options.json) {
    context.print(JSON.stringify(items, undefined, 2))
    return CLI_EXIT.done
  }
  if (items.length === 0) context.print('No conflict copies.')
  else {
    const columns = [
      { title: 'FOLDER' },
      { title: 'CONFLICT COPY', shrink: 'start' },
      { title: 'OF', shrink: 'start' },
      { title: 'SIZE', align: 'right' },
    ] as const
    const rows = items.map(({ folder, name, original, sizeBytes }) => [folder, name, original, formatBytes(sizeBytes)])
    for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  }
  const total = pages.reduce((sum, { page }) => sum + page.total, 0)
  if (total > items.length) context.printError(`… and ${total - items.length} more`)
  return CLI_EXIT.done
}

const KEEP_CHOICES = ['original', 'copy'] as const
type KeepChoice = (typeof KEEP_CHOICES)[number]

interface ResolveOptions extends Json {
  readonly keep: KeepChoice
  /** Also where what is not kept is lost. */
  readonly discard: boolean
}

/** Resolves the named conflicts of a folder, or all of them; what is not kept becomes an old version. */
export async function resolveConflicts(
  context: CliContext,
  client: Client,
  text: string,
  copies: readonly string[],
  options: ResolveOptions,
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const names = copies.length > 0 ? copies : await allCopies(client, id)
  const failures = new Map<string, string>()
  for (let at = 0; at < names.length; at += COPIES_MAX) {
    const body = { keep: options.keep, names: names.slice(at, at + COPIES_MAX), mayRemove: options.discard }
    const unchanged = await client.call('POST /rest/twinfold/conflicts', { query: { folder: id }, body })
    for (const [name, reason] of Object.entries(unchanged)) failures.set(name, reason)
  }
  const resolved = names.length - failures.size
  if (options.json) {
    const value = { folder: id, kept: options.keep, resolved, failures: Object.fromEntries(failures) }
    context.print(JSON.stringify(value, undefined, 2))
  } else printResolved(context, id, resolved, failures, options)
  return failures.size === 0 ? CLI_EXIT.done : CLI_EXIT.doneWithProblems
}

function printResolved(
  context: CliContext,
  folder: string,
  resolved: number,
  failures: ReadonlyMap<string, string>,
  { keep, discard }: ResolveOptions,
): void {
  const kept = keep === 'original' ? 'the originals were kept' : 'the conflict copies were kept'
  const count = formatCount(resolved, 'conflict', 'conflicts')
  const where = `in folder "${escapeText(folder)}"`
  if (resolved > 0) context.print(`Resolved ${count} ${where}; ${kept}.`)
  else if (failures.size === 0) context.print(`No conflict copies ${where}.`)
  for (const [name, reason] of failures) context.printError(`${escapeText(name)}: ${escapeText(reason)}`)
  // The reply has only texts.
  const areLost = [...failures.values()].some((reason) => reason.includes('keeps no old versions'))
  if (areLost && !discard) context.printError('--discard resolves them all the same; what is not kept is then lost')
}

async function allCopies(client: Client, folder: string): Promise<readonly string[]> {
  const names: string[] = []
  for (let page = 1; ; page++) {
    const query = { folder, page, perpage: COPIES_MAX }
    const { items, total } = await client.call('GET /rest/twinfold/conflicts', { query })
    for (const { name } of items) names.push(name)
    if (items.length === 0 || names.length >= total) return names
  }
}

/** The choice of `--keep`, undefined to list; throws where the command line does not say enough. */
export function keepChoice(
  keep: string | undefined,
  folder: string | undefined,
  copies: readonly string[],
  discard: boolean,
): KeepChoice | undefined {
  const kept = KEEP_CHOICES.find((each) => each === keep)
  if (kept === undefined && (discard || copies.length > 0))
    throw new TwinfoldError('refused', 'conflicts are resolved with --keep original or --keep copy')
  if (kept !== undefined && folder === undefined)
    throw new TwinfoldError('refused', '--keep needs the folder whose conflicts are resolved')
  return kept
}
