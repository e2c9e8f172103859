import type { FileHead } from '../../core/records/file-info.ts'
import type { DeviceId } from '../../core/ids.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FolderTables } from './folder-tables.ts'
import type { RecoverableDatabase } from '../sqlite/recoverable-database.ts'
import { pageOfSteps, type NeedStep } from './remote-need.ts'
import type { Counts, FolderCounts, FolderTotals, NeededRange, Needs } from '../types.ts'
import { NEVER } from '../../core/never.ts'

/** Implements `Needs` on the database of a folder. */
export class StoredNeeds implements Needs {
  readonly #database: RecoverableDatabase<FolderTables>
  readonly #clock: Clock

  constructor(database: RecoverableDatabase<FolderTables>, clock: Clock) {
    this.#database = database
    this.#clock = clock
  }

  get totals(): FolderTotals | undefined {
    return this.#database.peek()?.files.state.totals()
  }

  counts(): Promise<FolderCounts> {
    return this.#database.run(({ files }) => files.state.counts())
  }

  need({ offset, limit, afterName = '' }: Parameters<Needs['need']>[0]): Promise<readonly FileHead[]> {
    return this.#database.run(({ files }) => files.need(afterName, offset, limit))
  }

  neededNames(range: NeededRange): Promise<readonly string[]> {
    return this.#database.run(({ needed }) => needed.names(range))
  }

  contested(options: Parameters<Needs['contested']>[0]): Promise<readonly string[]> {
    return this.#database.run(({ contested }) => contested.page(options))
  }

  takeTouched(): Promise<readonly string[] | undefined> {
    return this.#database.run(({ files }) => files.takeTouched())
  }

  remoteNeed(
    device: DeviceId,
    options: { readonly offset: number; readonly limit: number },
  ): Promise<readonly FileHead[]> {
    return pageOfSteps((after) => this.#needStep(device, after), options)
  }

  async remoteNeedCounts(device: DeviceId): Promise<Counts> {
    for (;;) {
      const counts = await this.#database.run((tables) => {
        return tables.files.state.remoteNeed(device) ?? tables.remoteNeed.count(device) // usually without a query
      })
      if (counts !== undefined) return counts
      await this.#clock.sleep(0, NEVER)
    }
  }

  async #needStep(device: DeviceId, after: string): Promise<NeedStep> {
    if (after !== '') await this.#clock.sleep(0, NEVER)
    return await this.#database.run(({ remoteNeed }) => remoteNeed.step(device, after))
  }
}
