import { NetError } from '../world/net-error.ts'
import type { Clock } from '../world/clock.ts'
import type { TlsStream } from '../world/net.ts'

const HELLO_MS_MAX = 20_000
/** Unknown devices that have not said their Hello yet. When it is full the oldest goes: an honest one takes a moment. */
const STRANGERS_MAX = 64
/** More than any device needs to come in by all its ways at once; whoever holds its key may be broken all the same. */
const PER_DEVICE_MAX = 16

/** Those who have shown a certificate and are about to say Hello. None of them keeps another one waiting. */
export class Reception {
  readonly #clock: Clock
  readonly #strangers = new Map<TlsStream, () => void>()
  readonly #known = new Map<string, number>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Rejects when the talk takes too long or is cut short; then the stream is closed. */
  async receiveStranger<T>(stream: TlsStream, signal: AbortSignal, talk: () => Promise<T>): Promise<T> {
    const cut = new AbortController()
    for (const [oldest, drop] of this.#strangers) {
      if (this.#strangers.size < STRANGERS_MAX) break
      this.#strangers.delete(oldest)
      drop()
    }
    this.#strangers.set(stream, () => cut.abort(new NetError('EBUSY', 'too many strangers at once')))
    try {
      return await this.#inTime(stream, AbortSignal.any([signal, cut.signal]), talk)
    } finally {
      this.#strangers.delete(stream)
    }
  }

  async receiveKnown<T>(device: string, stream: TlsStream, signal: AbortSignal, talk: () => Promise<T>): Promise<T> {
    const count = this.#known.get(device) ?? 0
    if (count >= PER_DEVICE_MAX) throw new NetError('EBUSY', 'too many connections of this device at once')
    this.#known.set(device, count + 1)
    try {
      return await this.#inTime(stream, signal, talk)
    } finally {
      const left = (this.#known.get(device) ?? 1) - 1
      if (left > 0) this.#known.set(device, left)
      else this.#known.delete(device)
    }
  }

  async #inTime<T>(stream: TlsStream, signal: AbortSignal, talk: () => Promise<T>): Promise<T> {
    signal.throwIfAborted()
    const done = new AbortController()
    const ended = Promise.withResolvers<never>()
    const onAbort = (): void => ended.reject(signal.reason)
    signal.addEventListener('abort', onAbort)
    this.#clock.sleep(HELLO_MS_MAX, done.signal).then(
      () => ended.reject(new NetError('ETIMEDOUT', 'no Hello came')),
      () => {}, // said in time
    )
    const talking = talk()
    try {
      return await Promise.race([talking, ended.promise])
    } catch (error) {
      talking.catch(() => {}) // it fails because we hang up
      await stream[Symbol.asyncDispose]()
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
      done.abort()
    }
  }
}
