import { messageOf, systemCode } from '../errors.ts'

/** Why an address did not lead to a connection, for programs. */
export type DialReason =
  | 'bad-address'
  | 'disabled'
  | 'name-not-found'
  | 'network-not-allowed'
  | 'not-a-device'
  | 'not-added'
  | 'not-on-relay'
  | 'other'
  | 'proxy'
  | 'refused'
  | 'rejected'
  | 'timeout'
  | 'unreachable'
  | 'unsupported'
  | 'wrong-device'

export interface DialFailure {
  readonly reason: DialReason
  /** For users. */
  readonly text: string
}

/** A failure whose reason is known where it happens. */
export class DialError extends Error implements DialFailure {
  override readonly name = 'DialError'
  readonly reason: DialReason

  constructor(reason: DialReason, message: string) {
    super(message)
    this.reason = reason
  }

  get text(): string {
    return this.message
  }
}

const BY_CODE: Readonly<Record<string, DialFailure>> = {
  ECONNREFUSED: { reason: 'refused', text: 'connection refused: no program listens there' },
  ETIMEDOUT: { reason: 'timeout', text: 'timed out: no answer from this address' },
  EHOSTUNREACH: { reason: 'unreachable', text: 'unreachable: no route to this address' },
  ENETUNREACH: { reason: 'unreachable', text: 'unreachable: no route to this network' },
  EADDRNOTAVAIL: { reason: 'unreachable', text: 'unreachable: this machine has no such kind of address' },
  ENOTFOUND: { reason: 'name-not-found', text: 'the host name was not found' },
  EAI_AGAIN: { reason: 'name-not-found', text: 'the host name could not be looked up' },
  ECONNRESET: { reason: 'rejected', text: 'the connection was closed by the other side' },
  EPIPE: { reason: 'rejected', text: 'the connection was closed by the other side' },
  EHOSTDOWN: { reason: 'not-on-relay', text: 'the device is not connected to this relay' },
}

/** The reason of a failed dial in plain words. */
export function describeFailure(error: unknown): DialFailure {
  if (error instanceof DialError) return { reason: error.reason, text: error.text }
  const text = messageOf(error)
  const origin = originOf(error)
  if (origin === 'proxy') return { reason: 'proxy', text }
  // The refusal of a relay is its own, and says more than the code.
  if (origin === 'relay' && systemCode(error) !== 'EHOSTDOWN') return { reason: 'other', text }
  const code = systemCode(error) ?? ''
  const known = Object.hasOwn(BY_CODE, code) ? BY_CODE[code] : undefined
  if (known !== undefined) return known
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_')) {
    return { reason: 'not-a-device', text: `no encrypted connection with a device is possible: ${text}` }
  }
  return { reason: 'other', text }
}

/** Who reported a failed connection, where that is not the other end. */
function originOf(error: unknown): unknown {
  return error instanceof Error && 'origin' in error ? error.origin : undefined
}
