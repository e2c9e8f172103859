import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { isMissing } from '../../core/errors.ts'
import type { Disk } from '../../platform/disk.ts'
import type { IndexV2 } from './index-v2.ts'
import type { SyncthingIndex } from './types.ts'
import { fillBuffer } from '../../platform/fill-buffer.ts'

const DIRECTORY_V1 = 'index-v0.14.0.db'
const DIRECTORY_V2 = 'index-v2'
const REPAIR_MARKER = `${DIRECTORY_V1}.needsrepair`
/** Text for people, and the lock: they change without a change of the content. */
const WITHOUT_CONTENT = /^(?:LOG|LOG\.old|LOCK|\.tmp|.*-shm)$/
/** The main file of 2.x is small, and every run of Syncthing changes it. */
const HASHED = /^(?:CURRENT|main\.db|main\.db-wal)$/
const HASHED_BYTES_MAX = 64 * 1024 * 1024

/** The index of a Syncthing that used this home. */
export interface IndexSource {
  readonly version: '1.x' | '2.x'
  readonly directory: string
  /** Changes whenever Syncthing has run since. */
  readonly fingerprint: string
  /** Why it was chosen, if there was a choice. */
  readonly choice?: string
  open(): Promise<SyncthingIndex>
}

interface Found {
  readonly directory: string
  readonly fingerprint: string
  readonly newestS: number
}

export interface SourceOptions {
  readonly dataDirectory: string
  /** A directory of ours for copies. */
  readonly scratch: string
}

/** The index of Syncthing in a home, if there is one. Of two, the one that was used last. */
export async function findSource(disk: Disk, options: SourceOptions): Promise<IndexSource | undefined> {
  const v1 = await look(disk, join(options.dataDirectory, DIRECTORY_V1))
  const v2 = await look(disk, join(options.dataDirectory, DIRECTORY_V2))
  if (v1 === undefined || v2 === undefined) return v2 ? sourceV2(disk, v2, options) : v1 && sourceV1(disk, v1, options)
  const isNewer = v2.newestS >= v1.newestS || (await isMigrated(disk, v2, options))
  const chosen = isNewer ? sourceV2(disk, v2, options) : sourceV1(disk, v1, options)
  const other = isNewer ? DIRECTORY_V1 : DIRECTORY_V2
  return { ...chosen, choice: `used rather than ${other}, because Syncthing ${chosen.version} ran last` }
}

function sourceV1(disk: Disk, { directory, fingerprint }: Found, { dataDirectory }: SourceOptions): IndexSource {
  const open = async () => {
    const { IndexV1 } = await import('./index-v1.ts') // few devices have such an index: it is no part of other starts
    return await IndexV1.open(disk, directory, await exists(disk, join(dataDirectory, REPAIR_MARKER)))
  }
  return { version: '1.x', directory, fingerprint, open }
}

function sourceV2(disk: Disk, { directory, fingerprint }: Found, { scratch }: SourceOptions): IndexSource {
  return { version: '2.x', directory, fingerprint, open: () => openV2(disk, directory, scratch) }
}

async function openV2(disk: Disk, directory: string, scratch: string): Promise<IndexV2> {
  const { IndexV2: Index } = await import('./index-v2.ts')
  return await Index.open(disk, { directory, scratch })
}

async function isMigrated(disk: Disk, { directory }: Found, { scratch }: SourceOptions): Promise<boolean> {
  try {
    await using index = await openV2(disk, directory, scratch)
    return index.isMigrated
  } catch {
    return false // opening it again reports the reason
  }
}

async function look(disk: Disk, directory: string): Promise<Found | undefined> {
  const names = await namesIn(disk, directory)
  if (names.length === 0) return undefined
  const sum = createHash('sha256').update(basename(directory))
  let newestS = 0
  for (const name of names.toSorted()) {
    const { sizeBytes, modifiedS } = await disk.stat(join(directory, name))
    newestS = Math.max(newestS, modifiedS)
    sum.update(`\n${name} ${sizeBytes} `)
    if (HASHED.test(name)) sum.update(await contentOf(disk, join(directory, name)))
  }
  return { directory, fingerprint: sum.digest('hex'), newestS }
}

async function namesIn(disk: Disk, directory: string): Promise<readonly string[]> {
  try {
    return (await disk.list(directory)).map(({ name }) => name).filter((name) => !WITHOUT_CONTENT.test(name))
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}

async function contentOf(disk: Disk, path: string): Promise<Uint8Array> {
  await using file = await disk.open(path, 'read')
  const { sizeBytes } = await file.stat()
  const data = Buffer.alloc(Math.min(sizeBytes, HASHED_BYTES_MAX))
  await fillBuffer(file, data)
  return data
}

async function exists(disk: Disk, path: string): Promise<boolean> {
  return disk.lstat(path).then(
    () => true,
    () => false, // an unreadable one is treated as absent
  )
}
