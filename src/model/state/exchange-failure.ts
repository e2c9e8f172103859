import { TwinfoldError, type ErrorCode } from '../../core/errors.ts'

const UNUSABLE: ReadonlySet<ErrorCode> = new Set(['database-newer', 'database-unavailable', 'disk-full'])

/** The token of a folder that is stored encrypted cannot be read or written: its password is unknown until it can. */
export function isTokenUnusable(error: unknown): boolean {
  return error instanceof TwinfoldError && error.code === 'token-unusable'
}

/** The folder cannot be exchanged with other devices until the cause is gone. */
export function preventsExchange(error: unknown): boolean {
  return isIndexUnusable(error) || isTokenUnusable(error)
}

/** The index was damaged; the store has replaced it with an empty one. */
export function isIndexDamage(error: unknown): boolean {
  return error instanceof TwinfoldError && error.code === 'database-damaged'
}

/** The index cannot be opened, read or written, and its content is unknown until it can. */
export function isIndexUnusable(error: unknown): boolean {
  return error instanceof TwinfoldError && UNUSABLE.has(error.code)
}
