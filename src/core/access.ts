import { parseDuration } from './duration.ts'
import { TwinfoldError } from './errors.ts'

/** What a key or a session may do; each scope includes those before it. */
export const SCOPES = ['monitor', 'operate', 'admin'] as const

export type Scope = (typeof SCOPES)[number]

/** Folders by id; undefined: all folders. */
export type FolderLimit = ReadonlySet<string> | undefined

/** A key of a program, or a user of the page beside its owner. Only a hash of its secret is stored. */
export interface Grant {
  readonly kind: 'key' | 'user'
  readonly name: string
  readonly scope: Scope
  readonly folders: FolderLimit
  readonly createdMs: number
  readonly expiresMs: number | undefined
  /** Of a key its SHA-256, of a user the hash of the password. */
  readonly secretHash: string
}

export type NewGrant = Pick<Grant, 'kind' | 'name' | 'scope' | 'folders' | 'expiresMs'>

/** What a route needs. */
export interface RouteNeeds {
  readonly scope: Scope | 'open'
  /** Fields of the body that `operate` may change where nothing else is in it. */
  readonly operable: readonly string[]
  readonly wholeDevice: boolean
}

const GRANTS_MAX = 100
const FOLDERS_MAX = 1_000
const NAME = /^[A-Za-z0-9][A-Za-z0-9._@-]{0,63}$/

function isScope(text: unknown): text is Scope {
  return SCOPES.some((scope) => scope === text)
}

/** A duration such as `90d`: hours, days, weeks or years. */
export function parseExpiry(text: string): number | undefined {
  const durationMs = parseDuration(text, 'hdwy')
  return durationMs === 0 ? undefined : durationMs
}

/** Throws `bad-request` for a grant that may not be added to the others. */
export function checkNewGrant(grants: readonly Grant[], { kind, name, scope, folders }: NewGrant): void {
  if (!NAME.test(name)) {
    throw new TwinfoldError('bad-request', 'name must be 1 to 64 letters, digits and . _ @ -, a letter or digit first')
  }
  if (grants.some((each) => each.kind === kind && each.name === name)) {
    throw new TwinfoldError('bad-request', `there is a ${kind} ${name} already; revoke it first, or use another name`)
  }
  if (grants.length >= GRANTS_MAX)
    throw new TwinfoldError('bad-request', `there are ${GRANTS_MAX} already; revoke some`)
  if (folders === undefined) return
  if (folders.size === 0 || folders.size > FOLDERS_MAX) {
    throw new TwinfoldError('bad-request', `folders must be 1 to ${FOLDERS_MAX}, or absent for all of them`)
  }
  if (scope === 'admin') {
    throw new TwinfoldError(
      'bad-request',
      'admin may change every folder: use operate or monitor to limit it to folders',
    )
  }
}

export function isExpired({ expiresMs }: Pick<Grant, 'expiresMs'>, nowMs: number): boolean {
  return expiresMs !== undefined && expiresMs <= nowMs
}

export function isFolderVisible(limit: FolderLimit, folder: string): boolean {
  return limit === undefined || limit.has(folder)
}

/** Whether only the named fields of the body decide about a request. */
export function dependsOnBody({ scope }: Grant, needs: RouteNeeds): boolean {
  return needs.scope === 'admin' && scope === 'operate' && needs.operable.length > 0
}

/** Why a route is refused, with the remedy; undefined if it may be used. `folders` are those that a request names. */
export function refusalOf(grant: Grant, needs: RouteNeeds, folders: readonly string[]): string | undefined {
  const { kind, name, scope, folders: limit } = grant
  if (needs.scope === 'open') return undefined
  const isEnough = SCOPES.indexOf(scope) >= SCOPES.indexOf(needs.scope) || dependsOnBody(grant, needs)
  if (!isEnough) {
    const needed = needs.scope === 'admin' && needs.operable.length > 0 ? `operate or ${needs.scope}` : needs.scope
    return `the ${kind} ${name} has the scope ${scope}; this needs ${needed}`
  }
  if (limit === undefined) return undefined
  const only = `the ${kind} ${name} is limited to folders`
  if (needs.wholeDevice) return `${only}; this acts on the whole device`
  return folders.every((folder) => limit.has(folder)) ? undefined : `${only}, and this is not one of them`
}

/** Why the body of a request is refused, where the scope alone does not decide. */
export function bodyRefusalOf({ kind, name }: Grant, { operable }: RouteNeeds, body: unknown): string | undefined {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  if (isObject && Object.keys(body).every((field) => operable.includes(field))) return undefined
  return `the ${kind} ${name} has the scope operate, which may change ${operable.join(', ')} only; this needs admin`
}

/** The fields of the file of keys. Throws `config-invalid` for what cannot be read. */
export function parseGrants(value: unknown): readonly Grant[] {
  const list = Object(value)['grants']
  if (!Array.isArray(list)) throw new TwinfoldError('config-invalid', 'grants is not a list')
  return list.map((fields: unknown, i) => parseGrant(Object(fields), `grants[${i}]`))
}

function parseGrant(fields: Readonly<Record<string, unknown>>, place: string): Grant {
  const { kind, name, scope, folders, created, expires, secretHash } = fields
  const fail = (field: string) => new TwinfoldError('config-invalid', `${place}.${field} is not valid`)
  if (kind !== 'key' && kind !== 'user') throw fail('kind')
  if (typeof name !== 'string' || !NAME.test(name)) throw fail('name')
  if (!isScope(scope)) throw fail('scope')
  if (typeof secretHash !== 'string' || secretHash === '') throw fail('secretHash')
  const isList = Array.isArray(folders) && folders.every((id) => typeof id === 'string')
  if (folders !== undefined && !isList) throw fail('folders')
  const [createdMs, expiresMs] = [parseTime(created), expires === undefined ? undefined : parseTime(expires)]
  if (createdMs === undefined) throw fail('created')
  if (expires !== undefined && expiresMs === undefined) throw fail('expires')
  return { kind, name, scope, folders: isList ? new Set<string>(folders) : undefined, createdMs, expiresMs, secretHash }
}

function parseTime(text: unknown): number | undefined {
  const timeMs = typeof text === 'string' ? Date.parse(text) : Number.NaN
  return Number.isNaN(timeMs) ? undefined : timeMs
}

/** Times of last use by kind and name; what cannot be read is unknown. */
export function parseLastUses(value: unknown): ReadonlyMap<string, number> {
  const uses = Object.entries(Object(Object(value)['lastUses'])).map(([id, text]) => [id, parseTime(text)] as const)
  return new Map(uses.filter((pair): pair is [string, number] => pair[1] !== undefined))
}

export function grantFields(grants: readonly Grant[], lastUses: ReadonlyMap<string, number>): unknown {
  return {
    grants: grants.map(({ kind, name, scope, folders, createdMs, expiresMs, secretHash }) => ({
      kind,
      name,
      scope,
      ...(folders !== undefined && { folders: [...folders] }),
      created: new Date(createdMs).toISOString(),
      ...(expiresMs !== undefined && { expires: new Date(expiresMs).toISOString() }),
      secretHash,
    })),
    lastUses: Object.fromEntries([...lastUses].map(([id, timeMs]) => [id, new Date(timeMs).toISOString()])),
  }
}
