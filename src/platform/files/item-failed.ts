import { TwinfoldError, type ErrorDetail } from '../../core/errors.ts'

interface Failure {
  readonly cause?: unknown
  readonly detail?: ErrorDetail
}

/** An item that could not be written, with an error text for `GET /rest/folder/errors`. */
export function itemFailed(reason: string, { cause, detail }: Failure = {}): TwinfoldError {
  return new TwinfoldError('item-failed', reason, { detail, ...(cause !== undefined && { cause }) })
}
