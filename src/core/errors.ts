/** The error codes that callers may distinguish. Users read the message, programs the code. */
export type ErrorCode =
  | 'bad-request'
  | 'config-invalid'
  | 'config-newer'
  | 'config-unsaved'
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
  | 'home-locked'
  | 'identity-invalid'
  | 'ignore-invalid'
  | 'item-failed'
  | 'password-unavailable'
  | 'path-escapes-folder'
  | 'port-taken'
  | 'stopped'
  | 'too-many-logins'
  | 'upgrade-failed'
  | 'upgrade-off'
  | 'usage'

/** An error with an external cause. A bug is an assertion, not a TwinfoldError. */
export class TwinfoldError extends Error {
  override readonly name = 'TwinfoldError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
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
