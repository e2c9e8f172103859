import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { FolderId } from '../../core/ids.ts'
import type { EventSink, FolderSummaryData, Logger } from '../../events/types.ts'
import type { Service } from '../../sync/supervisor.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import type { ModelSignals } from '../signals.ts'
import type { Clock } from '../../platform/clock.ts'

const DELAY_MS = 2_000

export interface SummaryDeps {
  readonly clock: Clock
  readonly events: EventSink
  readonly log: Logger
  readonly signals: Pick<ModelSignals, 'summaryPublished'>
  /** The response of `GET /rest/db/status`, as an object. */
  summaryOf(folder: FolderId): Promise<FolderSummaryData>
}

/** Publishes the summary of a folder after changes, delayed so that many changes share one event. */
export class SummaryPublisher implements Service {
  readonly name = 'model/summary'
  readonly #deps: SummaryDeps
  readonly #touched = new Set<FolderId>()
  readonly #wakeup = new Wakeup()

  constructor(deps: SummaryDeps) {
    this.#deps = deps
  }

  touch(folder: FolderId): void {
    this.#touched.add(folder)
    this.#wakeup.ring()
  }

  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#wakeup.wait(signal)
      await this.#deps.clock.sleep(DELAY_MS, signal)
      const folders = [...this.#touched]
      this.#touched.clear()
      const startedMs = this.#deps.clock.monotonicMs()
      for (const folder of folders) await this.#publish(folder)
      // Slow summaries are computed less often: two thirds of the time are left to other work.
      await this.#deps.clock.sleep(2 * (this.#deps.clock.monotonicMs() - startedMs), signal)
    }
  }

  async #publish(folder: FolderId): Promise<void> {
    try {
      const summary = await this.#deps.summaryOf(folder)
      this.#deps.events.emit('FolderSummary', { folder, summary })
      this.#deps.signals.summaryPublished.emit(folder)
    } catch (error) {
      // A folder that was removed or paused meanwhile has no counts; any other failure shows in its own state.
      if (!(error instanceof TwinfoldError)) throw error
      this.#deps.log.debug(() => `folder ${folder}: no summary: ${messageOf(error)}`)
    }
  }
}
