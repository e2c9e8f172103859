import { HASH_SIZE_BYTES } from '../core/records/blocks.ts'
import type { FileInfo } from '../core/records/file-info.ts'
import type { Clock } from '../platform/clock.ts'
import type { StoredBatch } from './types.ts'

export interface BatchDeps {
  readonly clock: Pick<Clock, 'monotonicMs'>
  updateLocal(batch: readonly FileInfo[]): Promise<number>
  setDiskStamps(stamps: ReadonlyMap<string, number>): Promise<void>
  /** Rejects when the root or the marker is missing, so that nothing more is stored. */
  checkHealth(): Promise<void>
  beforeBatch?(records: readonly FileInfo[]): Promise<void>
  onBatch(batch: StoredBatch): void
}

const RECORDS_MAX = 1_000
const RECORDS_MIN = 25
const BLOCKS_MAX = 5_000
const STAMPS_MAX = 500
/** Target duration of one batch, during which the database is locked for other users. */
const STORE_MS_GOAL = 3

/** Collects records and stores them in batches, one after the other. */
export class BatchWriter {
  readonly #deps: BatchDeps
  #pending: FileInfo[] = []
  #pendingBlocks = 0
  #stamps = new Map<string, number>()
  #limit = 250
  #last: Promise<void> = Promise.resolve()
  /** Records stored so far. */
  stored = 0

  constructor(deps: BatchDeps) {
    this.#deps = deps
  }

  add(record: FileInfo): void {
    this.#pending.push(record)
    this.#pendingBlocks += (record.blockHashes?.length ?? 0) / HASH_SIZE_BYTES
  }

  /** The file has the content of its record, but this stamp. */
  addStamp(name: string, stamp: number): void {
    this.#stamps.set(name, stamp)
  }

  get isFull(): boolean {
    return this.#pending.length >= this.#limit || this.#pendingBlocks >= BLOCKS_MAX || this.#stamps.size >= STAMPS_MAX
  }

  /** Resolves when everything added so far is stored. */
  flush(): Promise<void> {
    const batch = this.#pending
    this.#pending = []
    this.#pendingBlocks = 0
    const stamps = this.#stamps
    if (stamps.size > 0) this.#stamps = new Map()
    this.#last = this.#last.then(async () => {
      if (batch.length > 0) await this.#store(batch)
      if (stamps.size > 0) await this.#deps.setDiskStamps(stamps)
    })
    return this.#last
  }

  async #store(batch: readonly FileInfo[]): Promise<void> {
    await this.#deps.checkHealth()
    await this.#deps.beforeBatch?.(batch)
    const startMs = this.#deps.clock.monotonicMs()
    const sequence = await this.#deps.updateLocal(batch)
    this.#adapt(batch.length, this.#deps.clock.monotonicMs() - startMs)
    this.stored += batch.length
    this.#deps.onBatch({ records: batch, sequence })
  }

  /** Slow disks get smaller batches to keep the latency of other database users low; fast disks get larger ones. */
  #adapt(records: number, tookMs: number): void {
    if (records < RECORDS_MIN) return
    const fitting = tookMs <= 0 ? RECORDS_MAX : (records * STORE_MS_GOAL) / tookMs
    const next = Math.min(this.#limit * 2, Math.max(this.#limit / 2, fitting))
    this.#limit = Math.round(Math.min(RECORDS_MAX, Math.max(RECORDS_MIN, next)))
  }
}
