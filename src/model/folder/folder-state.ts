import type { EventSink } from '../../events/types.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FolderStateName } from '../types.ts'

export type WorkingState = Exclude<FolderStateName, 'error'>

export interface FolderStateDeps {
  readonly clock: Clock
  readonly events: EventSink
}

/** The state of one folder and its change events. Only the folder's loop changes it. */
export class FolderState {
  readonly #deps: FolderStateDeps
  readonly #folder: string
  #name: FolderStateName = 'idle'
  #error = ''
  /** Whole seconds, as in Syncthing's API; 0 before the first change. */
  #changedMs = 0

  constructor(deps: FolderStateDeps, folder: string) {
    this.#deps = deps
    this.#folder = folder
  }

  get name(): FolderStateName {
    return this.#name
  }

  get error(): string {
    return this.#error
  }

  get changedMs(): number {
    return this.#changedMs
  }

  /** No-op if the folder already is in this state. */
  move(to: WorkingState): void {
    if (this.#name === to) return
    this.#error = ''
    this.#change(to)
  }

  /** A new reason is reported also when the folder is in error already; the same reason only once. */
  fail(reason: string): void {
    if (this.#name === 'error' && this.#error === reason) return
    this.#error = reason
    this.#change('error')
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
