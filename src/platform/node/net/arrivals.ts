/** Memory that is being filled as bytes arrive. */
interface Filling {
  readonly target: Buffer
  readonly onBytes: (count: number) => void
  readonly resolve: (full: boolean) => void
  readonly reject: (error: unknown) => void
  filledBytes: number
}

/** What has arrived and was not taken yet. Bytes that somebody waits for with memory of his own go there at once. */
export class Arrivals {
  readonly #pieces: Uint8Array[] = []
  #bytes = 0
  #filling: Filling | undefined

  get bytes(): number {
    return this.#bytes
  }

  /** The piece belongs to us from here on: its memory may be gone afterwards. */
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

  /** Resolves with true when all of `target` is filled, and as `end` says when nothing more comes before that. */
  pourInto(target: Uint8Array, onBytes: (count: number) => void): Promise<boolean> {
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

  /** Nothing more will come: whoever waits for it hears `failure`, or false where the end is in order. */
  end(failure?: Error): void {
    const filling = this.#filling
    this.#filling = undefined
    if (failure === undefined) filling?.resolve(false)
    else filling?.reject(failure)
  }

  #pour(piece: Uint8Array, filling: Filling): void {
    const wantedBytes = filling.target.length - filling.filledBytes
    const part = piece.length <= wantedBytes ? piece : piece.subarray(0, wantedBytes)
    copy(part, filling.target, filling.filledBytes)
    filling.filledBytes += part.length
    filling.onBytes(part.length)
    if (part === piece) free(piece)
    else {
      const rest = piece.subarray(wantedBytes)
      this.#pieces.unshift(rest)
      this.#bytes += rest.length
    }
    if (filling.filledBytes < filling.target.length) return
    this.#filling = undefined
    filling.resolve(true)
  }
}

/** Where memory is shared, V8 itself copies four times as slowly, as if a thread might look on. Nobody does here. */
function copy(part: Uint8Array, target: Buffer, startBytes: number): void {
  if (part.length > 0) target.fill(part, startBytes, startBytes + part.length)
}

/**
 * Gives the memory of a record back at once, not when the collector comes by: a fast peer sends tens of megabytes until
 * then. Only where the piece is all there is to its memory.
 */
function free({ buffer, byteLength }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffer.transfer(0)
}
