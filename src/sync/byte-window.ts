import { WaitingLine } from './waiting-line.ts'

/**
 * Lets a limited number of bytes be in use at a time, first come, first served. Something larger than the whole window
 * gets in when nothing else is: it must not wait for ever. Hold the room with `using`.
 */
export class ByteWindow {
  #limitBytes: number
  #heldBytes = 0
  readonly #line = new WaitingLine<number>({
    isFree: (sizeBytes) => this.#heldBytes === 0 || this.#heldBytes + sizeBytes <= this.#limitBytes,
    enter: (sizeBytes) => {
      this.#heldBytes += sizeBytes
    },
    leave: (sizeBytes) => {
      this.#heldBytes -= sizeBytes
    },
  })

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  setLimit(limitBytes: number): void {
    this.#limitBytes = limitBytes
    this.#line.admit()
  }

  /** Rejects with `signal.reason` as soon as the signal aborts; then nothing is held. */
  acquire(sizeBytes: number, signal: AbortSignal): Promise<Disposable> {
    return this.#line.acquire(sizeBytes, signal)
  }
}
