/** What those in line want to get into. All three are called at once, never while waiting. */
export interface Door<T> {
  isFree(guest: T): boolean
  enter(guest: T): void
  leave(guest: T): void
}

interface Waiter<T> {
  readonly guest: T
  readonly admit: () => void
}

/**
 * First come, first served: nobody overtakes, so nobody starves. What being inside means is the door's business.
 * Hold the place with `using`, so that no path can forget to give it back.
 */
export class WaitingLine<T> {
  readonly #door: Door<T>
  /** A Set keeps the order of arrival and lets one who gives up leave from the middle. */
  readonly #waiting = new Set<Waiter<T>>()

  constructor(door: Door<T>) {
    this.#door = door
  }

  get waitingCount(): number {
    return this.#waiting.size
  }

  /** Rejects with `signal.reason` as soon as the signal aborts; then nothing is held. */
  async acquire(guest: T, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    if (this.#waiting.size === 0 && this.#door.isFree(guest)) this.#door.enter(guest)
    else await this.#wait(guest, signal)
    let released = false
    return {
      [Symbol.dispose]: () => {
        if (released) return
        released = true
        this.#door.leave(guest)
        this.admit()
      },
    }
  }

  /** Lets in who fits now. The place is taken here, not when the waiter wakes: between the two a newcomer would overtake. */
  admit(): void {
    for (const waiter of this.#waiting) {
      if (!this.#door.isFree(waiter.guest)) return
      this.#waiting.delete(waiter)
      this.#door.enter(waiter.guest)
      waiter.admit()
    }
  }

  async #wait(guest: T, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter<T> = { guest, admit: resolve }
    const onAbort = (): void => {
      // Once admitted the place is ours and the abort comes too late: the caller gets it and gives it back.
      if (!this.#waiting.delete(waiter)) return
      reject(signal.reason)
      this.admit() // those behind may fit where this one did not
    }
    this.#waiting.add(waiter)
    signal.addEventListener('abort', onAbort)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }
}
