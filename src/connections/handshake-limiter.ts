import { NetError } from '../platform/net-error.ts'
import type { TlsStream } from '../platform/net.ts'

/** Unknown devices that have not said their Hello yet. When it is full the oldest goes: an honest one takes a moment. */
const STRANGERS_MAX = 64
/** More than any device needs to come in by all its ways at once; whoever holds its key may be broken all the same. */
const PER_DEVICE_MAX = 16

/** Says our Hello and hears theirs. Rejects when the signal aborts, or after a time of its own. */
type Talk<T> = (signal: AbortSignal) => Promise<T>

/** Those who have shown a certificate and are about to say Hello. None of them keeps another one waiting. */
export class HandshakeLimiter {
  readonly #strangers = new Map<TlsStream, AbortController>()
  readonly #known = new Map<string, number>()

  async receiveStranger<T>(stream: TlsStream, signal: AbortSignal, talk: Talk<T>): Promise<T> {
    for (const [oldest, cut] of this.#strangers) {
      if (this.#strangers.size < STRANGERS_MAX) break
      this.#strangers.delete(oldest)
      cut.abort(new NetError('EBUSY', 'too many strangers at once'))
    }
    const cut = new AbortController()
    this.#strangers.set(stream, cut)
    try {
      return await talk(AbortSignal.any([signal, cut.signal]))
    } finally {
      this.#strangers.delete(stream)
    }
  }

  async receiveKnown<T>(device: string, signal: AbortSignal, talk: Talk<T>): Promise<T> {
    const count = this.#known.get(device) ?? 0
    if (count >= PER_DEVICE_MAX) throw new NetError('EBUSY', 'too many connections of this device at once')
    this.#known.set(device, count + 1)
    try {
      return await talk(signal)
    } finally {
      const left = (this.#known.get(device) ?? 1) - 1
      if (left > 0) this.#known.set(device, left)
      else this.#known.delete(device)
    }
  }
}
