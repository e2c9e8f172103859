import { blockSizeFor } from '../core/records/blocks.ts'
import type { FileHead } from '../core/records/file-info.ts'
import { joinPath } from '../core/paths.ts'
import type { Hasher, HashResult } from '../platform/hasher.ts'
import type { ScannedItem } from './attributes.ts'

/** A file to be hashed, and what we knew of it. */
export interface HashRequest {
  readonly item: ScannedItem
  readonly record: FileHead | undefined
  readonly blockSizeBytes: number
}

export interface HashQueueDeps {
  readonly hasher: Hasher
  readonly root: string
  readonly signal: AbortSignal
  /** Files hashed at the same time; 0 or less leaves that to the hasher. */
  readonly hashersMax: number
  onBytes(count: number): void
  /** Hashes one group's results; the next group may come while it has not resolved. */
  onResults(requests: readonly HashRequest[], results: readonly HashResult[]): Promise<void>
}

const GROUP_FILES_MAX = 256
const GROUP_BYTES_MAX = 64 * 1024 * 1024
const GROUPS_MAX = 4

/** Hands files to the hasher in groups. Bounded: who adds must wait for room. */
export class HashQueue {
  readonly #deps: HashQueueDeps
  #open: HashRequest[] = []
  #openBytes = 0
  readonly #running = new Set<Promise<void>>()
  #failure: { readonly reason: unknown } | undefined

  constructor(deps: HashQueueDeps) {
    this.#deps = deps
  }

  /** The hasher bounds what it does of one group: for a bound over all of them there must be one at a time. */
  get #groupsMax(): number {
    return this.#deps.hashersMax > 0 ? 1 : GROUPS_MAX
  }

  add(item: ScannedItem, record: FileHead | undefined): void {
    this.#open.push({ item, record, blockSizeBytes: blockSizeFor(item.sizeBytes, record?.blockSizeBytes) })
    this.#openBytes += item.sizeBytes
    if (this.#open.length >= GROUP_FILES_MAX || this.#openBytes >= GROUP_BYTES_MAX) this.#start()
  }

  /** Resolves when there is room for more. Rejects with what went wrong in any group. */
  async room(): Promise<void> {
    while (this.#running.size >= this.#groupsMax && this.#failure === undefined) await Promise.race(this.#running)
    if (this.#failure !== undefined) throw this.#failure.reason
  }

  /** Resolves when everything added is hashed and taken. */
  async drain(): Promise<void> {
    if (this.#open.length > 0) this.#start()
    while (this.#running.size > 0) await Promise.race(this.#running)
    if (this.#failure !== undefined) throw this.#failure.reason
  }

  #start(): void {
    const requests = this.#open
    this.#open = []
    this.#openBytes = 0
    const running = this.#hash(requests)
      .catch((reason: unknown) => {
        this.#failure ??= { reason }
      })
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  async #hash(requests: readonly HashRequest[]): Promise<void> {
    const { hasher, hashersMax, root, signal, onBytes, onResults } = this.#deps
    const jobs = requests.map(({ item, blockSizeBytes }) => ({
      path: joinPath(root, item.name),
      sizeBytes: item.sizeBytes,
      modifiedS: item.modifiedS,
      modifiedNs: item.modifiedNs,
      changeStamp: item.changeStamp,
      blockSizeBytes,
    }))
    const results = await hasher.hash(jobs, onBytes, signal, hashersMax > 0 ? { tasksMax: hashersMax } : {})
    if (this.#failure === undefined) await onResults(requests, results)
  }
}
