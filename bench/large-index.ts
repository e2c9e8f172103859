import { hash as digestOf } from 'node:crypto'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseDeviceId, shortIdOf } from '../src/core/device-id.ts'
import { parseFolderId, type DeviceId, type FolderId } from '../src/core/ids.ts'
import type { FileInfo } from '../src/core/records/file-info.ts'
import type { VersionVector } from '../src/core/records/version-vector.ts'
import { FolderState } from '../src/db/folder/folder-state.ts'
import { INSERT_ROW, RowEncoder, rowValues } from '../src/db/folder/row-encoder.ts'
import { DatabaseFile } from '../src/db/sqlite/database-file.ts'
import { readMeta, writeMeta } from '../src/db/sqlite/meta.ts'
import { LOCAL_NUMBER } from '../src/db/sqlite/schema.ts'
import { Query } from '../src/db/sqlite/sql.ts'
import { openStore, type ImportingStore } from '../src/db/store.ts'
import { nodeClock } from '../src/platform/node/clock.ts'
import { nodeDisk } from '../src/platform/node/disk/disk.ts'
import { nodeRandom } from '../src/platform/node/random.ts'
import { quietLogger } from '../test/support/logger.ts'
import { FOLDER } from './measure.ts'

const PER_DIRECTORY = 100
const TRANSACTION_ROWS = 100_000
/** A larger index is not checked row by row when it has been written. */
const CHECKED_MAX = 100_000
const BLOCK_BYTES = 131_072
const START_S = 1_790_000_000
/** We lack one file in this many, the other device another one. */
export const NEEDED_OF = 50
const NEEDED_THERE_OF = 1_000
/** Changes in the history. */
const HISTORY_BATCHES = 100
const HISTORY_BATCH = 100

export interface LargeIndex {
  readonly files: number
  /** The path of the file with this number. */
  nameOf(file: number): string
  directoryOf(file: number): string
}

/** Directories of 100 files, 100 of those in each of the top level. */
export function largeIndex(files: number): LargeIndex {
  const digits = String(files).length
  const padded = (value: number) => String(value).padStart(digits, '0')
  const directoryOf = (file: number) => {
    const directory = Math.floor(file / PER_DIRECTORY)
    return `group-${padded(Math.floor(directory / PER_DIRECTORY))}/album-${padded(directory)}`
  }
  return { files, directoryOf, nameOf: (file) => `${directoryOf(file)}/document ${padded(file)}.txt` }
}

/**
 * Fills the empty index of the bench folder with our records and those of one other device. Rows are appended in the
 * order of the table, and its SQL indexes are made afterwards: through an import it takes five times as long.
 */
export async function writeLargeIndex(
  directory: string,
  index: LargeIndex,
  { own, other }: { readonly own: string; readonly other: string },
): Promise<void> {
  const [ownDevice, otherDevice] = [parseDeviceId(own), parseDeviceId(other)]
  const ownShortId = shortIdOf(ownDevice)
  const version = [{ device: ownShortId, value: BigInt(START_S) }]
  const folder = benchFolder()
  const open = () =>
    openStore({ directory, disk: nodeDisk, clock: nodeClock, random: nodeRandom, log: quietLogger('db') })
  {
    await using empty = await open()
    await empty.folder(folder)
  }
  const path = join(
    directory,
    readdirSync(directory).find((name) => /^folder-.*\.db$/.test(name))!,
  )
  const items = appendIndex(path, index, version, otherDevice)
  // Without a seal all rows are checked, which takes minutes for ten million.
  rmSync(`${path}.seal`, { force: true })
  if (index.files > CHECKED_MAX) await new DatabaseFile(path, nodeDisk, nodeClock).seal(undefined)
  await using store = await open()
  const remotes = new Map([[otherDevice, { indexId: 78n, sequence: items }]])
  const positions = { indexId: 77n, sequence: items, ownShortId, remotes, shared: [otherDevice] }
  const progress = { source: 'bench', after: '', items, incomplete: [], done: false }
  await store.importing(folder, (target) => target.finish(positions, progress))
  if (store.recoveries.length > 0) throw new Error(`the index is no valid one: ${store.recoveries[0]?.reason}`)
  await addHistory(store, index, version)
}

/** Returns the number of items, files and directories. */
function appendIndex(path: string, index: LargeIndex, version: VersionVector, other: DeviceId): number {
  using database = new DatabaseSync(path)
  database.exec(
    'PRAGMA journal_mode = DELETE; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536',
  )
  const sqlIndexes = new Query(database, "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
  const dropped = sqlIndexes.all()
  for (const [name] of dropped) database.exec(`DROP INDEX ${String(name)}`)
  const state = FolderState.fromText(readMeta(database, 'state')!)
  const holders = [state.holders[0]!, state.addHolder(other)] as const
  const insert = new Query(database, INSERT_ROW)
  const encoder = new RowEncoder()
  let rows = 0
  database.exec('BEGIN')
  for (const holder of holders) {
    for (const { info, isHere, isThere } of itemsOf(index, version)) {
      holder.sequence = info.sequence
      const isOwn = holder.number === LOCAL_NUMBER
      if (!(isOwn ? isHere : isThere)) continue
      const isNeeded = !isHere
      const { values, sum } = rowValues(encoder.encode(holder.number, info, info.sequence), isNeeded ? 2 : 0, null)
      insert.run(...values) // at most the columns of a row
      state.countRow(holder, info, sum, 1)
      if (isOwn || isNeeded) state.countWinner(info, isNeeded, 1)
      state.remoteNeeds.count(info, holder.owner, info, 1)
      if (++rows % TRANSACTION_ROWS === 0) database.exec('COMMIT; BEGIN')
    }
  }
  writeMeta(database, 'state', state.toText())
  database.exec('COMMIT')
  for (const [, sql] of dropped) database.exec(String(sql))
  database.exec('PRAGMA journal_mode = WAL')
  return holders[0].sequence
}

interface LargeItem {
  readonly info: FileInfo
  readonly isHere: boolean
  readonly isThere: boolean
}

/** In the order of names. */
function* itemsOf(index: LargeIndex, version: VersionVector): Generator<LargeItem> {
  let sequence = 0
  let group = ''
  for (let file = 0; file < index.files; file++) {
    if (file % PER_DIRECTORY === 0) {
      const directory = index.directoryOf(file)
      const top = directory.slice(0, directory.indexOf('/'))
      if (top !== group) yield { info: recordOf(top, ++sequence, version, 'directory'), isHere: true, isThere: true }
      group = top
      yield { info: recordOf(directory, ++sequence, version, 'directory'), isHere: true, isThere: true }
    }
    const isHere = file % NEEDED_OF !== 7
    const info = recordOf(index.nameOf(file), ++sequence, version, 'file')
    yield { info, isHere, isThere: !isHere || file % NEEDED_THERE_OF !== 0 }
  }
}

function recordOf(name: string, sequence: number, version: VersionVector, type: 'file' | 'directory'): FileInfo {
  const isFile = type === 'file'
  const hash = isFile ? digestOf('sha256', name, 'buffer') : undefined
  return {
    name,
    type,
    deleted: false,
    sizeBytes: isFile ? 1_000 : 0,
    modifiedS: START_S + (sequence % 1_000),
    modifiedNs: 0,
    permissions: isFile ? 0o644 : 0o755,
    noPermissions: false,
    version,
    modifiedBy: version[0]!.device,
    sequence,
    localFlags: 0,
    blockSizeBytes: isFile ? BLOCK_BYTES : 0,
    blocksHash: hash,
    symlinkTarget: '',
    blockHashes: hash ?? new Uint8Array(),
  }
}

export function benchFolder(): FolderId {
  const id = parseFolderId(FOLDER)
  if (id === undefined) throw new Error('the bench folder has no valid ID')
  return id
}

/** Pulled changes, spread over the folder. */
async function addHistory(store: ImportingStore, index: LargeIndex, version: VersionVector): Promise<void> {
  const { records } = await store.folder(benchFolder())
  const changed = version.map(({ device, value }) => ({ device, value: value + 1n }))
  const step = Math.max(1, Math.floor(index.files / (HISTORY_BATCHES * HISTORY_BATCH)))
  for (let batch = 0; batch < HISTORY_BATCHES; batch++) {
    const files = Array.from({ length: HISTORY_BATCH }, (_none, at) => (batch * HISTORY_BATCH + at) * step)
    const inside = files.filter((file) => file < index.files && file % NEEDED_OF !== 7)
    await records.updateLocal(
      inside.map((file) => recordOf(index.nameOf(file), 0, changed, 'file')),
      'pull',
    )
  }
}
