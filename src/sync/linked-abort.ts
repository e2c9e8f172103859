import { WORK_ENDED } from '../core/never.ts'

/**
 * A controller that also aborts when another signal does. Disposed of when the work has ended, with an abort of what is
 * left. Its signal is cheaper to check than one that is composed of two.
 */
export class LinkedAbort extends AbortController implements Disposable {
  readonly #outer: AbortSignal
  readonly #onAbort = () => this.abort(this.#outer.reason)

  constructor(outer: AbortSignal) {
    super()
    this.#outer = outer
    if (outer.aborted) this.#onAbort()
    else outer.addEventListener('abort', this.#onAbort)
  }

  [Symbol.dispose](): void {
    this.#outer.removeEventListener('abort', this.#onAbort)
    this.abort(WORK_ENDED)
  }
}
