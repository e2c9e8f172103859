import { TwinfoldError } from '../../core/errors.ts'

/**
 * A failure to pull a file after which the blocks in its temporary file are still of use: the devices that have the
 * rest went away or refused it, or the target was edited meanwhile. After any other failure (of the disk, of received
 * content) the temporary file is removed.
 */
class ResumableFailure extends TwinfoldError {
  constructor(reason: string, cause: unknown) {
    super('item-failed', reason, { cause })
  }
}

export function resumable(reason: string, cause: unknown): TwinfoldError {
  return new ResumableFailure(reason, cause)
}

export function isResumable(error: unknown): boolean {
  return error instanceof ResumableFailure
}
