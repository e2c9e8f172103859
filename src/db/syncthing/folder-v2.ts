import type { DeviceId, FolderId, ShortId } from '../../core/ids.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import type { VersionVector } from '../../core/records/version-vector.ts'
import { decode } from '../../core/wire/schema.ts'
import { damaged } from '../sqlite/damage.ts'
import type { Row } from '../sqlite/sql.ts'
import type { IndexOwner } from '../types.ts'
import { BLOCK_LIST, PARTS_MAX, STORED_FILE, type Block } from './messages.ts'
import { ownRecord, remoteRecord } from './record.ts'
import type { SqliteFile } from './sqlite-file.ts'
import type { DevicePosition, ForeignFolder, NameGroup } from './types.ts'
import { ownerFromText, timeFromNs } from './values.ts'
import { diskTimeOf, type VirtualTime } from './virtual-time.ts'

const NAMES_AT_ONCE = 500
const VERSIONS_MAX = 1_000
const COUNTER = /^([0-9a-f]{1,16}):(\d{1,20})$/
/** Computed by Syncthing, and stored beside the flags of the record. */
const DERIVED_FLAGS = 16 | 32

const PAGE_END = `SELECT max(name) FROM
  (SELECT name FROM file_names WHERE name > ? ORDER BY name LIMIT ${NAMES_AT_ONCE})`
const PAGE = `SELECT n.name, f.device_idx, f.sequence, f.remote_sequence, f.local_flags, v.version, i.fiprotobuf,
    hex(f.blocklist_hash)
  FROM file_names n CROSS JOIN files f ON f.name_idx = n.idx
  LEFT JOIN file_versions v ON v.idx = f.version_idx
  LEFT JOIN fileinfos i ON i.sequence = f.sequence
  WHERE n.name > ? AND n.name <= ? ORDER BY n.name`
const LIST = 'SELECT blprotobuf FROM blocklists WHERE blocklist_hash = unhex(?)'
/** Numbers of nanoseconds do not fit into a double. */
const VIRTUAL_TIMES = 'SELECT name, CAST(ondisk AS TEXT), CAST(virtual AS TEXT) FROM mtimes'
const POSITIONS = `SELECT d.idx, d.device_id, i.index_id, coalesce(i.sequence, 0) FROM devices d
  LEFT JOIN indexids i ON i.device_idx = d.idx`

/** One folder of Syncthing 2.x. */
export class FolderV2 implements ForeignFolder {
  readonly positions: readonly DevicePosition[]
  readonly nameCount: number
  readonly #file: SqliteFile
  readonly #owners = new Map<number, IndexOwner>()
  readonly #virtualTimes = new Map<string, VirtualTime>()
  /** Many records have the same version. */
  readonly #versions = new Map<string, VersionVector | undefined>()
  /** The last one: the records of a name often have the same blocks. */
  #list: { readonly hash: string; readonly blocks: readonly Block[] | undefined } = { hash: '', blocks: undefined }

  private constructor(file: SqliteFile, folder: FolderId, devices: ReadonlySet<DeviceId>) {
    this.#file = file
    const [id] = file.run("SELECT CAST(value AS TEXT) FROM kv WHERE key = 'folderID'", (query) => query.first() ?? [])
    if (id !== undefined && id !== folder) throw damaged(`it is the index of another folder, ${String(id)}`)
    const positions: DevicePosition[] = []
    for (const [number, text, indexId, sequence] of file.run(POSITIONS, (query) => query.all())) {
      const owner = ownerFromText(String(text))
      if (owner !== 'local' && !devices.has(owner)) continue
      this.#owners.set(Number(number), owner)
      positions.push({ owner, indexId: indexIdOf(indexId), sequence: Number(sequence) })
    }
    this.positions = positions.sort((a, b) => Number(b.owner === 'local') - Number(a.owner === 'local'))
    this.nameCount = file.run('SELECT count(*) FROM file_names', (query) => Number(query.first()?.[0]))
    for (const [name, onDisk, wanted] of file.run(VIRTUAL_TIMES, (query) => query.all())) {
      const times = { onDisk: timeFromNs(BigInt(String(onDisk))), wanted: timeFromNs(BigInt(String(wanted))) }
      this.#virtualTimes.set(String(name).normalize('NFC'), times)
    }
  }

  static async open(file: SqliteFile, folder: FolderId, devices: ReadonlySet<DeviceId>): Promise<FolderV2> {
    try {
      return new FolderV2(file, folder, devices)
    } catch (error) {
      await file[Symbol.asyncDispose]()
      throw error
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#file[Symbol.asyncDispose]()
  }

  async *groups(after: string): AsyncGenerator<readonly NameGroup[]> {
    for (let from = after; ;) {
      const [to] = this.#file.run(PAGE_END, (query) => query.first(from) ?? [])
      if (typeof to !== 'string') return
      const groups = this.#group(this.#file.run(PAGE, (query) => query.all(from, to)))
      // Names without a record stay in the table until Syncthing cleans it up.
      if (groups.length > 0) yield groups
      from = to
    }
  }

  #group(rows: readonly Row[]): readonly NameGroup[] {
    const groups: { name: string; records: Map<IndexOwner, FileInfo>; unusable: IndexOwner[] }[] = []
    for (const row of rows) {
      const owner = this.#owners.get(Number(row[1]))
      const name = String(row[0])
      if (owner === undefined) continue
      let group = groups.at(-1)
      if (group?.name !== name) groups.push((group = { name, records: new Map(), unusable: [] }))
      const record = this.#record(owner, name, row)
      if (record === undefined) group.unusable.push(owner)
      else group.records.set(owner, record)
    }
    return groups
  }

  #version(text: unknown): VersionVector | undefined {
    if (typeof text !== 'string') return undefined
    const known = this.#versions.get(text)
    if (known !== undefined) return known
    if (this.#versions.size >= VERSIONS_MAX) this.#versions.clear()
    const version = versionOf(text)
    this.#versions.set(text, version)
    return version
  }

  /** Undefined without a usable list of this hash, which is in hexadecimal; '' has no blocks. */
  #blocks(hash: string): readonly Block[] | undefined {
    if (hash === '') return []
    if (hash === this.#list.hash) return this.#list.blocks
    const [list] = this.#file.run(LIST, (query) => query.first(hash) ?? [])
    this.#list = { hash, blocks: list instanceof Uint8Array ? blocksOf(list) : undefined }
    return this.#list.blocks
  }

  #record(owner: IndexOwner, name: string, row: Row): FileInfo | undefined {
    const [, , sequence, remoteSequence, flags, versionText, blob, listHash] = row
    const version = this.#version(versionText)
    const blocks = this.#blocks(String(listHash))
    if (version === undefined || blocks === undefined || !(blob instanceof Uint8Array)) return undefined
    try {
      const file = decode(STORED_FILE, blob, PARTS_MAX)
      if (file.name !== name || file.sequence !== (remoteSequence ?? sequence)) return undefined
      const localFlags = Number(flags) & ~DERIVED_FLAGS
      if (owner !== 'local') return remoteRecord({ file, version, blocks, localFlags })
      return ownRecord({ file, version, blocks, localFlags, diskTime: diskTimeOf(file, this.#virtualTimes.get(name)) })
    } catch {
      return undefined // no protobuf
    }
  }
}

function blocksOf(list: Uint8Array): readonly Block[] | undefined {
  try {
    return decode(BLOCK_LIST, list, PARTS_MAX).blocks
  } catch {
    return undefined // no protobuf
  }
}

function indexIdOf(text: unknown): bigint {
  return typeof text === 'string' && /^[0-9a-f]{16}$/.test(text) ? BigInt(`0x${text}`) : 0n
}

/** `id:value` in hexadecimal and decimal, joined by commas, in any order. */
function versionOf(text: string): VersionVector | undefined {
  if (text === '') return []
  const vector: { device: ShortId; value: bigint }[] = []
  for (const part of text.split(',')) {
    const match = COUNTER.exec(part)
    if (match === null) return undefined
    vector.push({ device: BigInt(`0x${match[1]}`) as ShortId, value: BigInt(match[2]!) })
  }
  return vector.sort((a, b) => (a.device < b.device ? -1 : 1))
}
