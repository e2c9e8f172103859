import { Gate } from './gate.ts'

/**
 * Limits the number of bytes in use at a time, first in, first out. A request larger than the whole window is granted
 * when nothing else is held: otherwise it would never be. Hold it with `using`.
 */
export class ByteWindow {
  #limitBytes: number
  #heldBytes = 0
  readonly #gate = new Gate<number>({
    isFree: (sizeBytes) => this.#heldBytes === 0 || this.#heldBytes + sizeBytes <= this.#limitBytes,
    acquire: (sizeBytes) => {
      this.#heldBytes += sizeBytes
    },
    release: (sizeBytes) => {
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
    this.#gate.admit()
  }

  /** Undefined where it would have to wait. */
  tryAcquire(sizeBytes: number): Disposable | undefined {
    return this.#gate.tryAcquire(sizeBytes)
  }

  /** Rejects with `signal.reason` as soon as the signal aborts; then nothing is held. */
  acquire(sizeBytes: number, signal: AbortSignal): Promise<Disposable> {
    return this.#gate.acquire(sizeBytes, signal)
  }
}
