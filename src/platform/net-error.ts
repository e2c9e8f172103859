interface NetErrorOptions extends ErrorOptions {
  /** Who reported it, where that is not the other end. */
  readonly origin?: 'proxy' | 'relay'
}

/** A failed connection: `code` of the system for programs, the message for users. */
export class NetError extends Error {
  override readonly name = 'NetError'
  readonly code: string
  readonly origin: 'proxy' | 'relay' | undefined

  constructor(code: string, message: string, options?: NetErrorOptions) {
    super(`${code}: ${message}`, options)
    this.code = code
    this.origin = options?.origin
  }
}

export function proxyError(code: string, message: string): NetError {
  return new NetError(code, message, { origin: 'proxy' })
}

export function relayError(code: string, message: string): NetError {
  return new NetError(code, message, { origin: 'relay' })
}

/** For calls on a stream after it was closed on this side. */
export function closedHereError(): NetError {
  return new NetError('ECONNABORTED', 'the connection was closed on this side')
}
