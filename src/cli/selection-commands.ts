import type { Client } from '../client/client.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { SelectedJson } from '../rest/selection.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { tableLines } from './table.ts'
import { escapeText, formatBytes, formatCount } from './text.ts'

interface Json {
  readonly json?: boolean
}

export interface SelectOptions extends Json {
  /** Without asking. */
  readonly yes?: boolean
  /** Also what no other device has. */
  readonly force?: boolean
}

const REASONS = { chosen: '', 'made-here': 'made here', renamed: 'renamed elsewhere' } as const

/** Lists what of a folder is kept on this device and what is dropped. */
export async function listSelection(
  context: CliContext,
  client: Client,
  text: string,
  { json }: Json,
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const selection = await client.call('GET /rest/twinfold/selection', { query: { folder: id } })
  if (json) {
    context.print(JSON.stringify({ folder: id, ...selection }, undefined, 2))
    return selection.error === null ? CLI_EXIT.done : CLI_EXIT.doneWithProblems
  }
  if (selection.error !== null) {
    context.printError(escapeText(selection.error))
    return CLI_EXIT.doneWithProblems
  }
  if (selection.entries.length === 0) context.print(`Everything of folder "${escapeText(id)}" is kept on this device.`)
  else {
    const columns = [{ title: 'STATE' }, { title: 'PATH', shrink: 'start' }, { title: 'WHY' }] as const
    const rows = selection.entries.map(({ path, state, reason }) => [state, shownPath(path), REASONS[reason]])
    for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  }
  if (selection.removing) context.print('Dropped files are removed as soon as the folder runs.')
  return CLI_EXIT.done
}

/** Keeps or drops paths of a folder on this device, after a preview and a question. */
export async function select(
  context: CliContext,
  client: Client,
  text: string,
  choice: { readonly keep?: readonly string[]; readonly drop?: readonly string[] },
  options: SelectOptions,
): Promise<CliExit> {
  const { id } = await findFolder(client, text)
  const change = (body: { readonly preview?: boolean; readonly force?: boolean }) =>
    client.call('POST /rest/twinfold/selection', {
      query: { folder: id },
      body: { ...choice, ...body },
      timeoutMs: undefined,
      signal: context.signal,
    })
  const preview = await change({ preview: true })
  const names = await deviceNames(client)
  if (!options.json) printPreview(context, preview, names)
  if (preview.onlyHere.files > 0 && options.force !== true) throw refusal(preview)
  if (options.yes !== true && !(await isAgreed(context))) {
    context.printError('Nothing was changed.')
    return CLI_EXIT.failed
  }
  const done = await change({ force: options.force === true })
  if (options.json) context.print(JSON.stringify({ folder: id, ...done }, undefined, 2))
  else printDone(context, done, choice.drop !== undefined)
  return Object.keys(done.left).length === 0 ? CLI_EXIT.done : CLI_EXIT.doneWithProblems
}

/** The selection of a folder that was added paused: nothing is fetched until something is kept. */
export async function selectNothing(client: Client, folder: string): Promise<void> {
  await client.call('POST /rest/twinfold/selection', { query: { folder }, body: { drop: [''] } })
}

function shownPath(path: string): string {
  return path === '' ? '(everything)' : path
}

function amountText({ files, bytes }: SelectedJson['freed']): string {
  return `${formatCount(files, 'file')}, ${formatBytes(bytes)}`
}

async function deviceNames(client: Client): Promise<ReadonlyMap<string, string>> {
  return new Map((await client.devices()).map(({ deviceID, name }) => [deviceID, name === '' ? deviceID : name]))
}

function printPreview(context: CliContext, preview: SelectedJson, names: ReadonlyMap<string, string>): void {
  const { freed, fetched, holders, onlyHere, overruled, truncated } = preview
  const atLeast = truncated ? 'At least ' : ''
  if (freed.files > 0) context.print(`Frees on this device: ${atLeast}${amountText(freed)}`)
  if (fetched.files > 0) context.print(`Fetches from other devices: ${atLeast}${amountText(fetched)}`)
  if (freed.files + fetched.files === 0) context.print('No file is freed or fetched now.')
  for (const [device, amount] of Object.entries(holders)) {
    context.print(`  ${escapeText(names.get(device) ?? device)} has ${amountText(amount)}`)
  }
  if (onlyHere.files > 0) context.print(`Only on this device: ${amountText(onlyHere)}`)
  for (const name of onlyHere.examples) context.print(`  ${escapeText(name)}`)
  for (const { path, line } of overruled) {
    context.printError(`${escapeText(path)}: your own line "${escapeText(line)}" in .stignore decides on it`)
  }
}

function refusal({ onlyHere }: SelectedJson): TwinfoldError {
  const files = formatCount(onlyHere.files, 'file is', 'files are')
  const remedy = 'wait until another device has a copy, or lose what is only here with --force'
  return new TwinfoldError('refused', `${files} on no other device; ${remedy}`)
}

function printDone(context: CliContext, { left }: SelectedJson, isDrop: boolean): void {
  for (const [name, reason] of Object.entries(left)) {
    context.printError(`${escapeText(name)} stays here: ${escapeText(reason)}`)
  }
  context.print(isDrop ? 'Dropped here. Nothing was deleted on other devices.' : 'Kept here. Files arrive from now on.')
}

/** Without a terminal there is no user to ask. */
async function isAgreed(context: CliContext): Promise<boolean> {
  if (!context.interactive) throw new TwinfoldError('usage', 'nothing was changed; use --yes to agree to the preview')
  context.printError('Continue? [y/N]')
  for await (const line of context.inputLines()) return /^y(es)?$/i.test(line.trim())
  return false
}
