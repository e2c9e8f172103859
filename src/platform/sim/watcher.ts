import { IgnoreRules } from '../../core/ignore/ignore.ts'
import { isBelow, isInternal } from '../../core/paths.ts'
import { DiskError } from '../disk-error.ts'
import type { Watcher, WatchEvent, WatchRequest } from '../watch.ts'
import type { SimDisk } from './disk.ts'

type Listener = (event: WatchEvent) => void

/** Reports what happens on the simulated disk, unless told to fail, to lose events or to say that it lost some. */
export class SimWatcher implements Watcher {
  readonly #disk: SimDisk
  readonly #open = new Set<{ readonly onEvent: Listener; readonly onFailure: (error: Error) => void }>()
  /** While true events are lost, and nobody is told. */
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

  /** Says to everybody that events were lost. */
  overflow(): void {
    for (const { onEvent } of this.#open) onEvent({ kind: 'overflow' })
  }

  /** Breaks down for everybody who watches. */
  breakDown(error: Error): void {
    for (const { onFailure } of this.#open) onFailure(error)
  }
}
