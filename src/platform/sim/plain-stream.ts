import { NetError } from '../net-error.ts'
import type { Identity, PlainStream, TlsRole, TlsStream } from '../net.ts'
import { derOf } from './certificate.ts'
import { simExport, type SimStream } from './net-stream.ts'

const LENGTH_BYTES = 4
const NONCE_BYTES = 8

let nonceCount = 0n

/** A connection without TLS. Its handshake is reduced to certificates and nonces, which the ends send to each other. */
export class SimPlainStream implements PlainStream {
  readonly remoteAddress: string
  readonly #stream: SimStream
  #held: Uint8Array = new Uint8Array()

  constructor(stream: SimStream) {
    this.#stream = stream
    this.remoteAddress = stream.remoteAddress
  }

  async take(count: number, signal: AbortSignal): Promise<Uint8Array> {
    const onAbort = (): void => this.#stream.fail(new NetError('ECONNABORTED', 'aborted'))
    signal.addEventListener('abort', onAbort)
    try {
      signal.throwIfAborted()
      while (this.#held.length < count) {
        const chunk = await this.#stream.read()
        if (chunk === undefined) throw new NetError('ECONNRESET', 'the other side hung up')
        this.#held = Buffer.concat([this.#held, chunk])
      }
    } catch (error) {
      await this.#stream[Symbol.asyncDispose]()
      signal.throwIfAborted()
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
    const taken = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(count)
    return taken
  }

  /** What has arrived, without waiting for a certain number of bytes; undefined once the peer has ended. */
  async read(): Promise<Uint8Array | undefined> {
    const held = this.#held
    this.#held = new Uint8Array()
    return held.length > 0 ? held : await this.#stream.read()
  }

  async write(data: Uint8Array): Promise<void> {
    await this.#stream.write(data)
  }

  async secure(_role: TlsRole, { identity }: { readonly identity: Identity }, signal: AbortSignal): Promise<TlsStream> {
    const own = derOf(identity)
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32BE(own.length)
    const nonce = Buffer.alloc(NONCE_BYTES)
    nonce.writeBigUInt64BE(++nonceCount)
    await this.#stream.write(Buffer.concat([length, own, nonce]))
    const peerLength = Buffer.from(await this.take(LENGTH_BYTES, signal)).readUInt32BE()
    const certificate = new Uint8Array(await this.take(peerLength, signal))
    const nonces = [nonce, Buffer.from(await this.take(NONCE_BYTES, signal))].map((one) => one.toString('hex'))
    return new SecuredStream(this, this.#stream, { certificate, secret: nonces.toSorted().join() })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stream[Symbol.asyncDispose]()
  }
}

class SecuredStream implements TlsStream {
  readonly peerCertificate: Uint8Array
  readonly certificateCount = 1
  readonly remoteAddress: string
  readonly crypto: string
  readonly #plain: SimPlainStream
  readonly #stream: SimStream
  readonly #secret: string

  constructor(plain: SimPlainStream, stream: SimStream, agreed: { certificate: Uint8Array; secret: string }) {
    this.#plain = plain
    this.#stream = stream
    this.#secret = agreed.secret
    this.peerCertificate = agreed.certificate
    this.remoteAddress = stream.remoteAddress
    this.crypto = stream.crypto
  }

  exportKey(label: string): Uint8Array {
    return simExport(label, this.#secret)
  }

  isNamed(name: string): boolean {
    return this.#stream.isNamed(name)
  }

  read(): Promise<Uint8Array | undefined> {
    return this.#plain.read()
  }

  write(data: Uint8Array): Promise<void> | undefined {
    return this.#stream.write(data)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#stream[Symbol.asyncDispose]()
  }
}
