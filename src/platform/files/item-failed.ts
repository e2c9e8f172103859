import { TwinfoldError } from '../../core/errors.ts'

/** An item that could not be written, with an error text for `GET /rest/folder/errors`. */
export function itemFailed(reason: string, cause?: unknown): TwinfoldError {
  return new TwinfoldError('item-failed', reason, cause === undefined ? {} : { cause })
}
