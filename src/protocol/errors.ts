import type { RefusalCode } from './types.ts'

/**
 * What a peer did against the protocol. `malformed` is noise that nobody can answer: the connection is dropped.
 * `violation` is a clear message that breaks a rule: the peer is told the reason before we hang up.
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

/** The peer answered, and the answer is no. */
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
