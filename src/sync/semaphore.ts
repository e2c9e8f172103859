import { WaitingLine } from './waiting-line.ts'

/** Lets at most `capacity` holders in at a time, first come, first served. Hold a slot with `using`. */
export class Semaphore {
  #capacity: number
  #held = 0
  readonly #line = new WaitingLine<void>({
    isFree: () => this.#held < this.#capacity,
    enter: () => void this.#held++,
    leave: () => void this.#held--,
  })

  constructor(capacity: number) {
    this.#capacity = checkedCapacity(capacity)
  }

  get heldCount(): number {
    return this.#held
  }

  get waitingCount(): number {
    return this.#line.waitingCount
  }

  /** Takes effect at once for those who wait; whoever is in above a smaller capacity stays until done. */
  setCapacity(capacity: number): void {
    this.#capacity = checkedCapacity(capacity)
    this.#line.admit()
  }

  /** Rejects with `signal.reason` as soon as the signal aborts; then no slot is held. */
  acquire(signal: AbortSignal): Promise<Disposable> {
    return this.#line.acquire(undefined, signal)
  }
}

function checkedCapacity(capacity: number): number {
  if (!(capacity >= 1)) throw new Error(`a semaphore needs room for one, not ${capacity}`)
  return capacity
}
