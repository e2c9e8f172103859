import type { Client } from '../client/client.ts'
import { DRIVE_PATH } from '../core/webdav/drive-path.ts'
import { CLI_EXIT, type CliContext, type CliExit, type Connection } from './context.ts'

/** Shows the network drive, after switching it on or off if that is wanted. */
export async function drive(
  context: CliContext,
  { client, address }: Pick<Connection, 'client' | 'address'>,
  on: boolean | undefined,
  flags: { readonly json: boolean },
): Promise<CliExit> {
  const settings =
    on === undefined
      ? await client.call('GET /rest/twinfold/settings')
      : await client.call('PATCH /rest/twinfold/settings', { body: { drive: on } })
  const url = address.startsWith('http') ? `${address}${DRIVE_PATH}/` : null
  if (flags.json) context.print(JSON.stringify({ on: settings.drive, address: url }, undefined, 2))
  else for (const line of await driveLines(client, settings.drive, url)) context.print(line)
  return CLI_EXIT.done
}

async function driveLines(client: Client, isOn: boolean, url: string | null): Promise<readonly string[]> {
  if (!isOn) return ['The network drive is off. "drive on" lets file managers read all folders, and change nothing.']
  if (url === null) return ['The network drive is on, but the page listens on a UNIX socket, which no drive can use.']
  return [`The network drive is on, read-only, at ${url}`, await loginLine(client)]
}

async function loginLine(client: Client): Promise<string> {
  const { authMode, user, password } = await client.call('GET /rest/config/gui')
  return authMode !== 'ldap' && (user === '' || password === '')
    ? 'The page has no password: every program that reaches this address can read it.'
    : 'Log in as on the page, or with the API key as password and any user.'
}
