import { messageOf, TwinfoldError } from '../../core/errors.ts'

/** The error that callers receive for a damaged database. */
export function damaged(reason: string, cause?: unknown): TwinfoldError {
  return new TwinfoldError('database-damaged', reason, cause === undefined ? undefined : { cause })
}

export function isDamaged(error: unknown): error is TwinfoldError {
  return error instanceof TwinfoldError && error.code === 'database-damaged'
}

const SQLITE_ERROR = 1
const SQLITE_IOERR = 10
const SQLITE_CORRUPT = 11
const SQLITE_FULL = 13
const SQLITE_CONSTRAINT = 19
const SQLITE_NOTADB = 26
const SQLITE_IOERR_SHORT_READ = 522
const SQLITE_IOERR_CORRUPTFS = 8458
/** Permissions, locks, missing directories, read-only disks: the content is not damaged. */
const UNAVAILABLE = new Set([3, 5, 6, 8, SQLITE_IOERR, 14, 15, 23])

/**
 * Classifies a database error: damaged content, a full disk, or an unreachable database. Any other error is a bug and
 * is returned unchanged. While opening, statements that do not match the tables also mean damage.
 */
export function explainError(error: unknown, path: string, opening: boolean): unknown {
  if (error instanceof TwinfoldError) return error
  // node:sqlite refuses to return numbers beyond 2^53, and we never write one.
  if (error instanceof RangeError && 'code' in error && error.code === 'ERR_OUT_OF_RANGE') {
    return damaged('it holds a number that was never written', error)
  }
  const code = sqliteCode(error)
  if (code === undefined) return error
  const reason = messageOf(error)
  switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    // Our own statements never violate a constraint, so two parts of the file are inconsistent.
    case SQLITE_CONSTRAINT:
      return damaged(reason, error)
    case SQLITE_ERROR:
      return opening ? damaged(reason, error) : error
    case SQLITE_FULL:
      return new TwinfoldError('disk-full', `no space left (ENOSPC) for the index database ${path}`, { cause: error })
    default:
      if (code === SQLITE_IOERR_SHORT_READ || code === SQLITE_IOERR_CORRUPTFS) return damaged(reason, error)
      if (!UNAVAILABLE.has(code & 0xff)) return error
      return new TwinfoldError('database-unavailable', `cannot use the index database ${path}: ${reason}`, {
        cause: error,
      })
  }
}

function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined
  return typeof error.errcode === 'number' ? error.errcode : undefined
}
