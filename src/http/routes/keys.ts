import type { ConfigStore, GrantStore } from '../../config/types.ts'
import { parseExpiry, type Grant, type NewGrant } from '../../core/access.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { parseFolderId } from '../../core/ids.ts'
import type { Clock } from '../../platform/clock.ts'
import { KEY_ROUTES, type GrantJson, type NewKeyJson } from '../../rest/keys.ts'
import { readBody } from '../../rest/read-body.ts'
import { isAuthOn } from '../pipeline/auth.ts'
import { parseJson } from '../pipeline/json.ts'
import { EMPTY_OK, json, type Reply } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import type { Passwords } from '../types.ts'
import { formatMs } from '../views/times.ts'

const BODY_BYTES_MAX = 256 * 1024
const PASSWORD_LENGTH_MIN = 8
const PASSWORD_LENGTH_MAX = 1_024
const NO_LOGIN =
  'the page has no password, so that everybody who reaches it may change everything; set a user and a password first'

export interface KeyRouteDeps {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly config: Pick<ConfigStore, 'current'>
  readonly grants: GrantStore
  readonly passwords: Passwords
}

/** Keys with a scope, and users of the page. */
export function keyRoutes(deps: KeyRouteDeps): readonly Route[] {
  const { grants, config, passwords } = deps
  const listed = (kind: Grant['kind']) => () =>
    json(grants.all.filter((grant) => grant.kind === kind).map((grant) => grantJson(grants, grant)))
  return bind(KEY_ROUTES, {
    'GET /rest/twinfold/keys': listed('key'),
    'POST /rest/twinfold/keys': async ({ request }) => {
      const { body } = KEY_ROUTES['POST /rest/twinfold/keys']
      const wanted = readBody(body, parseJson(await request.body(BODY_BYTES_MAX)))
      const { grant, key } = await grants.addKey(wantedGrant(deps, wanted))
      return json({ ...grantJson(grants, grant), key } satisfies NewKeyJson)
    },
    'DELETE /rest/twinfold/keys/:id': ({ id }) => revoke(grants, 'key', id),
    'GET /rest/twinfold/users': listed('user'),
    'POST /rest/twinfold/users': async ({ request }) => {
      const { body } = KEY_ROUTES['POST /rest/twinfold/users']
      const { password, ...wanted } = readBody(body, parseJson(await request.body(BODY_BYTES_MAX)))
      const { gui } = config.current
      if (gui.authMode === 'ldap' || !isAuthOn(gui)) throw new TwinfoldError('refused', NO_LOGIN)
      if (wanted.name === gui.user) throw new TwinfoldError('bad-request', `${wanted.name} is the owner of the page`)
      if (password.length < PASSWORD_LENGTH_MIN || password.length > PASSWORD_LENGTH_MAX) {
        const range = `${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX}`
        throw new TwinfoldError('bad-request', `password must be ${range} characters`)
      }
      const grant = wantedGrant(deps, wanted)
      return json(grantJson(grants, await grants.addUser(grant, await passwords.hash(password))))
    },
    'DELETE /rest/twinfold/users/:id': ({ id }) => revoke(grants, 'user', id),
  })
}

interface Wanted {
  readonly name: string
  readonly scope: Grant['scope']
  readonly folders?: readonly string[] | undefined
  readonly expires?: string | undefined
}

/** Throws `bad-request` for a folder that there is not: a misspelt one would show nothing. */
function wantedGrant({ clock, config }: KeyRouteDeps, wanted: Wanted): Omit<NewGrant, 'kind'> {
  const { name, scope, folders, expires } = wanted
  const known = new Set<string>(config.current.folders.map(({ id }) => id))
  const unknown = folders?.find((id) => parseFolderId(id) === undefined || !known.has(id))
  if (unknown !== undefined) throw new TwinfoldError('bad-request', `there is no folder ${unknown}`)
  const lifetimeMs = expires === undefined ? undefined : parseExpiry(expires)
  if (expires !== undefined && lifetimeMs === undefined) {
    throw new TwinfoldError('bad-request', 'expires must be a number of hours, days, weeks or years, such as 90d')
  }
  return {
    name,
    scope,
    folders: folders === undefined ? undefined : new Set(folders),
    expiresMs: lifetimeMs === undefined ? undefined : clock.nowMs() + lifetimeMs,
  }
}

async function revoke(grants: GrantStore, kind: Grant['kind'], name: string): Promise<Reply> {
  if (await grants.revoke(kind, name)) return EMPTY_OK
  throw new TwinfoldError('file-missing', `there is no ${kind} ${name}`)
}

function grantJson(grants: GrantStore, grant: Grant): GrantJson {
  const { name, scope, folders, createdMs, expiresMs } = grant
  const lastUseMs = grants.lastUseMs(grant)
  return {
    name,
    scope,
    folders: folders === undefined ? null : [...folders],
    created: formatMs(createdMs),
    expires: expiresMs === undefined ? null : formatMs(expiresMs),
    lastUsed: lastUseMs === undefined ? null : formatMs(lastUseMs),
  }
}
