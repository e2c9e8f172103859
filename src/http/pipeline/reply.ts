import type { Clock } from '../../platform/clock.ts'
import type { HttpReply } from '../../platform/http.ts'
import { formatJson } from './json.ts'

/** The reply of a route; the pipeline adds the common headers. */
export interface Reply {
  readonly status: number
  readonly contentType?: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: NonNullable<HttpReply['body']>
}

export const JSON_TYPE = 'application/json; charset=utf-8'
export const TEXT_TYPE = 'text/plain; charset=utf-8'

/** Success without content: 200 and not 204, as clients expect. */
export const EMPTY_OK: Reply = { status: 200 }

export function json(value: unknown): Reply {
  return { status: 200, contentType: JSON_TYPE, body: formatJson(value) }
}

/** JSON that is formatted in pieces: other requests are served in between. A single piece is sent with its length. */
export function jsonPieces(
  pieces: Iterator<string, void, undefined>,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): Reply {
  const [first, second] = [pieces.next(), pieces.next()]
  if (second.done === true) return { status: 200, contentType: JSON_TYPE, body: first.value ?? '' }
  return { status: 200, contentType: JSON_TYPE, body: inTurns([first, second], pieces, clock, signal) }
}

async function* inTurns(
  first: readonly IteratorResult<string, void>[],
  rest: Iterator<string, void, undefined>,
  clock: Pick<Clock, 'sleep'>,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  for (const { value } of first) yield value ?? ''
  for (let next = rest.next(); next.done !== true; next = rest.next()) {
    yield next.value
    await clock.sleep(0, signal)
  }
}

export function text(status: number, message: string): Reply {
  return { status, contentType: TEXT_TYPE, body: `${message}\n` }
}

export const NOT_FOUND: Reply = text(404, '404 page not found')

/** Redirects to the canonical path. GET gets an HTML body for browsers, other methods none. */
export function redirectTo(location: string, method: string): Reply {
  if (method !== 'GET') return { status: 307, headers: { Location: location } }
  const body = `<a href="${escapeHtml(location)}">Moved Permanently</a>.\n\n`
  return { status: 301, contentType: 'text/html; charset=utf-8', headers: { Location: location }, body }
}

export function escapeHtml(value: string): string {
  return value.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
