import { Wakeup } from '../sync/wakeup.ts'

/** Limits how much is being read from disk and waits to be written for one connection. */
export class RequestSlots {
  readonly #countMax: number
  readonly #bytesMax: number
  #count = 0
  #bytes = 0
  readonly #freed = new Wakeup()

  constructor(countMax: number, bytesMax: number) {
    this.#countMax = countMax
    this.#bytesMax = bytesMax
  }

  get count(): number {
    return this.#count
  }

  /** One waiter at a time. A request larger than all room gets in when it is alone. */
  async acquire(bytes: number, signal: AbortSignal): Promise<void> {
    while (this.#count >= this.#countMax || (this.#count > 0 && this.#bytes + bytes > this.#bytesMax)) {
      await this.#freed.wait(signal)
    }
    this.#count++
    this.#bytes += bytes
  }

  release(bytes: number): void {
    this.#count--
    this.#bytes -= bytes
    this.#freed.ring()
  }
}
