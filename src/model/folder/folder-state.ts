import type { ErrorDetail } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { EventSink } from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FolderStateName } from '../types.ts'

export type WorkingState = Exclude<FolderStateName, 'error' | 'idle'>

export interface FolderStateDeps {
  readonly clock: Clock
  readonly events: EventSink
}

/**
 * The state of one folder and its change events. A scan or another task of the loop has precedence over a concurrent
 * pull; an error has precedence over both until the loop's next work.
 */
export class FolderState {
  readonly #deps: FolderStateDeps
  readonly #folder: FolderId
  #name: FolderStateName = 'idle'
  #error = ''
  #errorDetail: ErrorDetail | undefined
  /** Whole seconds, as in Syncthing's API; 0 before the first change. */
  #changedMs = 0
  #isWorking = false
  #pull: WorkingState | undefined

  constructor(deps: FolderStateDeps, folder: FolderId) {
    this.#deps = deps
    this.#folder = folder
  }

  get name(): FolderStateName {
    return this.#name
  }

  get isInError(): boolean {
    return this.#name === 'error'
  }

  get error(): string {
    return this.#error
  }

  get errorDetail(): ErrorDetail | undefined {
    return this.#errorDetail
  }

  get changedMs(): number {
    return this.#changedMs
  }

  /** The loop scans or performs a task. */
  setWork(state: WorkingState): void {
    this.#isWorking = true
    this.#move(state)
  }

  /** The loop has nothing to do, and the folder is in no error: the state is that of the pull, or idle. */
  endWork(): void {
    this.#isWorking = false
    this.#move(this.#pull ?? 'idle')
  }

  /** The state of the running pull; undefined when it has ended. */
  setPull(state: WorkingState | undefined): void {
    this.#pull = state
    if (!this.#isWorking && !this.isInError) this.#move(state ?? 'idle')
  }

  /** A new reason is reported also when the folder is in error already; the same reason only once. */
  fail(reason: string, detail?: ErrorDetail): void {
    this.#isWorking = false
    this.#errorDetail = detail
    if (this.isInError && this.#error === reason) return
    this.#error = reason
    this.#change('error')
  }

  #move(to: WorkingState | 'idle'): void {
    if (this.#name === to) return
    this.#error = ''
    this.#errorDetail = undefined
    this.#change(to)
  }

  #change(to: FolderStateName): void {
    const nowMs = this.#deps.clock.nowMs()
    const from = this.#name
    const duration = this.#changedMs === 0 ? {} : { duration: Math.max(0, nowMs - this.#changedMs) / 1_000 }
    this.#name = to
    this.#changedMs = Math.floor(nowMs / 1_000) * 1_000
    const error = to === 'error' ? { error: this.#error } : {}
    this.#deps.events.emit('StateChanged', { folder: this.#folder, from, to, ...duration, ...error })
  }
}
