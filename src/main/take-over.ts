import { shortIdOf } from '../core/device-id.ts'
import { TwinfoldError } from '../core/errors.ts'
import type { FolderId } from '../core/ids.ts'
import type { ImportingStore } from '../db/store.ts'
import { prepareImport, type ImportStatus, type IndexImport } from '../db/syncthing/import.ts'
import { savePending } from '../model/peers/pending-entries.ts'
import type { Statistics } from '../stats/stats.ts'
import type { DeviceBase } from './device-base.ts'

export interface TakeOverParts {
  readonly store: ImportingStore
  readonly statistics: Statistics
}

/** Takes over the index of a Syncthing that used this home, before any scan. */
export class TakeOver {
  readonly #base: DeviceBase
  readonly #store: ImportingStore
  readonly #import: IndexImport
  readonly #folders: readonly FolderId[]
  #isOver = false

  private constructor(base: DeviceBase, store: ImportingStore, prepared: IndexImport) {
    this.#base = base
    this.#store = store
    this.#import = prepared
    this.#folders = base.config.current.folders.map(({ id }) => id)
    const reason = new TwinfoldError('database-unavailable', 'the index of Syncthing is being imported')
    for (const folder of this.#folders) store.refuse(folder, reason)
  }

  /** Undefined: there is nothing to take over. Otherwise no folder is opened before the end of `run`. */
  static async prepare(base: DeviceBase, { store, statistics }: TakeOverParts): Promise<TakeOver | undefined> {
    const { platform, options, config, identity, logger } = base
    if (options.databaseInMemory) return undefined
    const { disk, clock } = platform
    const { dataDirectory, databaseDirectory } = options.locations
    const prepared = await prepareImport(
      { disk, clock, store, log: logger('db') },
      {
        dataDirectory,
        databaseDirectory,
        folders: config.current.folders.map(({ id, devices }) => ({
          id,
          devices: new Set(devices.map(({ deviceID }) => deviceID).filter((device) => device !== identity.deviceId)),
        })),
        ownShortId: shortIdOf(identity.deviceId),
      },
    )
    if (prepared === undefined) return undefined
    if (prepared.extras !== undefined) {
      await statistics.restore(prepared.extras)
      await savePending(store.keyValue, prepared.extras)
    }
    return new TakeOver(base, store, prepared)
  }

  /** Undefined when it has ended. */
  get status(): ImportStatus | undefined {
    return this.#isOver ? undefined : this.#import.status
  }

  /**
   * A folder whose index cannot be read stays closed: what it lacks must not be taken for deleted or new. Returns early
   * when the signal aborts; the next start continues.
   */
  async run(signal: AbortSignal): Promise<void> {
    await using running = this.#import
    const failed = await running.run(signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    if (failed === undefined) return
    for (const folder of this.#folders) {
      const reason = failed.get(folder)
      if (reason === undefined) this.#store.accept(folder)
      else this.#refuse(folder, reason)
    }
    this.#isOver = true
  }

  #refuse(folder: FolderId, reason: TwinfoldError): void {
    this.#base.logger('main').warn(`folder ${folder} is not opened: ${reason.message}`)
    this.#store.refuse(folder, reason)
  }
}
