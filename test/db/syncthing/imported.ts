import assert from 'node:assert/strict'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseDeviceId, shortIdOf, shortIdText } from '../../../src/core/device-id.ts'
import { blocksHashOf, hashSizeOf } from '../../../src/core/records/blocks.ts'
import { diskSizeOf, type FileInfo } from '../../../src/core/records/file-info.ts'
import { SEQUENCE_GAP } from '../../../src/db/folder/folder-import.ts'
import { openStore, type ImportingStore } from '../../../src/db/store.ts'
import { prepareImport, type ImportStatus } from '../../../src/db/syncthing/import.ts'
import type { ForeignExtras } from '../../../src/db/syncthing/types.ts'
import type { FolderIndex } from '../../../src/db/types.ts'
import { nodeClock } from '../../../src/platform/node/clock.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { nodeRandom } from '../../../src/platform/node/random.ts'
import { deviceB, expectedIndex, type ExpectedItem, type IndexVersion } from '../../support/syncthing-index.ts'
import { folderId } from '../records.ts'

export const FOLDERS = ['docs', 'ro', 'paused', 'enc']
const log = {
  facility: 'db' as const,
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
}

export function openIndex(directory: string): Promise<ImportingStore> {
  return openStore({ directory, disk: nodeDisk, clock: nodeClock, random: nodeRandom, log })
}

/** Every file with its content and time. */
export function snapshot(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name)
      return `${path} ${statSync(path).mtimeMs} ${readFileSync(path).toString('base64')}`
    })
    .toSorted()
}

export interface Run {
  readonly home: string
  readonly ours: string
  readonly version: IndexVersion
  readonly folders?: readonly string[]
  readonly signal?: AbortSignal
  /** Called before and after the import. */
  readonly onStatus?: (status: ImportStatus) => void
}

/** One start on a home. */
export async function takeOver(
  { home, ours, version, folders = FOLDERS, signal, onStatus }: Run,
  store: ImportingStore,
) {
  const expected = expectedIndex(version)
  await using prepared = await prepareImport(
    { disk: nodeDisk, clock: nodeClock, store, log },
    {
      dataDirectory: home,
      databaseDirectory: ours,
      folders: folders.map((id) => ({ id: folderId(id), devices: new Set([deviceB(expected)]) })),
      ownShortId: shortIdOf(parseDeviceId(expected.myID)),
    },
  )
  if (prepared === undefined) return { imported: false, extras: undefined, failed: new Map<never, never>() }
  onStatus?.(prepared.status)
  const failed = await prepared.run(signal ?? new AbortController().signal)
  onStatus?.(prepared.status)
  return { imported: true, extras: prepared.extras, failed }
}

/** Time as REST shows it, without trailing zeros of the fraction. */
function timeText({ modifiedS, modifiedNs }: FileInfo): string {
  const fraction = String(modifiedNs).padStart(9, '0').replace(/0+$/, '')
  return `${new Date(modifiedS * 1_000).toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`
}

function sizeOf(info: FileInfo, version: IndexVersion): number {
  return info.type === 'file' || info.deleted || version === '2.1.3' ? diskSizeOf(info) : 128
}

/** What REST said of an item, in the fields that we keep. */
function shown(item: ExpectedItem) {
  return {
    name: item.name,
    type: item.type.replace('FILE_INFO_TYPE_', '').replace(/SYMLINK.*/, 'SYMLINK'),
    size: item.size,
    modified: item.modified,
    permissions: item.noPermissions ? 0 : Number.parseInt(item.permissions, 8),
    deleted: item.deleted,
    flags: item.localFlags,
    sequence: item.sequence,
    blocks: item.numBlocks,
    version: item.version,
  }
}

function kept(info: FileInfo, version: IndexVersion): ReturnType<typeof shown> {
  return {
    name: info.name,
    type: info.type.toUpperCase(),
    size: sizeOf(info, version),
    modified: timeText(info),
    permissions: info.permissions,
    deleted: info.deleted,
    flags: info.localFlags,
    sequence: info.sequence,
    blocks: (info.blockHashes?.length ?? 0) / hashSizeOf(info),
    version: info.version.map(({ device, value }) => `${shortIdText(device)}:${value}`),
  }
}

function versionText(info: FileInfo): string {
  return info.version.map(({ device, value }) => `${device.toString(16).padStart(16, '0')}:${value}`).join(',')
}

async function recordsOf(index: FolderIndex, owner: 'local' | ReturnType<typeof deviceB>): Promise<FileInfo[]> {
  const heads = await index.records.page(owner, { within: '', afterName: '', limit: 10_000 })
  const infos: FileInfo[] = []
  for (const { name } of heads) infos.push((await index.records.get(owner, name))!)
  return infos
}

/** Compares the records and counts of one folder with what REST said; returns how many records were compared. */
export async function compareFolder(store: ImportingStore, version: IndexVersion, id: string): Promise<number> {
  const expected = expectedIndex(version)
  const other = deviceB(expected)
  let compared = 0
  const index = await store.folder(folderId(id))
  const { files } = expected.folders[id]!
  const database = expected.database[id]!
  const own = await recordsOf(index, 'local')
  const remote = await recordsOf(index, other)
  assert.deepEqual([own.length, remote.length], [database.ownRecords, database.recordsOfB])
  for (const info of own) {
    assert.equal(versionText(info), database.versions[info.name], info.name)
    assert.equal(info.localFlags, database.ownFlags[info.name] ?? 0, info.name)
    const item = files?.[info.name]?.local
    if (item !== undefined) assert.deepEqual(kept(info, version), shown(item))
    if (version === '2.1.3' && item?.blocksHash) {
      assert.equal(Buffer.from(blocksHashOf(info.blockHashes!)).toString('base64'), item.blocksHash)
    }
    compared++
  }
  for (const info of remote) {
    assert.equal(versionText(info), database.versionsOfB[info.name], info.name)
    assert.equal(info.localFlags, database.invalidAtB.includes(info.name) ? 64 : 0, info.name)
    compared++
  }
  return compared
}

export async function compareTotals(store: ImportingStore, version: IndexVersion, id: string): Promise<void> {
  const expected = expectedIndex(version)
  const other = deviceB(expected)
  const index = await store.folder(folderId(id))
  const { files, status } = expected.folders[id]!
  const database = expected.database[id]!
  const { local, global, need, receiveOnlyChanged } = await index.needs.counts()
  if (files !== undefined) {
    const figures = [local.files, local.directories, local.symlinks, local.deleted, need.files, need.deleted]
    const wanted = ['localFiles', 'localDirectories', 'localSymlinks', 'localDeleted', 'needFiles', 'needDeletes']
    assert.deepEqual(
      figures,
      wanted.map((name) => status[name]),
      id,
    )
    assert.deepEqual([global.files, global.deleted], [status['globalFiles'], status['globalDeleted']])
    assert.deepEqual(receiveOnlyChanged.files, status['receiveOnlyChangedFiles'])
    assert.deepEqual((await index.needs.remoteNeedCounts(other)).files, 0)
  }
  const ids = expected.indexIDs[id]!
  assert.equal(await index.exchange.indexId(), BigInt(ids.A))
  assert.equal(await index.exchange.remoteIndexId(other), BigInt(ids.B))
  assert.equal(await index.exchange.counterId(), shortIdOf(parseDeviceId(expected.myID)))
  assert.equal(await index.exchange.sequence('local'), database.ownMaxSequence + SEQUENCE_GAP)
  assert.equal(await index.exchange.sequence(other), database.maxSequenceOfB)
  assert.equal(await index.exchange.sentSequence(other), database.ownMaxSequence)
}

export function compareExtras(extras: ForeignExtras | undefined, version: IndexVersion): void {
  const expected = expectedIndex(version)
  const other = deviceB(expected)
  for (const [id, { lastScan, lastFile }] of Object.entries(expected.statsFolder)) {
    const found = extras?.folders.find(({ folder }) => folder === id)
    assert.deepEqual(
      [found?.lastScanMs, found?.lastFileMs, found?.lastFileName, found?.lastFileDeleted],
      [Date.parse(lastScan), Date.parse(lastFile.at), lastFile.filename, lastFile.deleted],
    )
  }
  const seen = expected.statsDevice[other]!
  assert.deepEqual(extras?.devices, [
    {
      device: other,
      lastSeenMs: Date.parse(seen.lastSeen),
      lastConnectionMs: seen.lastConnectionDurationS * 1_000,
    },
  ])
  assert.deepEqual(
    extras?.pendingDevices.map(({ device, name, address, timeMs }) => [device, name, address, timeMs]),
    Object.entries(expected.pendingDevices).map(([id, e]) => [id, e.name, e.address, Date.parse(e.time)]),
  )
  assert.deepEqual(
    extras?.pendingFolders.map(({ device, folder }) => [device, folder]),
    [[other, 'extra']],
  )
}
