import { blockSizeFor } from '../core/records/blocks.ts'
import type { FileHead } from '../core/records/file-info.ts'
import { joinPath } from '../core/paths.ts'
import type { Hasher, HashResult } from '../platform/hasher.ts'
import type { ScannedItem } from './attributes.ts'
import { TaskSet } from '../sync/task-set.ts'

/** A file to be hashed, with its current record. */
export interface HashRequest {
  readonly item: ScannedItem
  readonly record: FileHead | undefined
  /** A kept file whose stamp has changed. */
  readonly isKept: boolean
  readonly blockSizeBytes: number
}

export interface HashQueueDeps {
  readonly hasher: Hasher
  readonly root: string
  readonly signal: AbortSignal
  /** Files hashed in parallel; 0 or less uses the hasher's default. */
  readonly hashersMax: number
  onBytes(count: number): void
  /** Receives the results of one group; the next call may come before it resolves. */
  onResults(requests: readonly HashRequest[], results: readonly HashResult[]): Promise<void>
}

/** What waits for the hasher outlives collections of garbage: the young generation would grow with it. */
const GROUP_FILES_MAX = 128
const GROUP_BYTES_MAX = 64 * 1024 * 1024
const GROUPS_MAX = 4

/** Passes files to the hasher in groups. Bounded: callers of `add` must wait for `room`. */
export class HashQueue {
  readonly #deps: HashQueueDeps
  #open: HashRequest[] = []
  #openBytes = 0
  /** Full groups, which wait for a place among those that are hashed. */
  readonly #waiting: HashRequest[][] = []
  readonly #running = new TaskSet()
  #failure: { readonly reason: unknown } | undefined

  constructor(deps: HashQueueDeps) {
    this.#deps = deps
  }

  /** The hasher limits the parallelism within one group, so a limit over all groups requires one group at a time. */
  get #groupsMax(): number {
    return this.#deps.hashersMax > 0 ? 1 : GROUPS_MAX
  }

  /** `kept`: the kept file with which its content is to be compared. */
  add(item: ScannedItem, record: FileHead | undefined, kept?: FileHead): void {
    const blockSizeBytes = blockSizeFor(item.sizeBytes, (kept ?? record)?.blockSizeBytes)
    this.#open.push({ item, record, isKept: kept !== undefined, blockSizeBytes })
    this.#openBytes += item.sizeBytes
    if (this.#open.length >= GROUP_FILES_MAX || this.#openBytes >= GROUP_BYTES_MAX) this.#close()
  }

  /** Resolves when there is room for more. Rejects with the first failure of any group. */
  async room(): Promise<void> {
    while (!this.#hasRoom() && this.#failure === undefined) await this.#running.anyEnded()
    if (this.#failure !== undefined) throw this.#failure.reason
  }

  /** Resolves when all added files are hashed and their results processed. */
  async drain(): Promise<void> {
    if (this.#open.length > 0) this.#close()
    while (!this.#hasStartedAll() && this.#failure === undefined) await this.#running.anyEnded()
    await this.#running.ended()
    if (this.#failure !== undefined) throw this.#failure.reason
  }

  #close(): void {
    this.#waiting.push(this.#open)
    this.#open = []
    this.#openBytes = 0
    this.#startWaiting()
  }

  #hasRoom(): boolean {
    this.#startWaiting()
    return this.#running.size < this.#groupsMax
  }

  #hasStartedAll(): boolean {
    this.#startWaiting()
    return this.#waiting.length === 0
  }

  #startWaiting(): void {
    while (this.#running.size < this.#groupsMax) {
      const requests = this.#waiting.shift()
      if (requests === undefined) return
      this.#start(requests)
    }
  }

  #start(requests: readonly HashRequest[]): void {
    const hashed = this.#hash(requests).catch((reason: unknown) => {
      this.#failure ??= { reason }
    })
    this.#running.add(hashed)
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
