import {
  decodeRelayHeader,
  decodeRelayPayload,
  encodeRelayMessage,
  RELAY_HEADER_BYTES,
  RELAY_SUCCESS,
  type SessionInvitation,
} from '../core/network/relay-message.ts'
import { sessionHost } from '../core/network/session-host.ts'
import type { Dialer } from '../dialer/dialer.ts'
import type { Clock } from '../platform/clock.ts'
import { relayError } from '../platform/net-error.ts'
import type { Identity, PlainStream, TlsStream } from '../platform/net.ts'
import { withTimeout } from '../sync/timeout.ts'

const SESSION_MS_MAX = 10_000

export interface SessionDeps {
  readonly clock: Clock
  readonly dialer: Dialer
  readonly identity: Identity
}

/** Meets the other device at the relay. The result is encrypted between the two devices; the relay cannot read it. */
export async function joinSession(
  { clock, dialer, identity }: SessionDeps,
  invitation: SessionInvitation,
  relay: { readonly host: string; readonly allowTls12: boolean },
  signal: AbortSignal,
): Promise<TlsStream> {
  const { address, port, key, isServer } = invitation
  if (port === 0) throw relayError('EPROTO', 'the relay named no port')
  return await withTimeout(clock, SESSION_MS_MAX, signal, async (until) => {
    const stream = await dialer.dialTcp({ host: sessionHost(address, relay.host), port }, until)
    try {
      await stream.write(encodeRelayMessage({ kind: 'join-session', key }))
      await expectSuccess(stream, until)
      return await stream.secure(isServer ? 'server' : 'client', { identity, allowTls12: relay.allowTls12 }, until)
    } catch (error) {
      await stream[Symbol.asyncDispose]()
      throw error
    }
  })
}

async function expectSuccess(stream: PlainStream, signal: AbortSignal): Promise<void> {
  const { kind, payloadBytes } = decodeRelayHeader(await stream.take(RELAY_HEADER_BYTES, signal))
  const reply = decodeRelayPayload(kind, await stream.take(payloadBytes, signal))
  if (reply.kind !== 'response') throw relayError('EPROTO', `unexpected message of the relay: ${reply.kind}`)
  if (reply.code !== RELAY_SUCCESS) throw relayError('ECONNREFUSED', `the relay refused the session: ${reply.message}`)
}
