import { IgnoreRules } from '../../core/ignore/ignore.ts'
import { isBelow, isInternal } from '../../core/paths.ts'
import { DiskError } from '../disk-error.ts'
import type { Watcher, WatchEvent, WatchRequest } from '../watch.ts'
import type { SimDisk } from './disk.ts'

type Listener = (event: WatchEvent) => void

/** Reports changes of the simulated disk; can fail, lose events or report lost events on request. */
export class SimWatcher implements Watcher {
  readonly #disk: SimDisk
  readonly #open = new Set<{ readonly onEvent: Listener; readonly onFailure: (error: Error) => void }>()
  /** While true, events are dropped without a report. */
  deaf = false
  /** Given, every attempt to watch fails with it. */
  refusal: Error | undefined

  constructor(disk: SimDisk) {
    this.#disk = disk
  }

  async watch(request: WatchRequest, onEvent: Listener, onFailure: (error: Error) => void): Promise<AsyncDisposable> {
    if (this.refusal !== undefined) throw this.refusal
    const rules = new IgnoreRules(request.ignoreLines ?? [])
    const root = await this.#disk.realPath(request.root)
    const { type } = await this.#disk.stat(root)
    if (type !== 'directory') throw new DiskError('ENOTDIR', 'not a directory', 'watch', request.root)
    const subscription = this.#disk.subscribe(({ kind, path }) => {
      if (this.deaf || !isBelow(path, root)) return
      const name = path.slice(root.length + 1)
      if (!isInternal(name) && !rules.match(name.normalize('NFC')).ignored) onEvent({ kind, path: name })
    })
    const entry = { onEvent, onFailure }
    this.#open.add(entry)
    return {
      [Symbol.asyncDispose]: async () => {
        subscription[Symbol.dispose]()
        this.#open.delete(entry)
      },
    }
  }

  /** Reports lost events to all subscribers. */
  overflow(): void {
    for (const { onEvent } of this.#open) onEvent({ kind: 'overflow' })
  }

  /** Fails for all subscribers. */
  breakDown(error: Error): void {
    for (const { onFailure } of this.#open) onFailure(error)
  }
}
