import type { FileInfo } from '../../core/records/file-info.ts'
import type { DeviceId, ShortId } from '../../core/ids.ts'
import type { Random } from '../../platform/random.ts'
import { newIndexId, type FolderTables } from './folder-tables.ts'
import type { RecoverableDatabase } from '../sqlite/recoverable-database.ts'
import { readMeta, writeMeta } from '../sqlite/meta.ts'
import { SENT_KEY, sentText } from './meta-keys.ts'
import { Restart } from './restart.ts'
import type { IndexPosition } from '../../core/records/index-position.ts'
import type { BatchLimits, ExchangeState, IndexOwner, IndexPositions, IndexRestart } from '../types.ts'

const MIN_COUNTER_KEY = 'min-counter'
const SENT = /^([0-9a-f]+) (\d+)$/

/** Implements `ExchangeState` on the database of a folder. */
export class StoredExchangeState implements ExchangeState {
  readonly #database: RecoverableDatabase<FolderTables>
  readonly #random: Random

  constructor(database: RecoverableDatabase<FolderTables>, random: Random) {
    this.#database = database
    this.#random = random
  }

  sequence(owner: IndexOwner): Promise<number> {
    return this.#database.run(({ files }) => files.state.holder(owner)?.sequence ?? 0)
  }

  remoteSequences(): Promise<ReadonlyMap<DeviceId, number>> {
    return this.#database.run(({ files }) => files.state.remoteSequences())
  }

  localSince(sequence: number, limits: BatchLimits): Promise<readonly FileInfo[]> {
    return this.#database.run(({ sequences }) => sequences.since(sequence, limits))
  }

  sentSequence(device: DeviceId): Promise<number | undefined> {
    return this.#database.run(({ files: { database, state } }) => {
      const [, indexId, sequence] = SENT.exec(readMeta(database, SENT_KEY + device) ?? '') ?? []
      if (indexId === state.indexId.toString(16)) return Number(sequence)
      return state.counterId === undefined ? undefined : 0
    })
  }

  setSentSequence(device: DeviceId, sequence: number): Promise<void> {
    return this.#database.run(({ files: { database, state } }) =>
      writeMeta(database, SENT_KEY + device, sentText(state.indexId, sequence)),
    )
  }

  indexId(): Promise<bigint> {
    return this.#database.run(({ files }) => files.state.indexId)
  }

  remoteIndexId(device: DeviceId): Promise<bigint> {
    return this.#database.run(({ remoteIds }) => remoteIds.all.get(device) ?? 0n)
  }

  setRemoteIndexId(device: DeviceId, id: bigint): Promise<void> {
    return this.#database.run(({ remoteIds }) => remoteIds.set(device, id))
  }

  positions(): Promise<IndexPositions> {
    return this.#database.run(({ files: { state }, remoteIds }) => {
      const others = new Map<DeviceId, IndexPosition>()
      for (const [device, indexId] of remoteIds.all) others.set(device, { indexId, sequence: 0 })
      for (const { owner, sequence } of state.holders)
        if (owner !== 'local') others.set(owner, { indexId: remoteIds.all.get(owner) ?? 0n, sequence })
      return { own: { indexId: state.indexId, sequence: state.holders[0]!.sequence }, others }
    })
  }

  counterId(): Promise<ShortId | undefined> {
    return this.#database.run(({ files }) => files.state.counterId)
  }

  hasNewIds(): Promise<boolean> {
    return this.#database.run(({ files }) => files.state.hasNewIds)
  }

  minCounter(): Promise<number> {
    return this.#database.run(({ files }) => Number(readMeta(files.database, MIN_COUNTER_KEY) ?? '0'))
  }

  setMinCounter(value: number): Promise<void> {
    return this.#database.run(({ files }) => writeMeta(files.database, MIN_COUNTER_KEY, String(value)))
  }

  restart(request: IndexRestart): Promise<void> {
    const restart = new Restart(request, newIndexId(this.#random))
    return this.#database.runLong((tables) => restart.step(tables))
  }
}
