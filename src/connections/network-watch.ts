import type { Clock } from '../platform/clock.ts'
import type { System } from '../platform/platform.ts'
import type { Service } from '../sync/supervisor.ts'

/** Interval of checks; the system sends no notification that Node can receive. */
const CHECK_MS = 2_000

export interface NetworkWatchDeps {
  readonly clock: Clock
  readonly system: Pick<System, 'networks'>
  /** The addresses of the machine are not those of the last call. */
  onChange(): void
}

/** Notices that the machine is in another network. */
export class NetworkWatch implements Service {
  readonly name = 'network watch'
  readonly #deps: NetworkWatchDeps
  #known = ''

  constructor(deps: NetworkWatchDeps) {
    this.#deps = deps
  }

  /** Compares the addresses now, for callers that notice a change earlier. */
  check(): void {
    const present = JSON.stringify(this.#deps.system.networks())
    const isChanged = this.#known !== '' && present !== this.#known
    this.#known = present
    if (isChanged) this.#deps.onChange()
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.check()
      await this.#deps.clock.sleep(CHECK_MS, signal).catch(() => {}) // an abort ends the loop
    }
  }
}
