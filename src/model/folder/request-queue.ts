import { TwinfoldError } from '../../core/errors.ts'

/** Far above normal use; bounds memory when a script sends requests in a loop. */
const WAITING_MAX = 1_000

/** A request with waiting callers. */
export interface QueuedRequest<T> {
  readonly request: T
  succeed(): void
  fail(error: unknown): void
}

/**
 * FIFO queue of requests of one kind for one folder. Those with the same key share one place: it starts after both, so
 * its result holds for both.
 */
export class RequestQueue<T> {
  readonly #waiting = new Map<unknown, { readonly request: T; readonly result: PromiseWithResolvers<void> }>()
  #closed: TwinfoldError | undefined

  /** Resolves when the request has ended. `merge` receives the queued request with this key. */
  add(key: unknown, merge: (queued: T | undefined) => T): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    const queued = this.#waiting.get(key)
    if (queued === undefined && this.#waiting.size >= WAITING_MAX) {
      const reason = `${WAITING_MAX} requests for this folder are queued already`
      return Promise.reject(new TwinfoldError('folder-error', reason))
    }
    const result = queued?.result ?? Promise.withResolvers<void>()
    this.#waiting.set(key, { request: merge(queued?.request), result })
    return result.promise
  }

  /** The caller must let it succeed or fail. */
  take(): QueuedRequest<T> | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const [key, { request, result }] = first
    this.#waiting.delete(key)
    return { request, succeed: result.resolve, fail: result.reject }
  }

  /** Rejects all queued requests and all later ones. */
  close(reason: TwinfoldError): void {
    this.#closed = reason
    for (const { result } of this.#waiting.values()) result.reject(reason)
    this.#waiting.clear()
  }
}
