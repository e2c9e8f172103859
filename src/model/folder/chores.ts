import { TwinfoldError } from '../../core/errors.ts'
import type { FolderCheck } from './folder-contracts.ts'
import type { WorkingState } from './folder-state.ts'

/** Different chores that may wait for one folder. It stops a script that ran wild. */
const WAITING_MAX = 1_000

/** Something people ask of a folder that is neither a scan nor a pull: done between scans, one after the other. */
export interface Chore {
  /** What the folder shows while it waits for its turn among folders, and while it is at it. */
  readonly states: { readonly waiting: WorkingState; readonly working: WorkingState }
  run(check: FolderCheck, signal: AbortSignal): Promise<void>
}

export interface WaitingChore extends Chore {
  succeed(): void
  fail(error: unknown): void
}

/** First come, first served. */
export class Chores {
  readonly #waiting: { readonly chore: Chore; readonly result: PromiseWithResolvers<void> }[] = []
  #closed: TwinfoldError | undefined

  /** Resolves when it is done. */
  add(chore: Chore): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(
        new TwinfoldError('folder-error', `${WAITING_MAX} wishes for this folder are waiting already`),
      )
    }
    const result = Promise.withResolvers<void>()
    this.#waiting.push({ chore, result })
    return result.promise
  }

  take(): WaitingChore | undefined {
    const first = this.#waiting.shift()
    if (first === undefined) return undefined
    const { chore, result } = first
    return {
      states: chore.states,
      run: (check, signal) => chore.run(check, signal),
      succeed: result.resolve,
      fail: result.reject,
    }
  }

  /** Fails everybody who waits and whoever comes later. */
  close(reason: TwinfoldError): void {
    this.#closed = reason
    for (const { result } of this.#waiting.splice(0)) result.reject(reason)
  }
}
