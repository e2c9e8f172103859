import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../platform/clock.ts'
import type { Random } from '../../platform/random.ts'
import { BlockTable } from '../blocks/block-table.ts'
import { HistoryReader } from '../history/history-reader.ts'
import { Browser } from './browse.ts'
import { checkFolder } from './check.ts'
import { ContestedNames } from './contested-names.ts'
import { damaged } from '../sqlite/damage.ts'
import { FolderImport } from './folder-import.ts'
import { FolderState, type FolderOptions } from './folder-state.ts'
import { FolderTable } from './folder-table.ts'
import { Listing } from './listing.ts'
import { NeededNames } from './needed-names.ts'
import type { Kind } from '../sqlite/recoverable-database.ts'
import { RemoteIndexIds } from './remote-index-ids.ts'
import { RemoteNeed } from './remote-need.ts'
import { FOLDER_SCHEMA } from '../sqlite/schema.ts'
import { SequenceReader } from './sequence-reader.ts'
import type { WorkMeter } from '../sqlite/work-meter.ts'

/**
 * What reads and writes the database of one folder. All but `files` is made on first use: its statements take half the
 * memory of a folder, and most folders never use most of it.
 */
export interface FolderTables {
  readonly files: FolderTable
  readonly blocks: BlockTable
  readonly browser: Browser
  readonly contested: ContestedNames
  readonly history: HistoryReader
  readonly needed: NeededNames
  readonly sequences: SequenceReader
  readonly remoteIds: RemoteIndexIds
  readonly remoteNeed: RemoteNeed
  readonly imports: FolderImport
  readonly listing: Listing
}

export interface FolderKindDeps {
  readonly clock: Pick<Clock, 'nowMs'>
  readonly meter: WorkMeter
}

export function folderKind(
  { folder, random, rules }: FolderOptions,
  { clock, meter }: FolderKindDeps,
): Kind<FolderTables> {
  return {
    schema: FOLDER_SCHEMA,
    check: checkFolder,
    open: (database: DatabaseSync) => {
      const fresh = () => FolderState.fresh(folder, newIndexId(random))
      const files = new FolderTable(database, fresh, {
        nowMs: () => clock.nowMs(),
        onCommit: (records) => meter.committed(records),
      })
      if (rules !== undefined) files.state.rules = rules
      if (files.state.folder !== folder) throw damaged(`it is the index of another folder, ${files.state.folder}`)
      const blocks = once(() => new BlockTable(database))
      const browser = once(() => new Browser(database, files.reader))
      const contested = once(() => new ContestedNames(database))
      const history = once(() => new HistoryReader(database))
      const needed = once(() => new NeededNames(database))
      const sequences = once(() => new SequenceReader(database, files.reader))
      let remoteIds: RemoteIndexIds | undefined
      const remoteNeed = once(() => new RemoteNeed(database, files))
      const imports = once(() => new FolderImport(files))
      const listing = once(() => new Listing(database, files))
      return {
        files,
        get blocks() {
          return blocks()
        },
        get browser() {
          return browser()
        },
        get contested() {
          return contested()
        },
        get history() {
          return history()
        },
        get needed() {
          return needed()
        },
        get sequences() {
          return sequences()
        },
        get remoteIds() {
          return (remoteIds ??= new RemoteIndexIds(database))
        },
        get remoteNeed() {
          return remoteNeed()
        },
        get imports() {
          remoteIds = undefined // an import writes them
          return imports()
        },
        get listing() {
          return listing()
        },
      }
    },
  }
}

function once<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

/** Never zero: zero means "no index" to other devices. */
export function newIndexId(random: Random): bigint {
  return Buffer.from(random.bytes(8)).readBigUInt64BE() || 1n
}
