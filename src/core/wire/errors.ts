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
