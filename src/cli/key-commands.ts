import type { Client } from '../client/client.ts'
import type { Scope } from '../core/access.ts'
import type { GrantJson } from '../rest/keys.ts'
import { CLI_EXIT, findFolder, type CliContext, type CliExit } from './context.ts'
import { PASSWORD_LINES, passwordInLines, passwordInText } from './password-file.ts'
import { tableLines } from './table.ts'
import { escapeText } from './text.ts'

interface Json {
  readonly json: boolean
}

type Kind = 'key' | 'user'

export interface GrantOptions extends Json {
  readonly scope: Scope
  readonly folders?: readonly string[]
  readonly expires?: string
}

/** Prints the key alone on the output, so that a script can take it. */
export async function addKey(
  context: CliContext,
  client: Client,
  name: string,
  options: GrantOptions,
): Promise<CliExit> {
  const added = await client.call('POST /rest/twinfold/keys', { body: await wanted(client, name, options) })
  if (options.json) context.print(JSON.stringify(added, undefined, 2))
  else {
    context.printError(`Added the key "${escapeText(name)}": ${limitsOf(added)}. It is shown this one time:`)
    context.print(added.key)
  }
  return CLI_EXIT.done
}

export async function addUser(
  context: CliContext,
  client: Client,
  name: string,
  options: GrantOptions & { readonly passwordFile: string },
): Promise<CliExit> {
  const { passwordFile: file } = options
  const password =
    file === '-' ? passwordInLines(await firstLines(context)) : passwordInText(await context.readText(file))
  const body = { ...(await wanted(client, name, options)), password }
  const added = await client.call('POST /rest/twinfold/users', { body })
  if (options.json) context.print(JSON.stringify(added, undefined, 2))
  else context.print(`Added the user "${escapeText(name)}": ${limitsOf(added)}.`)
  return CLI_EXIT.done
}

export async function listGrants(context: CliContext, client: Client, kind: Kind, options: Json): Promise<CliExit> {
  const found = await client.call(kind === 'key' ? 'GET /rest/twinfold/keys' : 'GET /rest/twinfold/users')
  if (options.json) {
    context.print(JSON.stringify(found, undefined, 2))
    return CLI_EXIT.done
  }
  if (found.length === 0) {
    context.print(kind === 'key' ? 'No keys beside the one of the configuration.' : 'No users beside the owner.')
    return CLI_EXIT.done
  }
  const columns = [
    { title: 'NAME' },
    { title: 'SCOPE' },
    { title: 'FOLDERS', shrink: 'end' },
    { title: 'EXPIRES' },
    { title: 'LAST USE' },
  ] as const
  const rows = found.map((grant) => [
    grant.name,
    grant.scope,
    grant.folders?.join(' ') ?? 'all',
    expiryOf(grant, context.timeMs()),
    grant.lastUsed ?? 'never',
  ])
  for (const line of tableLines(columns, rows, context.columns)) context.print(line)
  return CLI_EXIT.done
}

export async function revokeGrant(
  context: CliContext,
  client: Client,
  kind: Kind,
  name: string,
  options: Json,
): Promise<CliExit> {
  const route = kind === 'key' ? 'DELETE /rest/twinfold/keys/:id' : 'DELETE /rest/twinfold/users/:id'
  await client.call(route, { id: name })
  const done = kind === 'key' ? 'Revoked the key' : 'Removed the user'
  context.print(options.json ? JSON.stringify({ [kind]: name }) : `${done} "${escapeText(name)}".`)
  return CLI_EXIT.done
}

/** Folders may be named by their labels. */
async function wanted(client: Client, name: string, { scope, folders, expires }: GrantOptions) {
  const ids: string[] = []
  for (const text of folders ?? []) ids.push((await findFolder(client, text)).id)
  return { name, scope, ...(ids.length > 0 && { folders: ids }), ...(expires !== undefined && { expires }) }
}

function limitsOf({ scope, folders, expires }: GrantJson): string {
  const where = folders === null ? 'all folders' : `folders ${folders.map(escapeText).join(', ')}`
  return `${scope}, ${where}, ${expires === null ? 'without an end' : `until ${expires}`}`
}

function expiryOf({ expires }: GrantJson, nowMs: number): string {
  if (expires === null) return 'never'
  return Date.parse(expires) <= nowMs ? `expired ${expires}` : expires
}

async function firstLines(context: CliContext): Promise<readonly string[]> {
  if (context.interactive) context.printError('Password of the user (it is shown while you type):')
  const lines: string[] = []
  for await (const line of context.inputLines()) {
    lines.push(line)
    if (context.interactive || lines.length === PASSWORD_LINES) break
  }
  return lines
}
