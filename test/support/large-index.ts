/** Indexes of Syncthing with many files: folder `docs`, all files here and on device B, in sync. */
import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { deviceIdBytes, parseDeviceId, shortIdOf } from '../../src/core/device-id.ts'
import { encode } from '../../src/core/wire/schema.ts'
import { KEY, keyOf } from '../../src/db/syncthing/keys-v1.ts'
import { BLOCK_LIST, COUNTS_SET, STORED_FILE } from '../../src/db/syncthing/messages.ts'
import { logRecord, tableFile, writeLevelDb, type Table, type Write } from './leveldb-writer.ts'
import { deviceB, expectedIndex } from './syncthing-index.ts'

const TABLE_BYTES = 2 * 1024 * 1024
const LOCAL_ID = new Uint8Array(32).fill(0xff)
const LOCAL_NUMBER = 1
const OTHER_NUMBER = 2

/** In the order of bytes. */
function nameOf(place: number): string {
  const directory = String(Math.floor(place / 1_000)).padStart(5, '0')
  return `directory-${directory}/document ${String(place).padStart(8, '0')}.txt`
}

function fileOf(place: number, own: bigint) {
  const name = nameOf(place)
  const hash = createHash('sha256').update(name).digest()
  return {
    name,
    hash,
    value: {
      name,
      size: 1_000,
      permissions: 0o644,
      modified_s: 1_790_000_000 + (place % 1_000),
      modified_ns: place,
      version: { counters: [{ id: own, value: BigInt(1_790_000_000 + (place % 50)) }] },
      sequence: place + 1,
      modified_by: own,
      block_size: 131_072,
      blocks: [{ size: 1_000, hash }],
      blocks_hash: hash,
    },
  }
}

function number64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(value)
  return bytes
}

/** As Syncthing 1.x keeps it. */
export function writeLargeIndexV1(directory: string, count: number): void {
  const expected = expectedIndex('1.29.5')
  const own = shortIdOf(parseDeviceId(expected.myID))
  const other = deviceIdBytes(deviceB(expected))
  const tables: Table[] = []
  for (const device of [LOCAL_NUMBER, OTHER_NUMBER]) {
    let writes: Write[] = []
    let bytes = 0
    for (let place = 0; place < count; place++) {
      const { name, value } = fileOf(place, own)
      const record = encode(STORED_FILE, value as never)
      writes.push({ key: keyOf(KEY.record, 0, device, Buffer.from(name)), value: record })
      bytes += record.length + name.length
      if (bytes < TABLE_BYTES && place < count - 1) continue
      tables.push(tableFile(writes, 5))
      writes = []
      bytes = 0
    }
  }
  const counts = [LOCAL_ID, other].map((device_id) => ({ files: count, sequence: count, device_id }))
  const head: Write[] = [
    { key: keyOf(KEY.folder, 0, 0), value: Buffer.from('docs') },
    { key: keyOf(KEY.device, LOCAL_NUMBER, 0), value: LOCAL_ID },
    { key: keyOf(KEY.device, OTHER_NUMBER, 0), value: other },
    { key: keyOf(KEY.indexId, LOCAL_NUMBER, 0), value: number64(77n) },
    { key: keyOf(KEY.indexId, OTHER_NUMBER, 0), value: number64(78n) },
    { key: keyOf(KEY.counts, 0), value: encode(COUNTS_SET, { counts } as never) },
    { key: keyOf(KEY.misc, 'dbVersion'), value: number64(14n) },
    { key: keyOf(KEY.misc, 'dbMigrationVersion'), value: number64(20n) },
  ]
  writeLevelDb(directory, tables, [logRecord(100, head)])
}

/** As Syncthing 2.x keeps it: the database of the folder in an unpacked home gets other records. */
export function writeLargeIndexV2(directory: string, count: number): void {
  const path = join(
    directory,
    readdirSync(directory).find((name) => name.startsWith('folder.0001-'))!,
  )
  using database = new DatabaseSync(path)
  database.exec('PRAGMA foreign_keys = off; PRAGMA synchronous = off; PRAGMA journal_mode = memory; BEGIN')
  for (const { name } of database.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all())
    database.exec(`DROP TRIGGER "${String(name)}"`)
  for (const table of ['files', 'fileinfos', 'file_names', 'file_versions', 'blocklists', 'blocks', 'mtimes'])
    database.exec(`DELETE FROM ${table}`)
  const own = shortIdOf(parseDeviceId(expectedIndex('2.1.3').myID))
  const numbers = database.prepare('SELECT idx FROM devices ORDER BY idx').all() as { idx: number }[]
  const addName = database.prepare('INSERT INTO file_names (idx, name) VALUES (?, ?)')
  const addVersion = database.prepare('INSERT INTO file_versions (idx, version) VALUES (?, ?)')
  const addList = database.prepare('INSERT INTO blocklists (blocklist_hash, blprotobuf) VALUES (?, ?)')
  const addInfo = database.prepare('INSERT INTO fileinfos (sequence, fiprotobuf) VALUES (?, ?)')
  const addFile = database.prepare(`INSERT INTO files (device_idx, sequence, remote_sequence, name_idx, version_idx,
    type, modified, size, deleted, local_flags, blocklist_hash) VALUES (?, ?, ?, ?, ?, 0, 0, 1000, 0, 0, ?)`)
  for (let version = 0; version < 50; version++)
    addVersion.run(version + 1, `${own.toString(16).padStart(16, '0')}:${1_790_000_000 + version}`)
  for (let place = 0; place < count; place++) {
    const { name, hash, value } = fileOf(place, own)
    const blockHash = createHash('sha256').update(hash).digest()
    addName.run(place + 1, name)
    addList.run(blockHash, encode(BLOCK_LIST, { blocks: value.blocks } as never))
    numbers.forEach(({ idx }, device) => {
      const sequence = device * count + place + 1
      const remote = device === 0 ? null : place + 1
      const blob = encode(STORED_FILE, { ...value, blocks: [], blocks_hash: blockHash } as never)
      addFile.run(idx, sequence, remote, place + 1, (place % 50) + 1, blockHash)
      addInfo.run(sequence, blob)
    })
  }
  database.prepare('UPDATE indexids SET sequence = ?').run(count)
  database.exec('COMMIT')
}
