/** The resource behind a gate. All three are called synchronously. */
export interface GateResource<T> {
  isFree(request: T): boolean
  acquire(request: T): void
  release(request: T): void
}

interface Waiter<T> {
  readonly request: T
  readonly admit: () => void
}

/**
 * Grants requests first in, first out: no request overtakes another, so none starves. The resource defines the
 * capacity. Hold the result with `using`, so that every path releases it.
 */
export class Gate<T> {
  readonly #resource: GateResource<T>
  /** A Set keeps the order of arrival and lets an aborted request leave from the middle. */
  readonly #queue = new Set<Waiter<T>>()

  constructor(resource: GateResource<T>) {
    this.#resource = resource
  }

  get queuedCount(): number {
    return this.#queue.size
  }

  /** Rejects with `signal.reason` as soon as the signal aborts; then nothing is held. */
  async acquire(request: T, signal: AbortSignal): Promise<Disposable> {
    signal.throwIfAborted()
    const held = this.tryAcquire(request)
    if (held !== undefined) return held
    await this.#wait(request, signal)
    return this.#held(request)
  }

  /** Undefined where it would have to wait. */
  tryAcquire(request: T): Disposable | undefined {
    if (this.#queue.size > 0 || !this.#resource.isFree(request)) return undefined
    this.#resource.acquire(request)
    return this.#held(request)
  }

  #held(request: T): Disposable {
    let released = false
    return {
      [Symbol.dispose]: () => {
        if (released) return
        released = true
        this.#resource.release(request)
        this.admit()
      },
    }
  }

  /** Grants queued requests that fit now. Acquires here, not when the waiter wakes: a new request could overtake. */
  admit(): void {
    for (const waiter of this.#queue) {
      if (!this.#resource.isFree(waiter.request)) return
      this.#queue.delete(waiter)
      this.#resource.acquire(waiter.request)
      waiter.admit()
    }
  }

  async #wait(request: T, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiter: Waiter<T> = { request, admit: resolve }
    const onAbort = (): void => {
      // An abort after the grant is ignored: the caller receives the hold and releases it.
      if (!this.#queue.delete(waiter)) return
      reject(signal.reason)
      this.admit() // requests behind this one may fit
    }
    this.#queue.add(waiter)
    signal.addEventListener('abort', onAbort)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }
}
