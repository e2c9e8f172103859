import type { TlsStream } from '../../src/platform/net.ts'

/** One end of a connection whose other end is the test, which feeds the reads and inspects the writes. */
export class ScriptedStream implements TlsStream {
  readonly peerCertificate = new Uint8Array(0)
  readonly certificateCount = 1
  readonly crypto = 'TLS1.3-TLS_AES_128_GCM_SHA256'
  readonly remoteAddress = '192.0.2.1:22000'
  /** Everything written, in order. */
  readonly written: Uint8Array[] = []
  closed = false
  readCount = 0
  /** A test may set it. */
  consumed?: () => Promise<void>
  #chunks: Uint8Array[] = []
  #ended = false
  #failure: Error | undefined
  #blocked = false
  #wakers = new Set<() => void>()

  isNamed(): boolean {
    return true
  }

  feed(...chunks: readonly Uint8Array[]): void {
    this.#chunks.push(...chunks)
    this.#wake()
  }

  end(): void {
    this.#ended = true
    this.#wake()
  }

  fail(error: Error): void {
    this.#failure = error
    this.#wake()
  }

  /** Blocks or unblocks writes. */
  block(blocked: boolean): void {
    this.#blocked = blocked
    this.#wake()
  }

  async read(): Promise<Uint8Array | undefined> {
    for (;;) {
      if (this.closed) throw new Error('read after close')
      if (this.#failure !== undefined) throw this.#failure
      const chunk = this.#chunks.shift()
      if (chunk !== undefined) {
        this.readCount++
        return chunk
      }
      if (this.#ended) return undefined
      await this.#change()
    }
  }

  async write(data: Uint8Array): Promise<void> {
    if (this.closed) throw new Error('write after close')
    if (this.#failure !== undefined) throw this.#failure
    this.written.push(data)
    while (this.#blocked) {
      await this.#change()
      if (this.closed) throw new Error('closed while writing')
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
    this.#wake()
  }

  /** The frames written so far, parsed without the code under test: type, compression, body. */
  frames(): { readonly type: number; readonly compression: number; readonly body: Buffer }[] {
    const bytes = Buffer.concat(this.written)
    const frames: { type: number; compression: number; body: Buffer }[] = []
    for (let at = 0; at + 2 <= bytes.length;) {
      const header = bytes.subarray(at + 2, at + 2 + bytes.readUInt16BE(at))
      at += 2 + header.length
      const length = bytes.readUInt32BE(at)
      at += 4
      frames.push({
        type: valueOf(header, 0x08),
        compression: valueOf(header, 0x10),
        body: bytes.subarray(at, at + length),
      })
      at += length
    }
    return frames
  }

  #change(): Promise<void> {
    return new Promise((resolve) => this.#wakers.add(resolve))
  }

  #wake(): void {
    const wakers = this.#wakers
    this.#wakers = new Set()
    for (const wake of wakers) wake()
  }
}

function valueOf(header: Uint8Array, tag: number): number {
  for (let i = 0; i + 1 < header.length; i += 2) if (header[i] === tag) return header[i + 1] ?? 0
  return 0
}

/** Runs all resolved promises. */
export async function settle(rounds = 4): Promise<void> {
  for (let i = 0; i < rounds; i++) await new Promise((resolve) => setImmediate(resolve))
}
