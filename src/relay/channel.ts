import { detach } from '../core/errors.ts'
import { deviceIdFromCertificate } from '../core/device-id.ts'
import type { RelayAddress } from '../core/network/address.ts'
import { hostOf } from '../core/network/ip.ts'
import {
  decodeRelayHeader,
  decodeRelayPayload,
  encodeRelayMessage,
  RELAY_HEADER_BYTES,
  type RelayMessage,
} from '../core/network/relay-message.ts'
import type { Dialer } from '../dialer/dialer.ts'
import { relayError } from '../platform/net-error.ts'
import type { TlsStream } from '../platform/net.ts'

const PROTOCOL = 'bep-relay'

/** Messages between this device and a relay. */
export class RelayChannel implements AsyncDisposable {
  readonly #stream: TlsStream
  #held: Uint8Array = new Uint8Array()

  constructor(stream: TlsStream) {
    this.#stream = stream
  }

  /** The address of this machine that the channel uses. */
  get localHost(): string | undefined {
    return this.#stream.localHost
  }

  async send(message: RelayMessage): Promise<void> {
    await this.#stream.write(encodeRelayMessage(message))
  }

  /** The next message. Rejects when the relay has ended, and with the signal's reason; then the channel is closed. */
  async receive(signal: AbortSignal): Promise<RelayMessage> {
    const onAbort = (): void => detach(this.#stream[Symbol.asyncDispose]())
    signal.addEventListener('abort', onAbort)
    try {
      signal.throwIfAborted()
      const { kind, payloadBytes } = decodeRelayHeader(await this.#take(RELAY_HEADER_BYTES))
      return decodeRelayPayload(kind, await this.#take(payloadBytes))
    } catch (error) {
      signal.throwIfAborted() // the reason, instead of the closed stream
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stream[Symbol.asyncDispose]()
  }

  async #take(count: number): Promise<Uint8Array> {
    while (this.#held.length < count) {
      const chunk = await this.#stream.read()
      if (chunk === undefined) throw relayError('ECONNRESET', 'the relay closed the connection')
      this.#held = Buffer.concat([this.#held, chunk])
    }
    const taken = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(count)
    return taken
  }
}

/** A channel to a relay, and the host of its sessions. Checks the identity of the relay if its address has one. */
export async function openChannel(
  dialer: Dialer,
  relay: RelayAddress,
  signal: AbortSignal,
): Promise<{ readonly channel: RelayChannel; readonly host: string }> {
  const stream = await dialer.dialServer(relay, PROTOCOL, signal)
  const id = deviceIdFromCertificate(stream.peerCertificate)
  if (relay.id !== undefined && (id !== relay.id || stream.certificateCount !== 1)) {
    await stream[Symbol.asyncDispose]()
    throw relayError('EPROTO', `the relay has the ID ${id} instead of the one in its address`)
  }
  // A name may have several addresses, of which the session needs the same; behind a proxy there is only the name.
  const host = dialer.proxyFor(relay.host) !== undefined ? relay.host : hostOf(stream.remoteAddress)
  return { channel: new RelayChannel(stream), host }
}
