import { sortScope, type ScanScope, WHOLE_FOLDER } from '../../core/paths.ts'
import type { TwinfoldError } from '../../core/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import type { FolderCheck } from './folder-checks.ts'
import type { WorkingState } from './folder-state.ts'
import { RequestQueue, type QueuedRequest } from './request-queue.ts'

/** Limit of queued lists of changed paths; beyond it a full scan is cheaper. */
const CHANGES_MAX = 16

/** A scan with a waiting caller. */
export interface RequestedScan {
  readonly scope: ScanScope
  /** Delay until the next automatic rescan, if the request gave one. */
  readonly nextMs: number | undefined
}

/** A requested operation that is neither a scan nor a pull. Tasks run between scans, one at a time. */
export interface FolderTask {
  /** Folder states while the task waits for a slot and while it runs. */
  readonly states: { readonly waiting: WorkingState; readonly working: WorkingState }
  run(check: FolderCheck, signal: AbortSignal): Promise<void>
}

/** What REST calls, the watcher, pulls and other devices request of one folder; its loop takes the requests out. */
export class FolderRequests {
  readonly #scans = new RequestQueue<RequestedScan>()
  readonly #tasks = new RequestQueue<FolderTask>()
  readonly #wakeup = new Wakeup()
  #isFullScanWanted = false
  #changedPaths: ScanScope[] = []

  /** Resolves when the scan has ended and the index holds its results. The scan continues when the caller aborts. */
  scan(scope: ScanScope, nextMs: number | undefined): Promise<void> {
    const result = this.#scans.add(JSON.stringify(scope), (queued) => ({ scope, nextMs: nextMs ?? queued?.nextMs }))
    this.#wakeup.ring()
    return result
  }

  /** Resolves when the task has ended. The task continues when the caller aborts. */
  perform(task: FolderTask): Promise<void> {
    const result = this.#tasks.add(task, () => task)
    this.#wakeup.ring()
    return result
  }

  /** Schedules a full scan without waiting for it. */
  scanSoon(): void {
    this.#isFullScanWanted = true
    this.#wakeup.ring()
  }

  /** Queues one scan of these paths. */
  scanPaths(paths: readonly string[]): void {
    if (paths.length === 0) return
    if (this.#changedPaths.length >= CHANGES_MAX) this.#changedPaths = [WHOLE_FOLDER]
    else this.#changedPaths.push(sortScope(paths)) // out of order a record would not be found, and its version lost
    this.#wakeup.ring()
  }

  /** Makes the loop decide again what to do. */
  wake(): void {
    this.#wakeup.ring()
  }

  get isFullScanWanted(): boolean {
    return this.#isFullScanWanted
  }

  takeScan(): QueuedRequest<RequestedScan> | undefined {
    return this.#scans.take()
  }

  takeTask(): QueuedRequest<FolderTask> | undefined {
    return this.#tasks.take()
  }

  takePaths(): ScanScope | undefined {
    return this.#changedPaths.shift()
  }

  /** A full scan begins, which covers all changed paths. */
  fullScanBegins(): void {
    this.#changedPaths = []
    this.#isFullScanWanted = false
  }

  /** Resolves after a request or the delay. */
  async wait(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
    if (delayMs === Number.POSITIVE_INFINITY) await this.#wakeup.wait(signal)
    else await this.#wakeup.waitAtMost(clock, delayMs, signal)
  }

  /** Rejects all scans and tasks, and all later ones. */
  close(reason: TwinfoldError): void {
    this.#scans.close(reason)
    this.#tasks.close(reason)
  }
}
