/** A failed connection: `code` of the system for programs, the message for users. */
export class NetError extends Error {
  override readonly name = 'NetError'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(`${code}: ${message}`, options)
    this.code = code
  }
}

/** For calls on a stream after it was closed on this side. */
export function hungUp(): NetError {
  return new NetError('ECONNABORTED', 'the connection was closed on this side')
}
