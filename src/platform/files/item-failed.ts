import { systemCode, TwinfoldError, type ErrorDetail } from '../../core/errors.ts'

interface Failure {
  readonly cause?: unknown
  readonly detail?: ErrorDetail
}

/** An item that could not be written, with an error text for `GET /rest/folder/errors`. */
export function itemFailed(reason: string, { cause, detail }: Failure = {}): TwinfoldError {
  return new TwinfoldError('item-failed', reason, { detail, ...(cause !== undefined && { cause }) })
}

/** Whether an error concerns one item. Folder errors, index failures and bugs concern all. */
export function isItemFailure(error: unknown): boolean {
  if (error instanceof TwinfoldError) return error.code === 'item-failed'
  return DISK_CODE.test(systemCode(error) ?? '')
}

/**
 * `ENOSPC`, `EIO`; excludes codes of other parts of the runtime, such as the database. `UNKNOWN` is any error of
 * Windows that Node has no name for: of a virus scanner, of a file that is in a cloud only.
 */
const DISK_CODE = /^(?:E[A-Z0-9]+|UNKNOWN)$/
