import type { FolderId } from '../../core/ids.ts'
import { mayPullBeside, mayRequest, QUIET_MS, type DownloadingFolder } from '../../core/records/pull-shares.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Sources } from './sources.ts'

interface Share extends DownloadingFolder {
  inFlight: number
  lastMs: number
}

/** How folders share what devices send: those with a higher priority first, while the others still progress. */
export class PullShares {
  readonly #clock: Clock
  readonly #priorityOf: (folder: FolderId) => number
  readonly #shares = new Map<FolderId, Share>()
  readonly #pulling = new Set<FolderId>()

  constructor(clock: Clock, priorityOf: (folder: FolderId) => number) {
    this.#clock = clock
    this.#priorityOf = priorityOf
  }

  /** Whether the folder needs no slot, because all that pull have a lower priority. */
  isAboveAll(folder: FolderId): boolean {
    return mayPullBeside(this.#priorityOf(folder), [...this.#pulling].map(this.#priorityOf))
  }

  /** Until it is disposed, the folder pulls. */
  pull(folder: FolderId): Disposable {
    this.#pulling.add(folder)
    return { [Symbol.dispose]: () => void this.#pulling.delete(folder) }
  }

  /** The sources of a folder, whose requests wait for those of folders with a higher priority. */
  limit(folder: FolderId, sources: Sources): Sources {
    return {
      sourcesOf: (id, file, blockNumber) => sources.sourcesOf(id, file, blockNumber),
      onlySource: (id, file, holders) => sources.onlySource(id, file, holders),
      expectHolders: (id) => sources.expectHolders(id),
      hasConnectedDevice: (id) => sources.hasConnectedDevice(id),
      connectedDevices: (id) => sources.connectedDevices(id),
      shareFiles: (id, listener) => sources.shareFiles(id, listener),
      sendDownloadProgress: (...args) => sources.sendDownloadProgress(...args),
      request: (device, request, signal) => {
        const share = this.#shareOf(folder)
        const begin = () => this.#counted(share, sources.request(device, request, signal))
        return this.#mayRequest(folder, share) ? begin() : this.#whenAllowed(folder, share, signal).then(begin)
      },
    }
  }

  async #whenAllowed(folder: FolderId, share: Share, signal: AbortSignal): Promise<void> {
    while (!this.#mayRequest(folder, share)) await this.#clock.sleep(QUIET_MS / 4, signal)
  }

  #counted(share: Share, requested: Promise<Uint8Array>): Promise<Uint8Array> {
    share.inFlight++
    const ended = () => {
      share.inFlight--
      share.lastMs = this.#clock.monotonicMs()
    }
    requested.then(ended, ended)
    return requested
  }

  #mayRequest(folder: FolderId, share: Share): boolean {
    if (this.#shares.size === 1) return true // the usual case, without an array for every block
    const others = [...this.#shares].filter(([id]) => id !== folder && this.#pulling.has(id))
    if (others.length === 0) return true
    const withPriority = (id: FolderId, of: Share) => ({ ...of, priority: this.#priorityOf(id) })
    return mayRequest(
      withPriority(folder, share),
      others.map(([id, of]) => withPriority(id, of)),
      this.#clock.monotonicMs(),
    )
  }

  #shareOf(folder: FolderId): Share {
    const known = this.#shares.get(folder) ?? { priority: 0, inFlight: 0, lastMs: Number.NEGATIVE_INFINITY }
    this.#shares.set(folder, known)
    return known
  }
}
