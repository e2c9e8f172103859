import type { RefusalCode } from './types.ts'

/**
 * A protocol error of the peer. `malformed` is data that cannot be parsed: the connection is dropped. `violation` is a
 * valid message that breaks a rule: a Close with the reason is sent first.
 */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError'
  readonly kind: 'malformed' | 'violation'

  constructor(kind: 'malformed' | 'violation', message: string, options?: ErrorOptions) {
    super(message, options)
    this.kind = kind
  }
}

export function malformed(message: string, options?: ErrorOptions): ProtocolError {
  return new ProtocolError('malformed', message, options)
}

export function violation(message: string): ProtocolError {
  return new ProtocolError('violation', message)
}

/** The peer responded with an error code. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly code: RefusalCode

  constructor(code: RefusalCode) {
    super(`the device refused the request: ${code}`)
    this.code = code
  }
}

/** Why a connection ended: the reason of its `closed` signal and of every promise that ended with it. */
export class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed'
}
