import { NetError } from '../platform/net-error.ts'
import type { TlsStream } from '../platform/net.ts'

/** Unknown devices whose Hello is pending. At the limit the oldest is dropped: a valid handshake is short. */
const UNKNOWN_MAX = 64
/** More than a device needs to connect through all its addresses at once; bounds the cost of a faulty one. */
const PER_DEVICE_MAX = 16

/** Exchanges Hellos. Rejects when the signal aborts, or after its own timeout. */
type Exchange<T> = (signal: AbortSignal) => Promise<T>

/** Limits handshakes between the TLS certificate and the Hello. No handshake blocks another one. */
export class HandshakeLimiter {
  readonly #unknown = new Map<TlsStream, AbortController>()
  readonly #known = new Map<string, number>()

  async limitUnknown<T>(stream: TlsStream, signal: AbortSignal, exchange: Exchange<T>): Promise<T> {
    for (const [oldest, drop] of this.#unknown) {
      if (this.#unknown.size < UNKNOWN_MAX) break
      this.#unknown.delete(oldest)
      drop.abort(new NetError('EBUSY', 'too many handshakes of unknown devices'))
    }
    const drop = new AbortController()
    this.#unknown.set(stream, drop)
    try {
      return await exchange(AbortSignal.any([signal, drop.signal]))
    } finally {
      this.#unknown.delete(stream)
    }
  }

  async limitKnown<T>(device: string, signal: AbortSignal, exchange: Exchange<T>): Promise<T> {
    const count = this.#known.get(device) ?? 0
    if (count >= PER_DEVICE_MAX) throw new NetError('EBUSY', 'too many handshakes of this device')
    this.#known.set(device, count + 1)
    try {
      return await exchange(signal)
    } finally {
      const left = (this.#known.get(device) ?? 1) - 1
      if (left > 0) this.#known.set(device, left)
      else this.#known.delete(device)
    }
  }
}
