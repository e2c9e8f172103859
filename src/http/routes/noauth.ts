import type { ConfigStore } from '../../config/types.ts'
import { readBody } from '../../rest/read-body.ts'
import { NOAUTH_ROUTES } from '../../rest/system-routes.ts'
import { isAuthOn, type Auth } from '../pipeline/auth.ts'
import { parseJson } from '../pipeline/json.ts'
import { NOT_FOUND, text, type Reply } from '../pipeline/reply.ts'
import { bind, type Call, type Route } from '../pipeline/route.ts'

const LOGIN = NOAUTH_ROUTES['POST /rest/noauth/auth/password']
const LOGIN_BYTES_MAX = 64 * 1024

/** Routes without authentication: login and logout. */
export function noAuthRoutes(config: ConfigStore, auth: Auth): readonly Route[] {
  // Without a password there is no login; clients detect that by the 404.
  const ifAuthOn =
    (handle: Route['handle']): Route['handle'] =>
    (call) =>
      isAuthOn(config.current.gui) ? handle(call) : NOT_FOUND
  return bind(NOAUTH_ROUTES, {
    'POST /rest/noauth/auth/password': ifAuthOn((call) => login(config, auth, call)),
    'POST /rest/noauth/auth/logout': ifAuthOn((call) => logout(config, auth, call)),
  })
}

async function login(config: ConfigStore, auth: Auth, { request }: Call): Promise<Reply> {
  const body = loginBody(await request.body(LOGIN_BYTES_MAX))
  if (body === undefined) return text(400, 'Failed to parse username and password.')
  const cookie = await auth.login(request, config.current.gui, body, body.stay)
  return cookie === undefined ? text(403, 'Forbidden') : { status: 204, headers: { 'Set-Cookie': cookie } }
}

function logout(config: ConfigStore, auth: Auth, { request }: Call): Reply {
  const cookie = auth.logout(request, config.current.gui)
  return cookie === undefined ? { status: 204 } : { status: 204, headers: { 'Set-Cookie': cookie } }
}

function loginBody(
  bytes: Uint8Array,
): { readonly username: string; readonly password: string; readonly stay: boolean } | undefined {
  try {
    const { username = '', password = '', stayLoggedIn: stay = false } = readBody(LOGIN.body, parseJson(bytes))
    return { username, password, stay }
  } catch {
    return undefined // the reason may contain part of a password
  }
}
