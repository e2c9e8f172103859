import type { Client } from '../client/client.ts'
import { TwinfoldError } from '../core/errors.ts'
import { HOOK_CONDITIONS, HOOK_FORMATS } from '../core/hooks/hook.ts'
import type { HookJson, NewHookJson } from '../rest/hooks.ts'
import { CLI_EXIT, findDevice, findFolder, type CliContext, type CliExit } from './context.ts'
import { tableLines } from './table.ts'
import { escapeText } from './text.ts'

interface Json {
  readonly json: boolean
}

interface AddOptions extends Json {
  readonly on?: string
  readonly folder?: string
  readonly device?: string
  readonly after?: string
  readonly url?: string
  readonly exec?: string
  readonly format?: string
  readonly secretFile?: string
  readonly allowPrivate: boolean
  /** Of the program. */
  readonly args: readonly string[]
}

export async function addHook(
  context: CliContext,
  client: Client,
  name: string,
  options: AddOptions,
): Promise<CliExit> {
  const body = await wantedHook(context, client, name, options)
  const added = await client.call('POST /rest/twinfold/hooks', { body })
  const text = `Added the hook "${escapeText(name)}": ${describe(added)}. Try it with "hook test ${escapeText(name)}".`
  context.print(options.json ? JSON.stringify(added, undefined, 2) : text)
  return CLI_EXIT.done
}

/** Folders and devices may be given by their names. */
async function wantedHook(
  context: CliContext,
  client: Client,
  name: string,
  options: AddOptions,
): Promise<NewHookJson> {
  const { after, url, exec, secretFile, args } = options
  const on = HOOK_CONDITIONS.find((each) => each === options.on)
  if (on === undefined) throw new TwinfoldError('usage', `name the condition with --on: ${HOOK_CONDITIONS.join(', ')}`)
  if ((url === undefined) === (exec === undefined)) throw new TwinfoldError('usage', 'use either --url or --exec')
  if (url !== undefined && args.length > 0) throw new TwinfoldError('usage', 'arguments are for a program of --exec')
  const format = HOOK_FORMATS.find((each) => each === options.format)
  const folder = options.folder === undefined ? undefined : (await findFolder(client, options.folder)).id
  const device = options.device === undefined ? undefined : findDevice(await client.devices(), options.device).deviceID
  const secret = secretFile === undefined ? undefined : firstLine(await context.readText(secretFile), secretFile)
  return {
    name,
    on,
    ...(folder !== undefined && { folder }),
    ...(device !== undefined && { device }),
    ...(after !== undefined && { after }),
    ...(url !== undefined && { url }),
    ...(format !== undefined && { format }),
    ...(secret !== undefined && { secret }),
    ...(options.allowPrivate && { allowPrivate: true }),
    ...(exec !== undefined && { program: exec, args: [...args] }),
  }
}

function firstLine(text: string, file: string): string {
  const [line = ''] = text.split(/\r?\n/)
  if (line === '') throw new TwinfoldError('usage', `the first line of ${file} is empty; it has to be the secret`)
  return line
}

export async function listHooks(context: CliContext, client: Client, { json }: Json): Promise<CliExit> {
  const hooks = await client.call('GET /rest/twinfold/hooks')
  if (json) context.print(JSON.stringify(hooks, undefined, 2))
  else if (hooks.length === 0) context.print('No hooks.')
  else {
    const columns = [
      { title: 'NAME' },
      { title: 'ON' },
      { title: 'ABOUT', shrink: 'end' },
      { title: 'TO', shrink: 'end' },
      { title: 'WAITING' },
      { title: 'LAST', shrink: 'end' },
    ] as const
    const rows = hooks.map((hook) => [
      hook.name,
      hook.on,
      subjectOf(hook),
      hook.url ?? [hook.program ?? '', ...hook.args].join(' '),
      String(hook.waiting),
      hook.last === null ? 'never' : `${hook.last.outcome} ${hook.last.time}: ${hook.last.detail}`,
    ])
    for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  }
  return CLI_EXIT.done
}

/** Fails when the delivery does. */
export async function testHook(context: CliContext, client: Client, name: string, { json }: Json): Promise<CliExit> {
  const result = await client.call('POST /rest/twinfold/hooks/test/:id', { id: name })
  if (json) context.print(JSON.stringify(result))
  else if (result.ok) context.print(`Delivered: ${escapeText(result.detail)}`)
  else context.printError(`Not delivered: ${escapeText(result.detail)}`)
  return result.ok ? CLI_EXIT.done : CLI_EXIT.failed
}

export async function logOfHook(context: CliContext, client: Client, name: string, { json }: Json): Promise<CliExit> {
  const entries = await client.call('GET /rest/twinfold/hooks/log/:id', { id: name })
  if (json) context.print(JSON.stringify(entries, undefined, 2))
  else if (entries.length === 0) context.print('Nothing was delivered yet.')
  else {
    const columns = [
      { title: 'TIME' },
      { title: 'OUTCOME' },
      { title: 'WHAT', shrink: 'end' },
      { title: 'DETAIL', shrink: 'end' },
    ] as const
    const rows = entries.map(({ time, outcome, text, detail }) => [time, outcome, text, detail])
    for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  }
  return CLI_EXIT.done
}

export async function removeHook(context: CliContext, client: Client, name: string, { json }: Json): Promise<CliExit> {
  await client.call('DELETE /rest/twinfold/hooks/:id', { id: name })
  context.print(json ? JSON.stringify({ hook: name }) : `Removed the hook "${escapeText(name)}".`)
  return CLI_EXIT.done
}

function describe(hook: HookJson): string {
  const to = hook.url === null ? `runs ${hook.program ?? ''}` : `sends to ${hook.url}`
  return `${escapeText(to)} on ${hook.on}, ${escapeText(subjectOf(hook))}, after ${hook.after}`
}

function subjectOf({ folder, device, on }: HookJson): string {
  const parts = [
    folder === null ? undefined : `folder ${folder}`,
    device === null ? undefined : `device ${device.slice(0, 7)}`,
  ]
  const named = parts.filter((part) => part !== undefined).join(', ')
  return named !== '' ? named : on === 'device-away' ? 'every device' : 'every folder'
}
