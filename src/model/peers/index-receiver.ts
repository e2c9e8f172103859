import type { DeviceId, FolderId } from '../../core/ids.ts'
import { isAcceptable } from '../../core/records/version-vector.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { IndexData } from '../../protocol/types.ts'
import type { Clock } from '../../platform/clock.ts'
import { keepsRecords, type IndexPosition } from '../../core/records/index-position.ts'
import { turnsOf, type Turns } from '../../sync/turns.ts'

/** Records stored per batch: as many as take a few milliseconds on this machine, then other work runs. */
const RECORDS_PER_BATCH = { min: 50, max: 250 } as const
const BATCH_MS_MAX = 5

export interface IndexReceiverDeps {
  readonly clock: Clock
  readonly index: FolderIndex
  readonly events: EventSink
  readonly log: Logger
}

export interface IndexReceiverOptions {
  readonly device: DeviceId
  readonly folder: FolderId
  /** The index that the device announced. */
  readonly theirs: IndexPosition
}

/** Stores the index of one folder as one device sends it. */
export class IndexReceiver {
  readonly #deps: IndexReceiverDeps
  readonly #device: DeviceId
  readonly #folder: FolderId
  /** Shared with all connections. */
  readonly #turns: Turns
  /** The last sequence number received; undefined before the first message. */
  #receivedSequence: number | undefined
  #anomalyReported = false
  #batchSize: number = RECORDS_PER_BATCH.max
  /** Time spent storing since other work ran. */
  #workedMs = 0

  private constructor(deps: IndexReceiverDeps, { device, folder }: IndexReceiverOptions) {
    this.#deps = deps
    this.#device = device
    this.#folder = folder
    this.#turns = turnsOf(deps.clock)
  }

  /** The sequence number of the last record received in this exchange. */
  get receivedSequence(): number {
    return this.#receivedSequence ?? 0
  }

  /** Drops the stored records of the device unless its index id is unchanged. */
  static async begin(deps: IndexReceiverDeps, options: IndexReceiverOptions): Promise<IndexReceiver> {
    const { index, log } = deps
    const { device, folder, theirs } = options
    if (!keepsRecords(await index.exchange.remoteIndexId(device), theirs.indexId)) {
      log.debug(() => `folder ${folder}: ${device} has a new index`)
      await index.records.dropDevice(device)
      // Only now: if interrupted, the old index id shows that records are still to be dropped.
      await index.exchange.setRemoteIndexId(device, theirs.indexId)
    }
    return new IndexReceiver(deps, options)
  }

  /** A full index: replaces all stored records. */
  async index(data: IndexData): Promise<void> {
    await this.#deps.index.records.dropDevice(this.#device)
    this.#receivedSequence = 0
    await this.indexUpdate({ ...data, prevSequence: 0 })
  }

  async indexUpdate(data: IndexData): Promise<void> {
    const { events, index } = this.#deps
    const before = this.#receivedSequence ?? (await index.exchange.sequence(this.#device))
    this.#reportAnomaly(anomalyOf(data, before))
    for (let start = 0; start < data.files.length;) {
      const waiting = start > 0 ? this.#yield() : this.#turns.enter()
      if (waiting !== undefined) await waiting
      const batch = data.files.slice(start, start + this.#batchSize)
      await this.#storeBatch(batch)
      start += batch.length
    }
    // The next message may have been received already; an update of a few records costs no turn.
    if (this.#workedMs >= BATCH_MS_MAX / 2) await this.#yield()
    // Unusable records, possibly the last one, are left out while decoding.
    this.#receivedSequence = Math.max(data.files.at(-1)?.sequence ?? before, data.lastSequence)
    const sequence = await index.exchange.sequence(this.#device)
    const items = data.files.length
    events.emit('RemoteIndexUpdated', {
      device: this.#device,
      folder: this.#folder,
      items,
      sequence,
      version: sequence,
    })
  }

  async #storeBatch(batch: IndexData['files']): Promise<void> {
    const { clock, index } = this.#deps
    const startedMs = clock.monotonicMs()
    const storing = index.records.updateRemote(this.#device, batch)
    this.#turns.worked(clock.monotonicMs() - startedMs)
    await storing
    const tookMs = clock.monotonicMs() - startedMs
    this.#workedMs += tookMs
    const { min, max } = RECORDS_PER_BATCH
    if (tookMs > BATCH_MS_MAX) this.#batchSize = Math.max(min, Math.floor((batch.length * BATCH_MS_MAX) / tookMs))
    else if (tookMs < BATCH_MS_MAX / 2) this.#batchSize = Math.min(max, this.#batchSize * 2)
  }

  /** Other work runs. */
  async #yield(): Promise<void> {
    this.#workedMs = 0
    await this.#turns.next()
  }

  /** Logged once per exchange: a device with wrong numbers sends them in every message. */
  #reportAnomaly(anomaly: string | undefined): void {
    if (anomaly === undefined || this.#anomalyReported) return
    this.#anomalyReported = true
    const message = `index of folder ${this.#folder} from ${this.#device}: ${anomaly}`
    this.#deps.log.warn(message)
    this.#deps.events.emit('Failure', message)
  }
}

/** What is wrong with the numbers of a message. Diagnostic only: the records are stored in any case. */
export function anomalyOf(
  { files, lastSequence, prevSequence }: IndexData,
  receivedSequence: number,
): string | undefined {
  // Duplicates are harmless: they occur when both sides restart while records are in transit.
  if (prevSequence > receivedSequence) return `continues at ${prevSequence}, received up to ${receivedSequence}`
  let previous = prevSequence
  for (const { sequence, localFlags, name, version } of files) {
    // Only records that are not used can have one, so the counters of all others need no second look.
    if (localFlags !== 0 && !isAcceptable(version)) return `version of ${JSON.stringify(name)} is not acceptable`
    if (sequence <= previous) return `sequence ${sequence} follows ${previous}`
    previous = sequence
  }
  // Older versions do not send the last sequence.
  if (lastSequence > 0 && lastSequence < previous) return `announces its end at ${lastSequence}, ends at ${previous}`
  return undefined
}
