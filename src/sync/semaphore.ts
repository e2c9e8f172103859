import assert from 'node:assert/strict'

interface Waiter {
  readonly admit: () => void
}

/**
 * Lets at most `capacity` holders in at a time, first come, first served: nobody overtakes, so nobody starves.
 * Hold a slot with `using`, so that no path can forget to give it back.
 */
export class Semaphore {
  #capacity: number
  #held = 0
  /** A Set keeps the order of arrival and lets one who gives up leave from the middle. */
  readonly #waiting = new Set<Waiter>()

  constructor(capacity: number) {
    this.#capacity = checkedCapacity(capacity)
  }

  get heldCount(): number {
    return this.#held
  }

  get waitingCount(): number {
    return this.#waiting.size
  }

  /** Takes effect at once for those who wait; whoever is in above a smaller capacity stays until done. */
  setCapacity(capacity: number): void {
    this.#capacity = checkedCapacity(capacity)
    this.#admit()
  }

  /** Rejects with `signal.reason` as soon as the signal aborts; then no slot is held. */
  async acquire(signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#waiting.size === 0 && this.#held < this.#capacity) this.#held++
    else await this.#wait(signal)
    let released = false
    return {
      [Symbol.dispose]: () => {
        if (released) return
        released = true
        this.#held--
        this.#admit()
      },
    }
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter = { admit: resolve }
    const onAbort = (): void => {
      // Once admitted the slot is ours and the abort comes too late: the caller gets it and gives it back.
      if (this.#waiting.delete(waiter)) reject(signal.reason)
    }
    this.#waiting.add(waiter)
    signal.addEventListener('abort', onAbort)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Counts the slot here, not when the waiter wakes: between the two a newcomer would overtake. */
  #admit(): void {
    for (const waiter of this.#waiting) {
      if (this.#held >= this.#capacity) return
      this.#waiting.delete(waiter)
      this.#held++
      waiter.admit()
    }
  }
}

function checkedCapacity(capacity: number): number {
  assert.ok(capacity >= 1, `a semaphore needs room for one, not ${capacity}`)
  return capacity
}
