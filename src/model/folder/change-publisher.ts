import { shortIdText } from '../../core/device-id.ts'
import type { FolderId, ShortId } from '../../core/ids.ts'
import { isInvalid, type FileHead } from '../../core/records/file-info.ts'
import type { EventSink } from '../../events/types.ts'
import type { StoredBatch } from '../../scanner/types.ts'
import type { Statistics } from '../../stats/stats.ts'
import type { Clock } from '../../platform/clock.ts'
import type { ModelSignals } from '../signals.ts'
import { ITEM_TYPES } from '../state/item-types.ts'

export interface ChangePublisherDeps {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly events: EventSink
  readonly signals: ModelSignals
  readonly statistics: Pick<Statistics, 'received'>
  readonly platform: string
  /** The current label: it may change while the folder runs. */
  label(): string
}

export interface ChangePublisherOptions {
  readonly folder: FolderId
  readonly ownShortId: ShortId
}

/** Publishes records that were stored in the index of one folder: events for clients, signals for other devices. */
export class ChangePublisher {
  readonly #deps: ChangePublisherDeps
  readonly #folder: FolderId
  readonly #ownShortId: ShortId
  readonly #ownName: string

  constructor(deps: ChangePublisherDeps, { folder, ownShortId }: ChangePublisherOptions) {
    this.#deps = deps
    this.#folder = folder
    this.#ownShortId = ownShortId
    this.#ownName = shortIdText(ownShortId)
  }

  /** Changes of this device. */
  publishLocal({ records, sequence }: StoredBatch): void {
    this.#publish('LocalChangeDetected', records, sequence)
  }

  /** Changes of other devices that were applied here. */
  async publishPulled(records: readonly FileHead[], sequence: number): Promise<void> {
    this.#publish('RemoteChangeDetected', records, sequence)
    const last = records.findLast((record) => !isInvalid(record) && record.type !== 'directory')
    if (last === undefined) return
    const atMs = this.#deps.clock.nowMs()
    await this.#deps.statistics.received(this.#folder, { filename: last.name, deleted: last.deleted, atMs })
  }

  #publish(type: 'LocalChangeDetected' | 'RemoteChangeDetected', records: readonly FileHead[], sequence: number): void {
    const { events, platform, signals } = this.#deps
    const folder = this.#folder
    const label = this.#deps.label()
    const filenames = records.map((record) => record.name)
    events.emit('LocalIndexUpdated', { folder, items: records.length, filenames, sequence, version: sequence })
    signals.localIndexChanged.emit(folder)
    let author = this.#ownShortId
    let authorName = this.#ownName
    for (const record of records) {
      if (isInvalid(record)) continue
      if (record.modifiedBy !== author) {
        author = record.modifiedBy
        authorName = shortIdText(author)
      }
      events.emit(type, {
        folder,
        folderID: folder,
        label,
        path: platform === 'win32' ? record.name.replaceAll('/', '\\') : record.name,
        type: ITEM_TYPES[record.type],
        action: record.deleted ? 'deleted' : 'modified',
        modifiedBy: authorName,
      })
    }
    signals.countsChanged.emit(folder)
  }
}
