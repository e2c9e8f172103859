import { TwinfoldError, type ErrorCode } from '../../core/errors.ts'

const UNUSABLE: ReadonlySet<ErrorCode> = new Set(['database-newer', 'database-unavailable', 'disk-full'])

/** The index was damaged; the store has replaced it with an empty one. */
export function isIndexDamage(error: unknown): boolean {
  return error instanceof TwinfoldError && error.code === 'database-damaged'
}

/** The index cannot be opened, read or written, and its content is unknown until it can. */
export function isIndexUnusable(error: unknown): boolean {
  return error instanceof TwinfoldError && UNUSABLE.has(error.code)
}
