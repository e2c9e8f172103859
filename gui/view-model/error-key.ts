import type { TextKey } from '../i18n/texts.ts'
import { causeOf, diskCauseOf } from '../../src/core/remedies/cause.ts'

/** A code of the system, as Node puts it into messages. */
const CODE = /\bE[A-Z][A-Z0-9_]+\b/
const CODE_PREFIX = /\b(?:\w+ )?E[A-Z][A-Z0-9_]+(?:: |\b)/g
/** The call and the path that Node appends. */
const CALL_SUFFIX = /, (?:\w+)(?: '[^']*'(?: -> '[^']*')?)?$/

/** The order matters: the system reports an exceeded limit of watches as a full disk. */
const OF_SYSTEM: readonly (readonly [RegExp, TextKey])[] = [
  [/inotify|max_user_watches|file watchers/i, 'error.watches'],
  [/EADDRINUSE|address already in use/i, 'error.inUse'],
  [/EADDRNOTAVAIL/, 'error.noAddress'],
  [/ECONNREFUSED|connection refused/i, 'dial.refused'],
  [/ETIMEDOUT|\btimed out\b/i, 'dial.timeout'],
  [/EHOSTUNREACH|ENETUNREACH/, 'dial.unreachable'],
  [/ENOTFOUND|EAI_AGAIN/, 'dial.name-not-found'],
  [/ENOENT/, 'cause.missing'],
]

/** The text for a message of the system; undefined for one in words of its own. */
export function errorKey(message: string): TextKey | undefined {
  const found = OF_SYSTEM.find(([pattern]) => pattern.test(message))?.[1]
  if (found !== undefined) return found
  const cause = CODE.test(message) ? (diskCauseOf(message) ?? causeOf(message)) : undefined
  return cause === undefined || cause === 'other' ? undefined : `cause.${cause}`
}

/** The message without codes, calls and paths of the system. */
export function withoutCodes(message: string): string {
  if (!CODE.test(message)) return message
  const plain = message.replace(CALL_SUFFIX, '').replaceAll(CODE_PREFIX, '').trim()
  return plain === '' ? message : plain
}
