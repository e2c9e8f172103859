import { hash } from 'node:crypto'
import { closedHereError, NetError } from '../net-error.ts'
import type { TlsStream } from '../net.ts'

/** Send window: bytes that the peer has not read. */
const UNREAD_BYTES_MAX = 256 * 1024

/** Stands for what a TLS handshake agrees on: every connection has another number. */
let wireCount = 0

/** Resolves when data sent now would arrive; rejects when the connection is lost before. */
export type SimDelivery = (signal: AbortSignal) => Promise<void>

/** One connection between two machines. */
export class SimWire {
  readonly ends: readonly [SimStream, SimStream]
  readonly #stop = new AbortController()

  constructor(travel: SimDelivery, ends: readonly [SimEnd, SimEnd]) {
    const whileConnected = (): Promise<void> => travel(this.#stop.signal)
    const secret = `wire ${++wireCount}`
    const first = new SimStream(whileConnected, ends[0], secret)
    const second = new SimStream(whileConnected, ends[1], secret)
    first.connect(second)
    second.connect(first)
    this.ends = [first, second]
  }

  /** Both ends are closed. */
  get finished(): boolean {
    return this.ends.every((end) => end.closed)
  }

  /** Both ends fail; data in transit is lost. */
  reset(): void {
    this.#stop.abort(new NetError('ECONNRESET', 'connection reset'))
    for (const end of this.ends) end.fail(new NetError('ECONNRESET', 'connection reset by peer'))
  }
}

/** What one end provides to the other. */
export interface SimEnd {
  readonly peerCertificate: Uint8Array
  readonly remoteAddress: string
}

export class SimStream implements TlsStream {
  readonly peerCertificate: Uint8Array
  readonly certificateCount = 1
  readonly remoteAddress: string
  readonly crypto = 'TLS1.3-TLS_AES_128_GCM_SHA256'
  readonly #travel: () => Promise<void>
  readonly #secret: string
  #peer: SimStream | undefined
  /** Keeps chunks in order, whatever their delays. */
  #sending: Promise<void> = Promise.resolve()
  readonly #unread: Uint8Array[] = []
  /** Received and unread bytes, including those in transit. */
  #owedBytes = 0
  #ended = false
  #closed = false
  #failure: Error | undefined
  #wakers = new Set<() => void>()

  constructor(travel: () => Promise<void>, end: SimEnd, secret: string) {
    this.#travel = travel
    this.#secret = secret
    this.peerCertificate = end.peerCertificate
    this.remoteAddress = end.remoteAddress
  }

  exportKey(label: string): Uint8Array {
    return simExport(label, this.#secret)
  }

  /** Every simulated certificate has the name that all devices use. */
  isNamed(name: string): boolean {
    return name === 'syncthing'
  }

  get closed(): boolean {
    return this.#closed
  }

  connect(peer: SimStream): void {
    this.#peer = peer
  }

  fail(error: Error): void {
    this.#failure ??= error
    this.#wake()
  }

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (this.#closed) throw closedHereError()
      const chunk = this.#unread.shift()
      if (chunk !== undefined) {
        this.#owedBytes -= chunk.length
        if (this.#peer !== undefined) this.#peer.#wake()
        return chunk
      }
      if (this.#failure !== undefined) throw this.#failure
      if (this.#ended) return undefined
      await this.#nextChange()
    }
  }

  async write(data: Uint8Array): Promise<void> {
    this.#refuseWrites()
    const peer = this.#peer
    if (peer === undefined || data.length === 0) return
    peer.#owedBytes += data.length
    this.#send(() => peer.#unread.push(data)) // not a copy, so that tests detect a forbidden later change
    while (peer.#owedBytes >= UNREAD_BYTES_MAX) {
      await this.#nextChange()
      this.#refuseWrites()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    this.#wake()
    const peer = this.#peer
    if (peer === undefined) return
    this.#send(() => {
      peer.#ended = true
    })
  }

  #send(arrive: () => void): void {
    const peer = this.#peer
    this.#sending = Promise.all([this.#sending, this.#travel()]).then(
      () => {
        arrive()
        if (peer !== undefined) peer.#wake()
      },
      () => {}, // reset in transit: both ends are notified
    )
  }

  #refuseWrites(): void {
    if (this.#closed) throw closedHereError()
    if (this.#failure !== undefined) throw this.#failure
    if (this.#ended) throw new NetError('EPIPE', 'the peer takes no more')
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => this.#wakers.add(resolve))
  }

  #wake(): void {
    const wakers = this.#wakers
    this.#wakers = new Set()
    for (const wake of wakers) wake()
  }
}

export function simExport(label: string, secret: string): Uint8Array {
  return new Uint8Array(hash('sha256', `${label} ${secret}`, 'buffer'))
}
