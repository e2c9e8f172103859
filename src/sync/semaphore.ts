import { Gate } from './gate.ts'

/** Grants at most `capacity` slots at a time, first in, first out. Hold a slot with `using`. */
export class Semaphore {
  #capacity: number
  #held = 0
  readonly #gate = new Gate<void>({
    isFree: () => this.#held < this.#capacity,
    acquire: () => void this.#held++,
    release: () => void this.#held--,
  })

  constructor(capacity: number) {
    this.#capacity = checkedCapacity(capacity)
  }

  get heldCount(): number {
    return this.#held
  }

  get waitingCount(): number {
    return this.#gate.queuedCount
  }

  /** Takes effect immediately for queued requests; slots held above a smaller capacity stay held until released. */
  setCapacity(capacity: number): void {
    this.#capacity = checkedCapacity(capacity)
    this.#gate.admit()
  }

  /** Rejects with `signal.reason` as soon as the signal aborts; then no slot is held. */
  acquire(signal: AbortSignal): Promise<Disposable> {
    return this.#gate.acquire(undefined, signal)
  }
}

function checkedCapacity(capacity: number): number {
  if (!(capacity >= 1)) throw new Error(`semaphore capacity must be at least 1, not ${capacity}`)
  return capacity
}
