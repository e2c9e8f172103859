import type { Client } from '../client/client.ts'
import type { Effect } from '../core/records/effect.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { PlanJson } from '../rest/plan.ts'
import { CLI_EXIT, findDevice, findFolder, type CliContext, type CliExit } from './context.ts'
import { parseSince } from './since.ts'
import { tableLines } from './table.ts'
import { escapeText, formatBytes } from './text.ts'

const EFFECT_TEXTS: Readonly<Record<Effect, string>> = {
  fetch: 'fetched',
  replace: 'replaced',
  make: 'made (directories, links)',
  metadata: 'mode or time set',
  delete: 'deleted',
  conflict: 'kept as conflict copies',
  collect: 'kept, though deleted elsewhere',
  announce: 'sent to other devices',
  ignore: 'no longer synchronized',
  leave: 'left as they are',
  lose: 'on no other device any more',
  restore: 'as they were',
  keep: 'kept, as newer',
}

interface PlanOptions {
  readonly json?: boolean
  /** A file with the lines of an ignore file, or "-" for the input. */
  readonly ignores?: string | undefined
}

/** Prints what an action would do. */
export async function showPlan(
  context: CliContext,
  client: Client,
  text: string,
  action: string,
  options: PlanOptions,
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const plan =
    options.ignores === undefined
      ? await planOf(client, id, await namedAction(context, client, action))
      : await ignoresPlan(client, id, await linesOf(context, options.ignores))
  if (options.json) context.print(JSON.stringify(plan, undefined, 2))
  else for (const line of planLines(plan, await deviceNames(client), context.columns)) context.print(line)
  return CLI_EXIT.done
}

/** Of an action on a folder. */
export interface PlannedRequest {
  readonly folder: string
  readonly action: string
}

/**
 * Shows on a terminal what will happen, and asks. Throws `refused` unless the user agrees. Scripts are not asked, so
 * that none waits for an answer.
 */
export async function confirmPlans(
  context: CliContext,
  client: Client,
  requests: readonly PlannedRequest[],
  { yes = false }: { readonly yes?: boolean },
): Promise<void> {
  if (yes || !context.interactive) return
  const names = await deviceNames(client)
  for (const { folder, action } of requests) {
    const plan = await planOf(client, folder, action)
    for (const line of planLines(plan, names, context.columns)) context.print(line)
  }
  context.print('Continue? [y/N]')
  for await (const line of context.inputLines()) {
    if (/^\s*y(es)?\s*$/i.test(line)) return
    break
  }
  throw new TwinfoldError('refused', 'nothing was changed; --yes does it without the question')
}

async function planOf(client: Client, folder: string, action: string): Promise<PlanJson> {
  return await client.call('GET /rest/twinfold/plan', { query: { folder, action }, timeoutMs: undefined })
}

async function ignoresPlan(client: Client, folder: string, ignore: readonly string[]): Promise<PlanJson> {
  return await client.call('POST /rest/twinfold/plan', { query: { folder }, body: { ignore }, timeoutMs: undefined })
}

async function linesOf(context: CliContext, file: string): Promise<readonly string[]> {
  if (file === '-') return await Array.fromAsync(context.inputLines())
  return (await context.readText(file)).split('\n').map((line) => line.replace(/\r$/, ''))
}

/** Devices are named by ID or name, times as in other commands. */
async function namedAction(context: CliContext, client: Client, action: string): Promise<string> {
  const [, since] = /^rewind:(.*)$/.exec(action) ?? []
  if (since !== undefined) return `rewind:${parseSince(since, context.timeMs(), 'rewind:TIME')}`
  const [, kind, device] = /^(share|unshare):(.*)$/.exec(action) ?? []
  if (kind === undefined || device === undefined) return action
  return `${kind}:${findDevice(await client.devices(), device).deviceID}`
}

async function deviceNames(client: Client): Promise<ReadonlyMap<string, string>> {
  return new Map((await client.devices()).map(({ deviceID, name }) => [deviceID, name || deviceID.slice(0, 7)]))
}

function planLines(
  { folder, action, effects }: PlanJson,
  names: ReadonlyMap<string, string>,
  width: number,
): readonly string[] {
  const [kind = '', value = ''] = action.split(':')
  const what = value === '' ? kind : `${kind} ${names.get(value) ?? value}`
  const head = `Folder "${escapeText(folder)}", ${escapeText(what)}:`
  if (effects.length === 0) return [`${head} no file changes.`]
  const columns = [
    { title: 'ITEMS', align: 'right' },
    { title: 'SIZE', align: 'right' },
    { title: 'WILL BE' },
    { title: 'WHERE' },
    { title: 'FOR EXAMPLE', shrink: 'start' },
  ] as const
  const rows = effects.map(({ effect, device, items, bytes, examples }) => [
    String(items),
    bytes === 0 ? '' : formatBytes(bytes),
    EFFECT_TEXTS[effect],
    device === '' ? 'here' : (names.get(device) ?? device.slice(0, 7)),
    examples[0] ?? '',
  ])
  return [head, ...tableLines(columns, rows, width)]
}
