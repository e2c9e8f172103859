import { FLAG_RECEIVE_ONLY, type FileInfo } from '../../core/records/file-info.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { IndexPosition } from '../../core/records/index-position.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { Logger } from '../../events/types.ts'
import type { Connection } from '../../protocol/types.ts'
import { turnsOf, type Turns } from '../../sync/turns.ts'
import { Wakeup } from '../../sync/wakeup.ts'
import type { Clock } from '../../platform/clock.ts'

const BATCH = { files: 1_000, blocks: 5_000 } as const
/** Between reads of the index, so that many small changes are sent in one message. */
const PAUSE_MS = 250
/** Finds changes without a notification. */
const RECHECK_MS = 60_000

export interface IndexSenderDeps {
  readonly clock: Clock
  readonly device: DeviceId
  readonly index: FolderIndex
  readonly connection: Pick<Connection, 'index' | 'indexUpdate'>
  readonly log: Logger
}

/** Sends the changes of one folder to one device in sequence order until the signal aborts. */
export class IndexSender {
  readonly #deps: IndexSenderDeps
  readonly #folder: FolderId
  readonly #isEncrypted: boolean
  readonly #turns: Turns
  readonly #wakeup = new Wakeup()
  #indexId: bigint
  #sentSequence: number

  /** `start` is the result of `startOfSending` for the index with that id. */
  constructor(
    deps: IndexSenderDeps,
    options: {
      readonly folder: FolderId
      readonly indexId: bigint
      readonly start: number
      /** The folder is stored encrypted: what is not encrypted does not belong to it, and stays here. */
      readonly isEncrypted?: boolean
    },
  ) {
    this.#deps = deps
    this.#turns = turnsOf(deps.clock)
    this.#folder = options.folder
    this.#indexId = options.indexId
    this.#sentSequence = options.start
    this.#isEncrypted = options.isEncrypted ?? false
  }

  /** The index id and the last sequence sent. */
  get position(): IndexPosition {
    return { indexId: this.#indexId, sequence: this.#sentSequence }
  }

  /** The index changed: it is sent soon. */
  changed(): void {
    this.#wakeup.ring()
  }

  /** Returns when the signal aborts; rejects when the index or the connection fails. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      for (;;) {
        if (await this.#sendAll(signal)) await this.#deps.clock.sleep(PAUSE_MS, signal)
        await this.#wakeup.waitAtMost(this.#deps.clock, RECHECK_MS, signal)
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }

  /** Whether anything was sent. */
  async #sendAll(signal: AbortSignal): Promise<boolean> {
    const { index } = this.#deps
    const indexId = await index.exchange.indexId()
    if (indexId !== this.#indexId) {
      // The index was lost and recreated: its sequence numbers refer to other records now.
      this.#indexId = indexId
      this.#sentSequence = 0
    }
    for (let sent = false; ; sent = true) {
      const entering = this.#turns.enter()
      if (entering !== undefined) await entering
      const batch = await this.#counted(() => index.exchange.localSince(this.#sentSequence, BATCH))
      signal.throwIfAborted()
      const last = batch.at(-1)
      if (last === undefined) return sent
      await this.#send(batch, last.sequence)
    }
  }

  async #send(batch: readonly FileInfo[], lastSequence: number): Promise<void> {
    const { connection, device, index, log } = this.#deps
    const prevSequence = this.#sentSequence
    const announced = this.#isEncrypted ? batch.filter(({ encrypted }) => encrypted !== undefined) : batch
    const data = { folder: this.#folder, files: announced.map(announcementOf), lastSequence, prevSequence }
    log.debug(() => `folder ${this.#folder}: sending ${announced.length} records, ${prevSequence} to ${lastSequence}`)
    await index.exchange.setSentSequence(device, lastSequence)
    await this.#counted(() => (prevSequence === 0 ? connection.index(data) : connection.indexUpdate(data)))
    this.#sentSequence = lastSequence
  }

  /** What it takes until it waits is counted: a change is sent to many devices at once. */
  #counted<T>(begin: () => Promise<T>): Promise<T> {
    const { clock } = this.#deps
    const startedMs = clock.monotonicMs()
    const begun = begin()
    this.#turns.worked(clock.monotonicMs() - startedMs)
    return begun
  }
}

/** A record as it is sent: a receive-only change has an empty version. */
function announcementOf(info: FileInfo): FileInfo {
  return (info.localFlags & FLAG_RECEIVE_ONLY) === 0 ? info : { ...info, version: [] }
}
