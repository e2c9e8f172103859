import { createHash } from 'node:crypto'
import type { FileHead, FileInfo } from '../../src/core/records/file-info.ts'
import { parseFolderId, type DeviceId, type FolderId, type ShortId } from '../../src/core/ids.ts'
import type { VersionVector } from '../../src/core/records/version-vector.ts'
import { openStore, type StoreOptions } from '../../src/db/store.ts'
import type { FolderIndex, IndexOwner, IndexStore } from '../../src/db/types.ts'
import type { Logger } from '../../src/events/types.ts'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { nodeRandom } from '../../src/platform/node/random.ts'

export const FOLDER = folderId('photos')

export function folderId(text: string): FolderId {
  const id = parseFolderId(text)
  if (id === undefined) throw new Error('no folder id')
  return id
}

const noLog: Logger = { facility: 'db', debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }

export function openTestStore(directory: string | undefined, more: Partial<StoreOptions> = {}): Promise<IndexStore> {
  return openStore({ directory, disk: nodeDisk, clock: nodeClock, random: nodeRandom, log: noLog, ...more })
}

/** Devices for tests, in the order of their ids. */
export const DEVICES: readonly DeviceId[] = ['A', 'B', 'C'].map((letter) => `${letter}-test-device` as DeviceId)

export const SELF = 0x58f7000000000001n as ShortId

export function version(...values: readonly number[]): VersionVector {
  return values.flatMap((value, i) => (value === 0 ? [] : [{ device: BigInt(i + 1) as ShortId, value: BigInt(value) }]))
}

/** Block hashes made up from a text, `count` of them. */
export function blocks(text: string, count = 1): Uint8Array {
  return Buffer.concat(Array.from({ length: count }, (_, i) => createHash('sha256').update(`${text}/${i}`).digest()))
}

export function sha256(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

export function file(name: string, more: Partial<FileInfo> = {}): FileInfo {
  const blockHashes = 'blockHashes' in more ? more.blockHashes : blocks(name)
  return {
    name,
    type: 'file',
    deleted: false,
    sizeBytes: 1000,
    modifiedS: 1_794_701_359,
    modifiedNs: 123_456_789,
    permissions: 0o644,
    noPermissions: false,
    version: version(1),
    modifiedBy: SELF,
    sequence: 0,
    localFlags: 0,
    blockSizeBytes: 131_072,
    symlinkTarget: '',
    ...more,
    blockHashes,
    blocksHash: blockHashes === undefined ? more.blocksHash : sha256(blockHashes),
  }
}

export function directory(name: string, more: Partial<FileInfo> = {}): FileInfo {
  return file(name, {
    type: 'directory',
    sizeBytes: 0,
    blockSizeBytes: 0,
    blockHashes: undefined,
    permissions: 0o755,
    ...more,
  })
}

export function deletion(name: string, more: Partial<FileInfo> = {}): FileInfo {
  return file(name, { deleted: true, sizeBytes: 0, blockSizeBytes: 0, blockHashes: undefined, ...more })
}

/** All relevant fields of a record as one comparable text. */
export function textOf(record: FileHead | FileInfo | undefined): string {
  if (record === undefined) return 'nothing'
  return Object.entries(record)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${valueText(value)}`)
    .join(' ')
}

function valueText(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  return (
    JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? part.toString(16) : part)) ?? 'undefined'
  )
}

/** A record without its block hashes, as pages return it. */
export function headOf(info: FileInfo): FileHead {
  const { blockHashes: _blockHashes, ...head } = info
  return head
}

/** All records of one owner, read in small pages. */
export async function allRecords(index: FolderIndex, owner: IndexOwner, limit = 7, within = ''): Promise<FileHead[]> {
  const records: FileHead[] = []
  for (let afterName = ''; ;) {
    const page = await index.records.page(owner, { within, afterName, limit })
    records.push(...page)
    const last = page.at(-1)
    if (last === undefined || page.length < limit) return records
    afterName = last.name
  }
}
