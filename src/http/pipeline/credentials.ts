import { timingSafeEqual } from 'node:crypto'
import type { HttpRequest } from '../../platform/http.ts'

/** Longer than any real user name or password; larger ones are not kept in memory while logins wait. */
export const CREDENTIAL_LENGTH_MAX = 1_024
/** Both in UTF-8 and base64. */
const BASIC_LENGTH_MAX = 16 * 1_024

export interface Credentials {
  readonly username: string
  readonly password: string
}

/** The one value of a header that may appear once. */
export function headerOf(request: HttpRequest, name: string): string | undefined {
  const value = request.headers[name]
  return typeof value === 'string' ? value : value?.[0]
}

/** Compares in constant time. An empty secret matches nothing. */
export function equalsSecret(given: string, secret: Uint8Array): boolean {
  if (secret.length === 0) return false
  const bytes = Buffer.from(given)
  const sameLength = bytes.length === secret.length
  return timingSafeEqual(sameLength ? bytes : secret, secret) && sameLength
}

/** Whether `X-API-Key` or `Authorization: Bearer` carries one of the keys; one match is enough. */
export function hasApiKey(request: HttpRequest, keys: readonly Uint8Array[]): boolean {
  const direct = headerOf(request, 'x-api-key')
  if (direct !== undefined && matchesAny(direct, keys)) return true
  const authorization = headerOf(request, 'authorization')
  if (authorization === undefined || authorization.length < 7 || authorization.slice(0, 7).toLowerCase() !== 'bearer ')
    return false
  return matchesAny(authorization.slice(7), keys)
}

/** Whether one of the keys is the password of HTTP Basic, with any user: for programs that know no other header. */
export function hasKeyAsPassword(request: HttpRequest, keys: readonly Uint8Array[]): boolean {
  return basicCredentials(request).some(({ password }) => matchesAny(password, keys))
}

/** The keys that a request carries, in any form: as `X-API-Key`, `Authorization: Bearer`, or password of HTTP Basic. */
export function keysIn(request: HttpRequest, options: { readonly basic: boolean }): readonly string[] {
  const direct = headerOf(request, 'x-api-key')
  const authorization = headerOf(request, 'authorization')
  const isBearer = authorization?.slice(0, 7).toLowerCase() === 'bearer '
  const passwords = options.basic ? basicCredentials(request).map(({ password }) => password) : []
  return [direct, isBearer ? authorization?.slice(7) : undefined, ...passwords].filter((key) => key !== undefined)
}

function matchesAny(given: string, keys: readonly Uint8Array[]): boolean {
  let matches = false
  for (const key of keys) if (equalsSecret(given, key)) matches = true
  return matches
}

/** The decodings of HTTP Basic. Browsers differ whether it is UTF-8 or ISO-8859-1: both are tried, in this order. */
export function basicCredentials(request: HttpRequest): readonly Credentials[] {
  const authorization = headerOf(request, 'authorization')
  if (authorization === undefined || authorization.length > BASIC_LENGTH_MAX) return []
  if (authorization.slice(0, 6).toLowerCase() !== 'basic ') return []
  const bytes = Buffer.from(authorization.slice(6), 'base64')
  const readings = new Set([decodeUtf8(bytes), bytes.toString('latin1')])
  return [...readings].flatMap((reading) => {
    const colon = reading?.indexOf(':') ?? -1
    if (reading === undefined || colon < 0) return []
    return [{ username: reading.slice(0, colon), password: reading.slice(colon + 1) }]
  })
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined // the other encoding is tried
  }
}

/** All values of the cookies of that name: a browser may send several, from several paths. */
export function cookieValues(request: HttpRequest, name: string): readonly string[] {
  const header = headerOf(request, 'cookie')
  if (header === undefined || !header.includes(name)) return []
  return header.split(';').flatMap((pair) => {
    const mark = pair.indexOf('=')
    return mark > 0 && pair.slice(0, mark).trim() === name ? [pair.slice(mark + 1).trim()] : []
  })
}
