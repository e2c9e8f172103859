import type { FileInfo, FileTime } from '../../core/records/file-info.ts'
import { VECTOR } from '../../core/records/record-fields.ts'
import type { VersionVector } from '../../core/records/version-vector.ts'
import { decode } from '../../core/wire/schema.ts'
import { deviceIdBytes } from '../../core/device-id.ts'
import type { Entry, LevelDb } from '../leveldb/leveldb.ts'
import type { IndexOwner } from '../types.ts'
import { endOf, KEY, keyOf } from './keys-v1.ts'
import { BLOCK_LIST, COUNTS_SET, PARTS_MAX, STORED_FILE, type Block, type StoredFile } from './messages.ts'
import { diskTimeOf, type VirtualTime } from './virtual-time.ts'
import { ownRecord, remoteRecord, vectorOf } from './record.ts'
import type { DevicePosition, ForeignFolder, NameGroup } from './types.ts'
import { storedTime } from './values.ts'

const GROUPS_AT_ONCE = 500
/** Type, folder and device before the name. */
const PREFIX_LENGTH = 9
const LOCAL_ID = Buffer.alloc(32, 0xff)
/** The blocks and versions of few records are stored apart: those of adjacent records are often the same. */
const CACHED_MAX = 64

export interface FolderV1Options {
  readonly number: number
  readonly owners: ReadonlyMap<number, IndexOwner>
  readonly trustIds: boolean
}

/** A record that cannot be decoded counts as unusable; a database that cannot be read is an error. */
type Decoded = FileInfo | undefined

/** One folder of Syncthing 1.x. */
export class FolderV1 implements ForeignFolder {
  readonly positions: readonly DevicePosition[]
  readonly nameCount: number
  readonly #database: LevelDb
  readonly #options: FolderV1Options
  readonly #virtualTimes: ReadonlyMap<string, VirtualTime>
  readonly #blocks = new Map<string, readonly Block[] | undefined>()
  readonly #versions = new Map<string, VersionVector | undefined>()

  private constructor(
    database: LevelDb,
    options: FolderV1Options,
    read: Pick<ForeignFolder, 'positions' | 'nameCount'> & { virtualTimes: ReadonlyMap<string, VirtualTime> },
  ) {
    this.#database = database
    this.#options = options
    this.positions = read.positions
    this.nameCount = read.nameCount
    this.#virtualTimes = read.virtualTimes
  }

  static async open(database: LevelDb, options: FolderV1Options): Promise<FolderV1> {
    const { counts } = await readCounts(database, options.number)
    const positions: DevicePosition[] = []
    for (const [device, owner] of options.owners) {
      const id = Buffer.from(owner === 'local' ? LOCAL_ID : deviceIdBytes(owner))
      const plain = counts.find((each) => each.local_flags === 0 && id.equals(each.device_id))
      const indexId = await database.get(keyOf(KEY.indexId, device, options.number))
      positions.push({
        owner,
        indexId: options.trustIds && indexId?.length === 8 ? indexId.readBigUInt64BE() : 0n,
        sequence: plain?.sequence ?? 0,
      })
    }
    positions.sort((a, b) => Number(b.owner === 'local') - Number(a.owner === 'local'))
    const own = counts.filter((each) => LOCAL_ID.equals(each.device_id) && each.local_flags < 2 ** 31)
    const nameCount = own.reduce((sum, each) => sum + each.files + each.directories + each.symlinks + each.deleted, 0)
    return new FolderV1(database, options, {
      positions,
      nameCount,
      virtualTimes: await readVirtualTimes(database, options.number),
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async *groups(after: string): AsyncGenerator<readonly NameGroup[]> {
    const streams: RecordStream[] = []
    for (const [device, owner] of this.#options.owners) {
      const prefix = keyOf(KEY.record, this.#options.number, device)
      const from = after === '' ? prefix : `${prefix}${Buffer.from(after).toString('latin1')}\0`
      streams.push(await RecordStream.open(owner, this.#database.range(from, endOf(prefix))))
    }
    let groups: NameGroup[] = []
    for (;;) {
      const name = leastName(streams)
      if (name === undefined) break
      groups.push(await this.#group(streams, name))
      if (groups.length < GROUPS_AT_ONCE) continue
      yield groups
      groups = []
    }
    if (groups.length > 0) yield groups
  }

  async #group(streams: readonly RecordStream[], nameKey: string): Promise<NameGroup> {
    const name = Buffer.from(nameKey, 'latin1').toString()
    const records = new Map<IndexOwner, FileInfo>()
    const unusable: IndexOwner[] = []
    for (const stream of streams) {
      if (stream.name !== nameKey) continue
      const record = await this.#record(stream.owner, name, stream.value)
      if (record === undefined) unusable.push(stream.owner)
      else records.set(stream.owner, record)
      if (stream.next()) await stream.load()
    }
    return { name, records, unusable }
  }

  async #record(owner: IndexOwner, name: string, value: Buffer): Promise<Decoded> {
    const file = tryDecode(() => decode(STORED_FILE, value, PARTS_MAX))
    if (file === undefined || file.name !== name) return undefined
    const blocks = await this.#blocksOf(file)
    const version = await this.#versionOf(file)
    if (blocks === undefined || version === undefined) return undefined
    if (owner !== 'local') return remoteRecord({ file, version, blocks, localFlags: 0 })
    const diskTime = diskTimeOf(file, this.#virtualTimes.get(name))
    return ownRecord({ file, version, blocks, localFlags: file.local_flags, diskTime })
  }

  /** More than three blocks are stored apart. Undefined if they are missing. */
  async #blocksOf(file: StoredFile): Promise<readonly Block[] | undefined> {
    if (file.blocks.length > 0 || file.blocks_hash.length === 0 || file.deleted) return file.blocks
    return cached(this.#blocks, keyOf(KEY.blockList, file.blocks_hash), async (key) => {
      const value = await this.#database.get(key)
      return value && tryDecode(() => decode(BLOCK_LIST, value, PARTS_MAX).blocks)
    })
  }

  /** More than ten counters are stored apart. Undefined if they are missing. */
  async #versionOf(file: StoredFile): Promise<VersionVector | undefined> {
    if (file.version_hash.length === 0) return vectorOf(file.version)
    return cached(this.#versions, keyOf(KEY.version, file.version_hash), async (key) => {
      const value = await this.#database.get(key)
      return value && tryDecode(() => vectorOf(decode(VECTOR, value, PARTS_MAX)))
    })
  }
}

/** The records of one device in the order of names. */
class RecordStream {
  readonly owner: IndexOwner
  readonly #batches: AsyncGenerator<readonly Entry[]>
  #batch: readonly Entry[] = []
  #place = 0

  private constructor(owner: IndexOwner, batches: AsyncGenerator<readonly Entry[]>) {
    this.owner = owner
    this.#batches = batches
  }

  static async open(owner: IndexOwner, batches: AsyncGenerator<readonly Entry[]>): Promise<RecordStream> {
    const stream = new RecordStream(owner, batches)
    await stream.load()
    return stream
  }

  /** The bytes of the current name; undefined at the end. */
  get name(): string | undefined {
    return this.#batch[this.#place]?.key.slice(PREFIX_LENGTH)
  }

  get value(): Buffer {
    return this.#batch[this.#place]!.value
  }

  /** True: more must be loaded. */
  next(): boolean {
    return ++this.#place >= this.#batch.length
  }

  async load(): Promise<void> {
    const { value, done } = await this.#batches.next()
    this.#batch = done === true ? [] : value
    this.#place = 0
  }
}

function leastName(streams: readonly RecordStream[]): string | undefined {
  let least: string | undefined
  for (const { name } of streams) if (name !== undefined && (least === undefined || name < least)) least = name
  return least
}

async function cached<T>(known: Map<string, T>, key: string, read: (key: string) => Promise<T>): Promise<T> {
  const found = known.get(key)
  if (found !== undefined) return found
  const value = await read(key)
  if (known.size >= CACHED_MAX) known.clear()
  known.set(key, value)
  return value
}

function tryDecode<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch {
    return undefined // reported as unusable by the caller
  }
}

async function readCounts(database: LevelDb, folder: number) {
  const value = await database.get(keyOf(KEY.counts, folder))
  return value === undefined ? { counts: [] } : decode(COUNTS_SET, value, PARTS_MAX)
}

async function readVirtualTimes(database: LevelDb, folder: number): Promise<ReadonlyMap<string, VirtualTime>> {
  const times = new Map<string, VirtualTime>()
  const prefix = keyOf(KEY.virtualTime, folder)
  for await (const batch of database.range(prefix, endOf(prefix))) {
    for (const { key, value } of batch) {
      const half = value.length / 2
      const [onDisk, wanted]: readonly [FileTime, FileTime] = [
        storedTime(value.subarray(0, half)),
        storedTime(value.subarray(half)),
      ]
      times.set(Buffer.from(key.slice(prefix.length), 'latin1').toString().normalize('NFC'), { onDisk, wanted })
    }
  }
  return times
}
