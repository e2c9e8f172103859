import type { ScanScope } from '../../core/paths.ts'
import { TwinfoldError } from '../../core/errors.ts'

/** Limit of queued scans per folder, far above normal use; bounds memory when a script sends requests in a loop. */
const WAITING_MAX = 1_000

/** A scan with a waiting caller. */
export interface ScanJob {
  readonly scope: ScanScope
  /** Delay until the next automatic rescan, if the request gave one. */
  readonly nextMs: number | undefined
  succeed(): void
  fail(error: unknown): void
}

interface Waiting {
  readonly scope: ScanScope
  nextMs: number | undefined
  readonly result: PromiseWithResolvers<void>
}

/**
 * FIFO queue of requested scans. Equal requests share one queued scan: it starts after both, so its result holds for
 * both.
 */
export class ScanQueue {
  readonly #waiting = new Map<string, Waiting>()
  readonly #running = new Set<PromiseWithResolvers<void>>()
  #closed: TwinfoldError | undefined

  /** Resolves when a scan of these paths that began after the call has succeeded. */
  add(scope: ScanScope, nextMs: number | undefined): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    const key = JSON.stringify(scope)
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) {
      waiting.nextMs = nextMs ?? waiting.nextMs
      return waiting.result.promise
    }
    if (this.#waiting.size >= WAITING_MAX) {
      return Promise.reject(new TwinfoldError('folder-error', `${WAITING_MAX} scans of this folder are queued already`))
    }
    const result = Promise.withResolvers<void>()
    this.#waiting.set(key, { scope, nextMs, result })
    return result.promise
  }

  take(): ScanJob | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const [key, { scope, nextMs, result }] = first
    this.#waiting.delete(key)
    this.#running.add(result)
    return {
      scope,
      nextMs,
      succeed: () => this.#end(result, result.resolve),
      fail: (error) => this.#end(result, () => result.reject(error)),
    }
  }

  /** Rejects all queued and running requests and all later ones. */
  close(reason: TwinfoldError): void {
    this.#closed = reason
    for (const { result } of this.#waiting.values()) result.reject(reason)
    for (const result of this.#running) result.reject(reason)
    this.#waiting.clear()
    this.#running.clear()
  }

  #end(result: PromiseWithResolvers<void>, settle: () => void): void {
    this.#running.delete(result)
    settle()
  }
}
