import { TwinfoldError } from '../../core/errors.ts'

/** Different scans that may wait for one folder. Far above what people ask for; it stops a script that ran wild. */
const WAITING_MAX = 1_000

/** A scan somebody waits for. */
export interface ScanJob {
  /** Cleaned; [''] is the whole folder. */
  readonly subs: readonly string[]
  /** When the next automatic rescan is wanted, if anybody said so. */
  readonly nextMs: number | undefined
  succeed(): void
  fail(error: unknown): void
}

interface Waiting {
  readonly subs: readonly string[]
  nextMs: number | undefined
  readonly result: PromiseWithResolvers<void>
}

/**
 * Scans that were asked for, first come, first served. Those who ask for the same while it waits share one scan: it
 * starts after both asked, so its answer is true for both.
 */
export class ScanQueue {
  readonly #waiting = new Map<string, Waiting>()
  readonly #running = new Set<PromiseWithResolvers<void>>()
  #closed: TwinfoldError | undefined

  /** Resolves when a scan of these paths, begun after the call, has ended well. */
  add(subs: readonly string[], nextMs: number | undefined): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    const key = JSON.stringify(subs)
    const waiting = this.#waiting.get(key)
    if (waiting !== undefined) {
      waiting.nextMs = nextMs ?? waiting.nextMs
      return waiting.result.promise
    }
    if (this.#waiting.size >= WAITING_MAX) {
      return Promise.reject(
        new TwinfoldError('folder-error', `${WAITING_MAX} scans of this folder are waiting already`),
      )
    }
    const result = Promise.withResolvers<void>()
    this.#waiting.set(key, { subs, nextMs, result })
    return result.promise
  }

  take(): ScanJob | undefined {
    const [first] = this.#waiting
    if (first === undefined) return undefined
    const [key, { subs, nextMs, result }] = first
    this.#waiting.delete(key)
    this.#running.add(result)
    return {
      subs,
      nextMs,
      succeed: () => this.#end(result, result.resolve),
      fail: (error) => this.#end(result, () => result.reject(error)),
    }
  }

  /** Fails everybody who waits, those whose scan is running included, and whoever comes later. */
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
