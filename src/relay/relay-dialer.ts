import { RELAY_NOT_FOUND } from '../core/network/relay-message.ts'
import type { RelayAddress } from '../core/network/address.ts'
import type { DeviceId } from '../core/ids.ts'
import { relayError } from '../platform/net-error.ts'
import type { TlsStream } from '../platform/net.ts'
import { withTimeout } from '../sync/timeout.ts'
import { openChannel } from './channel.ts'
import { joinSession, type SessionDeps } from './session.ts'

const DIAL_MS_MAX = 10_000

/** Dials devices that have joined a relay. The token of a relay is not needed for that, and is not sent. */
export class RelayDialer {
  readonly #deps: SessionDeps

  constructor(deps: SessionDeps) {
    this.#deps = deps
  }

  /** Does not authenticate the device: the caller checks its certificate. */
  async dial(
    relay: RelayAddress,
    device: DeviceId,
    signal: AbortSignal,
    { allowTls12 = false }: { readonly allowTls12?: boolean } = {},
  ): Promise<TlsStream> {
    const { clock, dialer } = this.#deps
    return await withTimeout(clock, DIAL_MS_MAX, signal, async (until) => {
      const { channel, host } = await openChannel(dialer, relay, until)
      await using _channel = channel
      await channel.send({ kind: 'connect', device })
      const reply = await channel.receive(until)
      if (reply.kind === 'invitation') return await joinSession(this.#deps, reply, { host, allowTls12 }, until)
      if (reply.kind !== 'response') throw relayError('EPROTO', `unexpected message of the relay: ${reply.kind}`)
      throw reply.code === RELAY_NOT_FOUND
        ? relayError('EHOSTDOWN', 'the device is not connected to this relay')
        : relayError('ECONNREFUSED', `the relay refused: ${reply.message}`)
    })
  }
}
