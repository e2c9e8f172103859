import { messageOf, systemCode, TwinfoldError, type ErrorCode } from '../../core/errors.ts'
import type { RouteErrors } from '../../rest/declaration.ts'
import { TooManyLogins } from './login-throttle.ts'
import { text, type Reply } from './reply.ts'

/** The default status of each error. Errors of the model are 500. */
const STATUS: Partial<Record<ErrorCode, number>> = {
  'bad-request': 400,
  'path-escapes-folder': 400,
  forbidden: 403,
  usage: 400,
  'password-unavailable': 503,
  'too-many-logins': 429,
}

/** The texts of folder errors, which clients compare. */
const TEXTS: Partial<Record<ErrorCode, string>> = {
  'folder-missing': 'no such folder',
  'folder-paused': 'folder is paused',
  'folder-not-running': 'folder is not running',
  stopped: 'context canceled',
}

/** The reply to an expected error; undefined for any other, which is only logged. */
export function errorReply(error: unknown, special: RouteErrors): Reply | undefined {
  const code = systemCode(error)
  if (code === 'body-too-large') return text(413, 'Request Entity Too Large')
  if (code === 'body-incomplete') return text(400, 'unexpected end of the request body')
  if (!(error instanceof TwinfoldError)) return undefined
  const own = special[error.code]
  const reply = text(own?.status ?? STATUS[error.code] ?? 500, own?.text ?? TEXTS[error.code] ?? messageOf(error))
  return error instanceof TooManyLogins ? { ...reply, headers: { 'Retry-After': `${error.retryAfterS}` } } : reply
}
