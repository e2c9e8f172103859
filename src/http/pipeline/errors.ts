import { messageOf, systemCode, TwinfoldError, type ErrorCode } from '../../core/errors.ts'
import type { RouteErrors } from '../../rest/declaration.ts'
import { text, type Reply } from './reply.ts'

/** The status of each refusal where a route says nothing else. The interface answers trouble in the hub with 500. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  'bad-request': 400,
  'path-escapes-folder': 400,
  usage: 400,
  'password-unavailable': 503,
}

/** Folder trouble in the exact words that clients compare. */
const WORDS: Partial<Record<ErrorCode, string>> = {
  'folder-missing': 'no such folder',
  'folder-paused': 'folder is paused',
  'folder-not-running': 'folder is not running',
  stopped: 'context canceled',
}

/** The reply to a refusal; undefined for what nobody foresaw, which stays private and goes to the log. */
export function errorReply(error: unknown, special: RouteErrors): Reply | undefined {
  const code = systemCode(error)
  if (code === 'body-too-large') return text(413, 'Request Entity Too Large')
  if (code === 'body-incomplete') return text(400, 'unexpected end of the request body')
  if (!(error instanceof TwinfoldError)) return undefined
  const own = special[error.code]
  return text(own?.status ?? STATUS[error.code] ?? 500, own?.words ?? WORDS[error.code] ?? messageOf(error))
}
