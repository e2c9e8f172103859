import { createHash } from 'node:crypto'
import { parseDeviceId, shortIdOf } from '../src/core/device-id.ts'
import { parseFolderId, type DeviceId, type FolderId } from '../src/core/ids.ts'
import type { FileInfo } from '../src/core/records/file-info.ts'
import type { VersionVector } from '../src/core/records/version-vector.ts'
import type { ImportedName, ImportProgress } from '../src/db/folder/folder-import.ts'
import { openStore, type ImportingStore } from '../src/db/store.ts'
import type { IndexOwner } from '../src/db/types.ts'
import { nodeClock } from '../src/platform/node/clock.ts'
import { nodeDisk } from '../src/platform/node/disk/disk.ts'
import { nodeRandom } from '../src/platform/node/random.ts'
import { quietLogger } from '../test/support/logger.ts'
import { FOLDER } from './measure.ts'

const PER_DIRECTORY = 100
const BATCH = 2_000
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

/** Fills the empty index of the bench folder as an import does: our records and those of one other device. */
export async function writeLargeIndex(
  directory: string,
  index: LargeIndex,
  { own, other }: { readonly own: string; readonly other: string },
): Promise<void> {
  const [ownDevice, otherDevice] = [parseDeviceId(own), parseDeviceId(other)]
  const ownShortId = shortIdOf(ownDevice)
  const version = [{ device: ownShortId, value: BigInt(START_S) }]
  const deps = { disk: nodeDisk, clock: nodeClock, random: nodeRandom, log: quietLogger('db') }
  await using store = await openStore({ directory, ...deps })
  const folder = benchFolder()
  let progress: ImportProgress = { source: 'bench', after: '', items: 0, incomplete: [], done: false }
  for (const names of batches(index, otherDevice, version)) {
    const before = progress
    const after = names.at(-1)?.values().next().value?.name ?? before.after
    progress = { ...before, after, items: before.items + names.length }
    await store.importing(folder, (target) => target.put(names, before, progress))
  }
  const remotes = new Map([[otherDevice, { indexId: 78n, sequence: progress.items }]])
  const positions = { indexId: 77n, sequence: progress.items, ownShortId, remotes, shared: [otherDevice] }
  await store.importing(folder, (target) => target.finish(positions, progress))
  await addHistory(store, index, version)
}

function* batches(index: LargeIndex, other: DeviceId, version: VersionVector): Generator<readonly ImportedName[]> {
  let names: ImportedName[] = []
  let sequence = 0
  const add = (info: FileInfo, hereToo: boolean, thereToo: boolean): void => {
    const records: [IndexOwner, FileInfo][] = []
    if (hereToo) records.push(['local', info])
    if (thereToo) records.push([other, info])
    names.push(new Map(records))
  }
  let group = ''
  for (let file = 0; file < index.files; file++) {
    if (file % PER_DIRECTORY === 0) {
      const directory = index.directoryOf(file)
      const top = directory.slice(0, directory.indexOf('/'))
      if (top !== group) add(recordOf(top, ++sequence, version, 'directory'), true, true)
      group = top
      add(recordOf(directory, ++sequence, version, 'directory'), true, true)
    }
    const isMissingHere = file % NEEDED_OF === 7
    const info = recordOf(index.nameOf(file), ++sequence, version, 'file')
    add(info, !isMissingHere, isMissingHere || file % NEEDED_THERE_OF !== 0)
    if (names.length < BATCH) continue
    yield names
    names = []
  }
  if (names.length > 0) yield names
}

function recordOf(name: string, sequence: number, version: VersionVector, type: 'file' | 'directory'): FileInfo {
  const isFile = type === 'file'
  const hash = isFile ? createHash('sha256').update(name).digest() : undefined
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

function benchFolder(): FolderId {
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
