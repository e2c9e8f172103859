import { TwinfoldError } from '../../core/errors.ts'
import type { FolderCheck } from './folder-checks.ts'
import type { WorkingState } from './folder-state.ts'

/** Limit of queued tasks per folder; bounds memory when a script sends requests in a loop. */
const WAITING_MAX = 1_000

/** A requested operation that is neither a scan nor a pull. Tasks run between scans, one at a time. */
export interface FolderTask {
  /** Folder states while the task waits for a slot and while it runs. */
  readonly states: { readonly waiting: WorkingState; readonly working: WorkingState }
  run(check: FolderCheck, signal: AbortSignal): Promise<void>
}

export interface QueuedTask extends FolderTask {
  succeed(): void
  fail(error: unknown): void
}

/** FIFO queue. */
export class TaskQueue {
  readonly #waiting: { readonly task: FolderTask; readonly result: PromiseWithResolvers<void> }[] = []
  #closed: TwinfoldError | undefined

  /** Resolves when the task has ended. */
  add(task: FolderTask): Promise<void> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed)
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(
        new TwinfoldError('folder-error', `${WAITING_MAX} requests for this folder are queued already`),
      )
    }
    const result = Promise.withResolvers<void>()
    this.#waiting.push({ task, result })
    return result.promise
  }

  take(): QueuedTask | undefined {
    const first = this.#waiting.shift()
    if (first === undefined) return undefined
    const { task, result } = first
    return {
      states: task.states,
      run: (check, signal) => task.run(check, signal),
      succeed: result.resolve,
      fail: result.reject,
    }
  }

  /** Rejects all queued tasks and all later ones. */
  close(reason: TwinfoldError): void {
    this.#closed = reason
    for (const { result } of this.#waiting.splice(0)) result.reject(reason)
  }
}
