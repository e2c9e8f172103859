import type { Clock } from '../clock.ts'
import { NetError } from '../net-error.ts'
import type { Identity, ListenOptions, Net, PlainStream, TlsStream } from '../net.ts'
import { derOf } from './certificate.ts'
import { SimHttpClient } from './http-client.ts'
import { SimWire, type SimEnd } from './net-stream.ts'
import { SimPlainStream } from './plain-stream.ts'
import { SimDatagrams } from './udp.ts'
import { NEVER } from '../../core/never.ts'

interface Listener {
  readonly certificate: Uint8Array
  readonly onStream: (stream: TlsStream) => void
}

const FIRST_FREE_PORT = 49_152
const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost'])

/**
 * The network of one simulated run: every machine gets its `Net` from `host`. Each chunk of a stream may have its own
 * delay: chunks of one stream keep their order, those of different streams do not. A partition stops bytes without an
 * error, as real ones do; a cut resets existing connections. No handshake is simulated: each side gets the certificate
 * of the other.
 */
export class SimNetwork {
  readonly #clock: Clock
  readonly #delayMs: () => number
  readonly #listeners = new Map<string, Listener>()
  readonly #plainListeners = new Map<string, (stream: SimPlainStream) => void>()
  #wires: { readonly pair: string; readonly wire: SimWire }[] = []
  readonly #partitions = new Set<string>()
  /** Ports that routers forward: the internal `host:port` by the external one. */
  readonly forwards = new Map<string, string>()
  #nextPort = FIRST_FREE_PORT
  /** The web servers that every machine reaches; a test adds them. */
  readonly web: SimHttpClient
  readonly datagrams: SimDatagrams
  #wakers = new Set<() => void>()

  constructor(clock: Clock, options: { readonly delayMs?: number | (() => number) } = {}) {
    this.#clock = clock
    this.web = new SimHttpClient(clock)
    const { delayMs = 0 } = options
    this.datagrams = new SimDatagrams((from, to) => this.#carry(from, to))
    this.#delayMs = typeof delayMs === 'number' ? () => delayMs : delayMs
  }

  /** The network of one machine. Its name is its address; 127.0.0.1 is itself. */
  host(name: string): Net {
    return {
      listenTls: async (options, onStream) => this.#listen(name, options, onStream),
      dialTls: ({ host, port, identity }, signal) => {
        return this.#dial(name, LOOPBACK.has(host) ? name : host, port, identity, signal)
      },
      dialTcp: ({ host, port }, signal) => this.#dialPlain(name, LOOPBACK.has(host) ? name : host, port, signal),
    }
  }

  /** Accepts connections without TLS, as servers other than devices do. */
  listenPlain(name: string, port: number, onStream: (stream: SimPlainStream) => void): AsyncDisposable {
    const address = `${name}:${port}`
    this.#plainListeners.set(address, onStream)
    return { [Symbol.asyncDispose]: async () => void this.#plainListeners.delete(address) }
  }

  /** Holds bytes between the two back until healed. */
  partition(a: string, b: string): void {
    this.#partitions.add(pairOf(a, b))
  }

  heal(a: string, b: string): void {
    this.#partitions.delete(pairOf(a, b))
    const wakers = this.#wakers
    this.#wakers = new Set()
    for (const wake of wakers) wake()
  }

  /** Every connection between the two fails now, on both sides. */
  cut(a: string, b: string): void {
    const pair = pairOf(a, b)
    for (const entry of this.#wires) if (entry.pair === pair) entry.wire.reset()
    this.#wires = this.#wires.filter((entry) => entry.pair !== pair)
  }

  /** The machine is off: its connections fail and its listeners are closed. */
  unplug(name: string): void {
    const isItsOwn = ({ pair }: { readonly pair: string }): boolean => pair.split(' ').includes(name)
    for (const entry of this.#wires) if (isItsOwn(entry)) entry.wire.reset()
    this.#wires = this.#wires.filter((entry) => !isItsOwn(entry))
    for (const listeners of [this.#listeners, this.#plainListeners]) {
      for (const address of listeners.keys()) if (address.startsWith(`${name}:`)) listeners.delete(address)
    }
    this.datagrams.unplug(name)
  }

  #listen(
    name: string,
    { port, identity }: ListenOptions,
    onStream: (stream: TlsStream) => void,
  ): AsyncDisposable & { readonly port: number } {
    const chosen = port === 0 ? this.#nextPort++ : port
    const address = `${name}:${chosen}`
    if (this.#listeners.has(address)) throw new NetError('EADDRINUSE', `address already in use ${address}`)
    const listener = { certificate: derOf(identity), onStream }
    this.#listeners.set(address, listener)
    const stop = async (): Promise<void> => {
      if (this.#listeners.get(address) === listener) this.#listeners.delete(address)
    }
    return { port: chosen, [Symbol.asyncDispose]: stop }
  }

  async #dial(from: string, to: string, port: number, identity: Identity, signal: AbortSignal): Promise<TlsStream> {
    signal.throwIfAborted()
    const pair = pairOf(from, to)
    await this.#travel(pair, signal)
    const address = `${to}:${port}`
    const listener = this.#listeners.get(this.forwards.get(address) ?? address)
    if (listener === undefined) throw new NetError('ECONNREFUSED', `no listener at ${to}:${port}`)
    const wire = this.#connect(pair, [
      { peerCertificate: listener.certificate, remoteAddress: `${to}:${port}` },
      { peerCertificate: derOf(identity), remoteAddress: `${from}:${this.#nextPort++}` },
    ])
    listener.onStream(wire.ends[1])
    return wire.ends[0]
  }

  async #dialPlain(from: string, to: string, port: number, signal: AbortSignal): Promise<PlainStream> {
    signal.throwIfAborted()
    const pair = pairOf(from, to)
    await this.#travel(pair, signal)
    const onStream = this.#plainListeners.get(`${to}:${port}`)
    if (onStream === undefined) throw new NetError('ECONNREFUSED', `no listener at ${to}:${port}`)
    const none = new Uint8Array()
    const wire = this.#connect(pair, [
      { peerCertificate: none, remoteAddress: `${to}:${port}` },
      { peerCertificate: none, remoteAddress: `${from}:${this.#nextPort++}` },
    ])
    onStream(new SimPlainStream(wire.ends[1]))
    return new SimPlainStream(wire.ends[0])
  }

  #connect(pair: string, ends: readonly [SimEnd, SimEnd]): SimWire {
    const wire = new SimWire((stopped) => this.#travel(pair, stopped), ends)
    this.#wires = [...this.#wires.filter((entry) => !entry.wire.finished), { pair, wire }]
    return wire
  }

  /** Datagrams into a partition are lost, not held back. */
  async #carry(from: string, to: string): Promise<void> {
    const delayMs = this.#delayMs()
    if (delayMs > 0) await this.#clock.sleep(delayMs, NEVER)
    if (this.#partitions.has(pairOf(from, to))) await new Promise<never>(() => {})
  }

  /** Resolves when bytes sent now would arrive; rejects with the signal's reason. */
  async #travel(pair: string, signal: AbortSignal): Promise<void> {
    const delayMs = this.#delayMs()
    if (delayMs > 0) await this.#clock.sleep(delayMs, signal)
    while (this.#partitions.has(pair)) {
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const onAbort = (): void => reject(signal.reason)
      this.#wakers.add(resolve)
      signal.addEventListener('abort', onAbort)
      try {
        await promise
      } finally {
        this.#wakers.delete(resolve)
        signal.removeEventListener('abort', onAbort)
      }
    }
  }
}

function pairOf(a: string, b: string): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`
}
