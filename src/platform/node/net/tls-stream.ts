import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { closedHereError, NetError } from '../../net-error.ts'
import type { TlsStream } from '../../net.ts'
import { ReceiveBuffer } from './receive-buffer.ts'

/** Timeout for sending the remaining data on close. */
const FAREWELL_MS_MAX = 2_000
/** Limit of unread bytes; then backpressure applies. Records are 16 KiB. */
const UNREAD_BYTES_MAX = 256 * 1024
/** Smaller writes of one turn of the event loop are merged: each one costs a record and a system call. */
const TOGETHER_BYTES_MAX = 16 * 1024
/**
 * After so long without a write the next one is sent at once: the rest of its turn may take milliseconds. With 2 ms a
 * pull of many files took a sixth more processor time, because the other side handled them in smaller groups.
 */
const QUIET_MS = 25
const EXPORTED_BYTES = 32
const NO_CONTEXT = Buffer.alloc(0)

/** A TLS socket as a stream with backpressure, read record by record without copying. */
export class NodeTlsStream implements TlsStream {
  readonly peerCertificate: Uint8Array
  readonly certificateCount: number
  readonly remoteAddress: string
  readonly localHost: string
  readonly crypto: string
  readonly #certificate: X509Certificate
  readonly #socket: TLSSocket
  readonly #nowMs: () => number
  readonly #unread = new ReceiveBuffer()
  #ended = false
  #failure: Error | undefined
  #wakers = new Set<() => void>()
  #closing: Promise<void> | undefined
  #gathering = false
  #lastWriteMs = Number.NEGATIVE_INFINITY
  #writtenCount = 0
  #consumedCount = 0

  constructor(socket: TLSSocket, certificate: X509Certificate, nowMs: () => number = () => performance.now()) {
    this.#socket = socket
    this.#nowMs = nowMs
    this.#certificate = certificate
    this.peerCertificate = new Uint8Array(certificate.raw)
    this.certificateCount = countCertificates(certificate)
    this.remoteAddress = addressOf(socket)
    this.localHost = withoutPrefix(socket.localAddress)
    this.crypto = `${(socket.getProtocol() ?? '').replace('v', '')}-${socket.getCipher().standardName}`
    socket.setNoDelay(true)
    this.#takeOver(socket)
    socket.on('end', () => this.#wake(() => (this.#ended = true)))
    socket.on('error', (error) => this.#wake(() => (this.#failure ??= plainError(error))))
    socket.on('close', () => this.#wake(() => (this.#failure ??= new NetError('ECONNRESET', 'connection lost'))))
    socket.on('drain', () => this.#wake(() => {}))
  }

  exportKey(label: string): Uint8Array | undefined {
    if (this.#socket.destroyed || this.#socket.getProtocol() !== 'TLSv1.3') return undefined
    return new Uint8Array(this.#socket.exportKeyingMaterial(EXPORTED_BYTES, label, NO_CONTEXT))
  }

  isNamed(name: string): boolean {
    const commonName = /(?:^|\n)CN=([^\n]*)/.exec(this.#certificate.subject)?.[1]
    return commonName === name || this.#certificate.checkHost(name, { subject: 'never' }) !== undefined
  }

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (this.#closing !== undefined) throw closedHereError()
      const chunk = this.#unread.take()
      if (chunk !== undefined) {
        if (this.#unread.bytes < UNREAD_BYTES_MAX) this.#socket.resume()
        return chunk
      }
      if (this.#ended) return undefined
      if (this.#failure !== undefined) throw this.#failure
      await this.#nextChange()
    }
  }

  /** Without a turn of the event loop per record. */
  async readInto(target: Uint8Array, onBytes: (count: number) => void): Promise<boolean> {
    const filled = this.#unread.readInto(target, onBytes)
    if (this.#unread.bytes < UNREAD_BYTES_MAX) this.#socket.resume()
    this.#endArrivals()
    return await filled
  }

  write(data: Uint8Array): Promise<void> | undefined {
    this.#refuseWrites()
    const nowMs = this.#nowMs()
    const wasQuiet = nowMs - this.#lastWriteMs >= QUIET_MS
    this.#lastWriteMs = nowMs
    if (data.length >= TOGETHER_BYTES_MAX) this.#release()
    else if (!wasQuiet) this.#gather()
    const count = ++this.#writtenCount
    const onConsumed = (error?: Error | null): void => {
      if (error === undefined || error === null) this.#wake(() => (this.#consumedCount = count))
    }
    return this.#socket.write(data, onConsumed) ? undefined : this.#drained()
  }

  async #drained(): Promise<void> {
    while (this.#socket.writableNeedDrain) {
      await this.#nextChange()
      this.#refuseWrites()
    }
  }

  async consumed(): Promise<void> {
    const count = this.#writtenCount
    while (this.#consumedCount < count) {
      if (this.#failure !== undefined) throw this.#failure
      await this.#nextChange()
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#closing ??= this.#close()
    this.#wake(() => {})
    return this.#closing
  }

  /** Delays small writes that follow others until the end of the current turn of the event loop. */
  #gather(): void {
    if (this.#gathering) return
    this.#gathering = true
    this.#socket.cork()
    setImmediate(() => this.#release())
  }

  #release(): void {
    if (!this.#gathering) return
    this.#gathering = false
    this.#socket.uncork()
  }

  /**
   * Takes received data before the socket queues it: the queue and the event cost more than decrypting a record of 16
   * KiB. With backpressure the queue is used as usual.
   */
  #takeOver(socket: TLSSocket): void {
    const enqueue = socket.push.bind(socket)
    socket.push = (chunk: Uint8Array | null) => {
      if (chunk === null || socket.isPaused() || socket.readableLength > 0) return enqueue(chunk)
      this.#take(chunk)
      return true
    }
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
  }

  #take(chunk: Uint8Array): void {
    this.#unread.put(chunk)
    if (this.#unread.bytes === 0) return // copied to the pending target
    this.#wake(() => {})
    if (this.#unread.bytes >= UNREAD_BYTES_MAX) this.#socket.pause()
  }

  #endArrivals(): void {
    if (this.#closing !== undefined) this.#unread.end(closedHereError())
    else if (this.#ended) this.#unread.end()
    else if (this.#failure !== undefined) this.#unread.end(this.#failure)
  }

  #refuseWrites(): void {
    if (this.#closing !== undefined) throw closedHereError()
    if (this.#failure !== undefined) throw this.#failure
    if (!this.#socket.writable) throw new NetError('EPIPE', 'the peer takes no more')
  }

  async #close(): Promise<void> {
    const socket = this.#socket
    if (socket.destroyed) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => socket.destroy(), FAREWELL_MS_MAX)
    socket.once('close', () => resolve())
    socket.destroySoon()
    socket.resume() // unread data must not delay the end
    await promise
    clearTimeout(timer)
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => this.#wakers.add(resolve))
  }

  #wake(change: () => void): void {
    change()
    this.#endArrivals()
    if (this.#wakers.size === 0) return
    const wakers = this.#wakers
    this.#wakers = new Set()
    for (const wake of wakers) wake()
  }
}

/** Errors of OpenSSL name places in its sources; their reason is enough. */
function plainError(error: Error): Error {
  const reason: unknown = Reflect.get(error, 'reason')
  return typeof reason === 'string' ? new NetError('EPROTO', `TLS: ${reason}`) : error
}

/** Certificates link to their issuer; a self-signed one links to itself. */
function countCertificates(leaf: X509Certificate): number {
  let count = 1
  const seen = new Set([leaf.fingerprint256])
  for (
    let next = leaf.issuerCertificate;
    next !== undefined && !seen.has(next.fingerprint256);
    next = next.issuerCertificate
  ) {
    seen.add(next.fingerprint256)
    count++
  }
  return count
}

/** Shows an IPv4-mapped address as IPv4. */
export function addressOf(socket: Socket): string {
  const host = withoutPrefix(socket.remoteAddress)
  return host.includes(':') ? `[${host}]:${socket.remotePort}` : `${host}:${socket.remotePort}`
}

function withoutPrefix(address = ''): string {
  return address.replace(/^::ffff:(?=\d+\.)/, '')
}
