/** A target buffer that received bytes fill. */
interface Filling {
  readonly target: Buffer
  readonly onBytes: (count: number) => void
  readonly resolve: (full: boolean) => void
  readonly reject: (error: unknown) => void
  filledBytes: number
}

/** Received and unread bytes. With a pending target they are copied there directly. */
export class ReceiveBuffer {
  readonly #pieces: Uint8Array[] = []
  #bytes = 0
  #filling: Filling | undefined

  get bytes(): number {
    return this.#bytes
  }

  /** Takes ownership of the chunk: its memory may be detached afterwards. */
  put(piece: Uint8Array): void {
    if (this.#filling !== undefined) return this.#pour(piece, this.#filling)
    this.#pieces.push(piece)
    this.#bytes += piece.length
  }

  take(): Uint8Array | undefined {
    const piece = this.#pieces.shift()
    this.#bytes -= piece?.length ?? 0
    return piece
  }

  /** Resolves with true when all of `target` is filled, or settles as given to `end` before that. */
  readInto(target: Uint8Array, onBytes: (count: number) => void): Promise<boolean> {
    const { promise, resolve, reject } = Promise.withResolvers<boolean>()
    const filling: Filling = {
      target: Buffer.from(target.buffer, target.byteOffset, target.length),
      onBytes,
      resolve,
      reject,
      filledBytes: 0,
    }
    this.#filling = filling
    while (this.#filling === filling) {
      const piece = this.take()
      if (piece === undefined) break
      this.#pour(piece, filling)
    }
    return promise
  }

  /** No more data: the pending read rejects with `failure`, or resolves with false at a clean end. */
  end(failure?: Error): void {
    const filling = this.#filling
    this.#filling = undefined
    if (failure === undefined) filling?.resolve(false)
    else filling?.reject(failure)
  }

  #pour(piece: Uint8Array, filling: Filling): void {
    const missingBytes = filling.target.length - filling.filledBytes
    const part = piece.length <= missingBytes ? piece : piece.subarray(0, missingBytes)
    copy(part, filling.target, filling.filledBytes)
    filling.filledBytes += part.length
    filling.onBytes(part.length)
    if (part === piece) free(piece)
    else {
      const rest = piece.subarray(missingBytes)
      this.#pieces.unshift(rest)
      this.#bytes += rest.length
    }
    if (filling.filledBytes < filling.target.length) return
    this.#filling = undefined
    filling.resolve(true)
  }
}

/** V8 copies to shared memory four times as slowly, for concurrent readers, which do not exist here. */
function copy(part: Uint8Array, target: Buffer, startBytes: number): void {
  if (part.length > 0) target.fill(part, startBytes, startBytes + part.length)
}

/**
 * Frees the memory of a record immediately, not at the next collection: a fast peer sends tens of megabytes until then.
 * Only where the chunk covers its whole buffer.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
