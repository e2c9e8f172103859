import type { TlsStream } from '../platform/net.ts'
import { malformed } from '../core/wire/errors.ts'

/** Larger buffers grow as bytes arrive: an announced length must not cost more memory than the peer sends. */
const INITIAL_BYTES_MAX = 256 * 1024

type Incoming = Pick<TlsStream, 'read' | 'readInto'>

/** Reads exact numbers of bytes from the stream of a peer. */
export class ByteReader {
  readonly #stream: Incoming
  readonly #nowMs: () => number
  #chunk: Uint8Array = new Uint8Array(0)
  #at = 0
  #totalBytes = 0
  #waitingSinceMs: number | undefined

  constructor(stream: Incoming, nowMs: () => number) {
    this.#stream = stream
    this.#nowMs = nowMs
  }

  get totalBytes(): number {
    return this.#totalBytes
  }

  /** Since when a read has been pending without a byte received; undefined while no read is pending. */
  get waitingSinceMs(): number | undefined {
    return this.#waitingSinceMs
  }

  /** False when the peer has ended the stream. */
  hasMore(): boolean | Promise<boolean> {
    return this.#hasBuffered || this.#fill()
  }

  /**
   * Exactly `count` bytes. May be a view into the current chunk: use it before the next read, or copy it. Buffered
   * bytes are returned synchronously, because a promise would cost more than the read.
   */
  take(count: number): Uint8Array | Promise<Uint8Array> {
    return this.#takeNow(count) ?? this.#takeLater(count)
  }

  /** The buffered bytes, at least one, without consuming them. */
  peek(): Uint8Array | Promise<Uint8Array> {
    return this.#hasBuffered ? this.#chunk.subarray(this.#at) : this.#peekLater()
  }

  async #peekLater(): Promise<Uint8Array> {
    await this.#demand()
    return this.#chunk.subarray(this.#at)
  }

  /** Fills all of `target`; undefined where it is filled already. */
  fill(target: Uint8Array): Promise<void> | undefined {
    const filled = this.#copy(target, 0)
    return filled === target.length ? undefined : this.#fillRest(target, filled)
  }

  async #fillRest(target: Uint8Array, from: number): Promise<void> {
    for (let filled = from; filled < target.length;) {
      if (this.#stream.readInto !== undefined)
        return await this.#fillDirectly(target.subarray(filled), this.#stream.readInto)
      await this.#demand()
      filled += this.#copy(target, filled)
    }
  }

  /** Skips bytes; undefined where they are skipped already. */
  discard(count: number): Promise<void> | undefined {
    if (this.#at + count > this.#chunk.length) return this.#discardLater(count)
    this.#at += count
    return undefined
  }

  async #discardLater(count: number): Promise<void> {
    for (let left = count; left > 0;) {
      if (this.#at >= this.#chunk.length) await this.#demand()
      const step = Math.min(left, this.#chunk.length - this.#at)
      this.#at += step
      left -= step
    }
  }

  get #hasBuffered(): boolean {
    return this.#at < this.#chunk.length
  }

  #takeNow(count: number): Uint8Array | undefined {
    const endBytes = this.#at + count
    if (endBytes > this.#chunk.length) return undefined
    const view = this.#chunk.subarray(this.#at, endBytes)
    this.#at = endBytes
    return view
  }

  async #takeLater(count: number): Promise<Uint8Array> {
    if (!this.#hasBuffered) await this.#demand()
    return this.#takeNow(count) ?? (await this.#gather(count))
  }

  async #gather(count: number): Promise<Uint8Array> {
    let target = Buffer.allocUnsafeSlow(Math.min(count, INITIAL_BYTES_MAX))
    for (let filled = 0; filled < count;) {
      if (this.#at >= this.#chunk.length) await this.#demand()
      if (filled === target.length) {
        const larger = Buffer.allocUnsafeSlow(Math.min(count, filled * 2))
        target.copy(larger)
        target = larger
      }
      filled += this.#copy(target, filled)
    }
    return target
  }

  /** Copies as many buffered bytes as fit; returns the count. */
  #copy(target: Uint8Array, offset: number): number {
    const step = Math.min(target.length - offset, this.#chunk.length - this.#at)
    target.set(this.#chunk.subarray(this.#at, this.#at + step), offset)
    this.#at += step
    return step
  }

  async #fillDirectly(target: Uint8Array, readInto: NonNullable<Incoming['readInto']>): Promise<void> {
    const onBytes = (count: number): void => {
      this.#totalBytes += count
      this.#waitingSinceMs = this.#nowMs()
    }
    onBytes(0)
    try {
      if (!(await readInto.call(this.#stream, target, onBytes))) throw endedEarly()
    } finally {
      this.#waitingSinceMs = undefined
    }
  }

  async #demand(): Promise<void> {
    if (!(await this.#fill())) throw endedEarly()
  }

  async #fill(): Promise<boolean> {
    this.#waitingSinceMs = this.#nowMs()
    try {
      for (;;) {
        const chunk = await this.#stream.read()
        if (chunk === undefined) return false
        if (chunk.length === 0) continue
        this.#chunk = chunk
        this.#at = 0
        this.#totalBytes += chunk.length
        return true
      }
    } finally {
      this.#waitingSinceMs = undefined
    }
  }
}

function endedEarly(): Error {
  return malformed('the connection ended within a message')
}
