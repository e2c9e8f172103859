import type { Client } from '../client/client.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { InvitedType } from '../core/invitations/invitation-link.ts'
import type { JoinedJson, OpenInvitationJson } from '../rest/invitations.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { directoryPath } from './folder-commands.ts'
import { tableLines } from './table.ts'
import { escapeText } from './text.ts'

/** How long a join waits for the connection before it reports that dialling continues in the background. */
const CONNECT_MS_MAX = 15_000
const CONNECT_POLL_MS = 250
const QUIET_MODULES = 2

interface Json {
  readonly json: boolean
}

export interface InviteOptions extends Json {
  readonly folders: readonly string[]
  readonly type?: InvitedType
  readonly expires?: string
  readonly qr: boolean
}

/** Prints the invitation alone on the output, so that a script can take it. */
export async function invite(context: CliContext, client: Client, options: InviteOptions): Promise<CliExit> {
  const folders: string[] = []
  for (const text of options.folders) folders.push((await findFolder(client, text)).id)
  const { type, expires } = options
  const body = { folders, ...(type !== undefined && { type }), ...(expires !== undefined && { expires }) }
  const made = await client.call('POST /rest/twinfold/invitations', { body })
  if (options.json) {
    context.print(JSON.stringify(made, undefined, 2))
    return CLI_EXIT.done
  }
  const use = `There: "${context.program} join INVITATION", or paste it on the page under "Add device".`
  context.printError(`Invitation for one device, ${contentsOf(made)}, until ${made.expires}. ${use}`)
  if (made.addresses.length === 0) {
    context.printError('Warning: it has no address of this device; the other one finds it by discovery, or not at all.')
  }
  context.print(made.invitation)
  if (options.qr) for (const line of await qrLines(made.invitation)) context.print(line)
  return CLI_EXIT.done
}

export async function listInvitations(context: CliContext, client: Client, { json }: Json): Promise<CliExit> {
  const found = await client.call('GET /rest/twinfold/invitations')
  if (json) context.print(JSON.stringify(found, undefined, 2))
  else if (found.length === 0) context.print('No open invitations.')
  else {
    const columns = [
      { title: 'ID' },
      { title: 'FOLDERS', shrink: 'end' },
      { title: 'TYPE' },
      { title: 'EXPIRES' },
    ] as const
    const rows = found.map(({ id, folders, type, expires }) => [id, folders.join(' '), type, expires])
    for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  }
  return CLI_EXIT.done
}

export async function revokeInvitation(
  context: CliContext,
  client: Client,
  id: string,
  { json }: Json,
): Promise<CliExit> {
  await client.call('DELETE /rest/twinfold/invitations/:id', { id })
  context.print(json ? JSON.stringify({ invitation: id }) : `Revoked the invitation ${escapeText(id)}.`)
  return CLI_EXIT.done
}

export interface JoinOptions extends Json {
  readonly path?: string
  /** Prints what would be done. */
  readonly check: boolean
}

/** Uses an invitation; `-` reads it from the input, where neither the history nor the list of processes shows it. */
export async function join(
  context: CliContext,
  client: Client,
  text: string,
  { path, check, json }: JoinOptions,
): Promise<CliExit> {
  const invitation = text === '-' ? await inputText(context) : text
  const body = { invitation, check, ...(path !== undefined && { path: directoryPath(context, path) }) }
  const joined = await client.call('POST /rest/twinfold/join', { body })
  if (json) {
    context.print(JSON.stringify(joined, undefined, 2))
    return CLI_EXIT.done
  }
  for (const warning of joined.warnings) context.printError(`Warning: ${escapeText(warning)}`)
  for (const line of joinLines(joined, check)) context.print(line)
  if (!check) context.print(await connectionText(context, client, joined))
  return CLI_EXIT.done
}

function joinLines({ device, name, known, folders }: JoinedJson, isCheck: boolean): readonly string[] {
  const verb = (done: string, planned: string): string => (isCheck ? `Would ${planned}` : done)
  return [
    ...(known ? [] : [`${verb('Added', 'add')} device ${nameOf(name, device)}`]),
    ...folders.map(({ id, type, path, new: isNew }) =>
      isNew
        ? `${verb('Added', 'add')} folder "${escapeText(id)}" at ${escapeText(path)} (${type})`
        : `${verb('Shared', 'share')} folder "${escapeText(id)}" with it, which is here at ${escapeText(path)}`,
    ),
  ]
}

async function connectionText(context: CliContext, client: Client, { device, name }: JoinedJson): Promise<string> {
  const endMs = context.nowMs() + CONNECT_MS_MAX
  for (;;) {
    const { connections } = await client.call('GET /rest/system/connections')
    if (Object.hasOwn(connections, device) && connections[device]?.connected === true) return 'Connected.'
    if (context.nowMs() >= endMs) break
    await context.sleep(CONNECT_POLL_MS, context.signal)
  }
  const why = `${context.program} why ${name === '' ? device : `"${escapeText(name)}"`}`
  return `Not connected yet; dialling continues. ${why} shows the reason.`
}

async function inputText(context: CliContext): Promise<string> {
  if (context.interactive) context.printError('Paste the invitation:')
  const lines: string[] = []
  for await (const line of context.inputLines()) {
    lines.push(line)
    if (context.interactive || lines.length >= 100) break
  }
  const text = lines.join('\n')
  if (text.trim() === '') throw new TwinfoldError('usage', 'the input has no invitation')
  return text
}

function contentsOf({ folders, type }: OpenInvitationJson): string {
  if (folders.length === 0) return 'without a folder'
  const names = folders.map((id) => `"${escapeText(id)}"`).join(', ')
  return `folder${folders.length === 1 ? '' : 's'} ${names} as ${type}`
}

function nameOf(name: string, device: string): string {
  return name === '' ? device : `"${escapeText(name)}" (${device})`
}

/** Two rows of modules per line of text; light modules are drawn, as most terminals are dark. */
async function qrLines(text: string): Promise<readonly string[]> {
  const { encodeQR } = await import('qr')
  const rows = encodeQR(text, 'raw', { ecc: 'low', border: QUIET_MODULES })
  const lines: string[] = []
  for (let y = 0; y < rows.length; y += 2) {
    const [upper = [], lower = []] = [rows[y], rows[y + 1]]
    lines.push(upper.map((isDark, x) => HALVES[Number(isDark)]![Number(lower[x] ?? true)]).join(''))
  }
  return lines
}

/** By upper and lower module, 1 is dark. */
const HALVES = [
  ['█', '▀'],
  ['▄', ' '],
] as const
