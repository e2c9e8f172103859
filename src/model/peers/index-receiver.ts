import type { DeviceId, FolderId } from '../../core/ids.ts'
import type { FolderIndex } from '../../db/types.ts'
import type { EventSink, Logger } from '../../events/types.ts'
import type { IndexData } from '../../protocol/types.ts'
import type { Clock } from '../../platform/clock.ts'
import { keepsRecords, type IndexPosition } from './cluster-config.ts'

/** Records stored in one go: a few milliseconds, then others have their turn. */
const RECORDS_AT_ONCE = 250
const NEVER = new AbortController().signal

export interface IndexReceiverDeps {
  readonly clock: Clock
  readonly index: FolderIndex
  readonly events: EventSink
  readonly log: Logger
}

/** Keeps what one device tells about one folder. */
export class IndexReceiver {
  readonly #deps: IndexReceiverDeps
  readonly #device: DeviceId
  readonly #folder: FolderId
  /** The last sequence number heard; undefined until something was. */
  #heardUpTo: number | undefined
  #complained = false

  private constructor(
    deps: IndexReceiverDeps,
    { device, folder }: { readonly device: DeviceId; readonly folder: FolderId },
  ) {
    this.#deps = deps
    this.#device = device
    this.#folder = folder
  }

  /** The number of the last record it told of over this exchange. */
  get heardUpTo(): number {
    return this.#heardUpTo ?? 0
  }

  /** Forgets what the device told earlier, unless it goes on with the same index. */
  static async begin(
    deps: IndexReceiverDeps,
    options: { readonly device: DeviceId; readonly folder: FolderId; readonly theirs: IndexPosition },
  ): Promise<IndexReceiver> {
    const { index, log } = deps
    const { device, folder, theirs } = options
    if (!keepsRecords(await index.remoteIndexId(device), theirs.indexId)) {
      log.debug(() => `folder ${folder}: ${device} has a new index`)
      await index.dropDevice(device)
      // Only now: stopped half-way, the number of the old index says that there is still something to forget.
      await index.setRemoteIndexId(device, theirs.indexId)
    }
    return new IndexReceiver(deps, options)
  }

  /** All of an index: nothing that was told before holds. */
  async index(data: IndexData): Promise<void> {
    await this.#deps.index.dropDevice(this.#device)
    this.#heardUpTo = 0
    await this.indexUpdate({ ...data, prevSequence: 0 })
  }

  async indexUpdate(data: IndexData): Promise<void> {
    const { clock, events, index } = this.#deps
    const before = this.#heardUpTo ?? (await index.sequence(this.#device))
    this.#complain(anomalyOf(data, before))
    for (let start = 0; start < data.files.length; start += RECORDS_AT_ONCE) {
      if (start > 0) await clock.sleep(0, NEVER)
      await index.updateRemote(this.#device, data.files.slice(start, start + RECORDS_AT_ONCE))
    }
    // Records that nobody can use are left out on the way, the last one perhaps.
    this.#heardUpTo = Math.max(data.files.at(-1)?.sequence ?? before, data.lastSequence)
    const sequence = await index.sequence(this.#device)
    const items = data.files.length
    events.emit('RemoteIndexUpdated', {
      device: this.#device,
      folder: this.#folder,
      items,
      sequence,
      version: sequence,
    })
  }

  /** Said once for each exchange: a device that counts wrongly does so in every message. */
  #complain(anomaly: string | undefined): void {
    if (anomaly === undefined || this.#complained) return
    this.#complained = true
    const message = `index of folder ${this.#folder} from ${this.#device}: ${anomaly}`
    this.#deps.log.warn(message)
    this.#deps.events.emit('Failure', message)
  }
}

/** What is wrong with the numbers of a message. Nothing depends on it: the records are kept all the same. */
export function anomalyOf({ files, lastSequence, prevSequence }: IndexData, heardUpTo: number): string | undefined {
  // What is told twice does no harm: it happens when the two sides begin anew while records are on their way.
  if (prevSequence > heardUpTo) return `continues at ${prevSequence}, heard up to ${heardUpTo}`
  let previous = prevSequence
  for (const { sequence } of files) {
    if (sequence <= previous) return `sequence ${sequence} follows ${previous}`
    previous = sequence
  }
  // Older versions do not say where a message ends.
  if (lastSequence > 0 && lastSequence < previous) return `says it ends at ${lastSequence}, ends at ${previous}`
  return undefined
}
