/**
 * The error codes that callers may distinguish. Users read the message, programs the code. `bad-request`: a request of
 * a client is invalid. `forbidden`: its key may not do it. `refused`: a command, another device or a server does not
 * permit it.
 */
export type ErrorCode =
  | 'bad-request'
  | 'config-invalid'
  | 'config-newer'
  | 'config-unsaved'
  | 'content-encrypted'
  | 'content-unavailable'
  | 'database-damaged'
  | 'database-newer'
  | 'database-unavailable'
  | 'device-missing'
  | 'disk-full'
  | 'file-missing'
  | 'folder-error'
  | 'folder-missing'
  | 'folder-not-running'
  | 'folder-paused'
  | 'forbidden'
  | 'home-locked'
  | 'identity-invalid'
  | 'ignore-invalid'
  | 'item-failed'
  | 'password-unavailable'
  | 'path-escapes-folder'
  | 'port-taken'
  | 'refused'
  | 'stopped'
  | 'token-unusable'
  | 'too-many-logins'
  | 'upgrade-failed'
  | 'upgrade-off'
  | 'usage'

/**
 * What callers distinguish among errors of one code. `modified`: the item was changed since it was checked. `unserved`:
 * the devices that have the rest of a file went away or refused it. `no-source`: no connected device has the file.
 */
export type ErrorDetail = 'marker-missing' | 'modified' | 'no-source' | 'path-missing' | 'unserved'

interface TwinfoldErrorOptions extends ErrorOptions {
  readonly detail?: ErrorDetail | undefined
}

/** An error with an external cause. A bug is an assertion, not a TwinfoldError. */
export class TwinfoldError extends Error {
  override readonly name = 'TwinfoldError'
  readonly code: ErrorCode
  readonly detail: ErrorDetail | undefined

  constructor(code: ErrorCode, message: string, options?: TwinfoldErrorOptions) {
    super(message, options)
    this.code = code
    this.detail = options?.detail
  }
}

/** The detail of an error that has one. */
export function detailOf(error: unknown): ErrorDetail | undefined {
  return error instanceof TwinfoldError ? error.detail : undefined
}

/** For unreachable branches: checked by the compiler, throws at run time. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}

/** The system error code (`ENOENT`, `ENOSPC`); undefined for any other error. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

/** Whether the system reports that a path does not exist. */
export function isMissing(error: unknown): boolean {
  const code = systemCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** The message of an error of any kind. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/**
 * Lets work run whose end is not awaited, and which handles its own failures. One that escapes is a bug: the last
 * handler of the process reports it with its stack.
 */
export function detach(work: PromiseLike<unknown>): void {
  work.then(undefined, (error: unknown) => {
    throw error
  })
}
