import assert from 'node:assert/strict'
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { LevelDb } from '../../../src/db/leveldb/leveldb.ts'
import { decodeSnappy } from '../../../src/db/leveldb/snappy.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { logFile, logRecord, tableFile, writeLevelDb, type Write } from '../../support/leveldb-writer.ts'
import { scratchDirectory } from '../../support/scratch.ts'

function writes(from: number, to: number, text: string): readonly Write[] {
  return Array.from({ length: to - from }, (_, place) => {
    return { key: `key${String(from + place).padStart(6, '0')}`, value: Buffer.from(`${text} ${from + place}`) }
  })
}

async function pairs(directory: string, from = '', to = '\xff'): Promise<readonly (readonly [string, string])[]> {
  await using database = await LevelDb.open(nodeDisk, directory)
  const found: (readonly [string, string])[] = []
  for await (const batch of database.range(from, to))
    found.push(...batch.map((e) => [e.key, e.value.toString()] as const))
  return found
}

const DELETED = { key: 'key000003', value: undefined }
const TABLES = [
  tableFile(writes(0, 2_000, 'old'), 10),
  tableFile(writes(1_000, 3_000, 'new'), 20, false),
  tableFile([DELETED, { key: 'key000004', value: Buffer.from('table') }], 30),
]
const LOG = [
  logRecord(40, [
    { key: 'key000000', value: Buffer.from('log') },
    { key: 'key000005', value: undefined },
  ]),
  logRecord(42, [{ key: 'long', value: Buffer.alloc(100_000, 'x') }]),
]

describe('a LevelDB database', () => {
  it('D-30: is read whatever the number of blocks in a table', async () => {
    using scratch = scratchDirectory()
    writeLevelDb(scratch.path, [tableFile(writes(0, 200_000, 'v'), 10, false, 1)], [])
    await using database = await LevelDb.open(nodeDisk, scratch.path)
    let count = 0
    for await (const batch of database.range('', '\xff')) count += batch.length
    assert.equal(count, 200_000)
    await using again = await LevelDb.open(nodeDisk, scratch.path)
    const none = await Array.fromAsync(again.range('z', '\xff'))
    assert.equal(none.flat().length, 0)
  })

  it('has the newest version of each key, from tables and log', async () => {
    using scratch = scratchDirectory()
    writeLevelDb(scratch.path, TABLES, LOG)
    const found = await pairs(scratch.path)
    assert.equal(found.length, 3_000 - 2 + 1)
    const values = new Map(found)
    assert.equal(values.get('key000000'), 'log')
    assert.equal(values.get('key000003'), undefined)
    assert.equal(values.get('key000004'), 'table')
    assert.equal(values.get('key000005'), undefined)
    assert.equal(values.get('key000999'), 'old 999')
    assert.equal(values.get('key001000'), 'new 1000')
    assert.equal(values.get('long')?.length, 100_000)
    assert.deepEqual([...values.keys()], [...values.keys()].toSorted())
    assert.deepEqual(await pairs(scratch.path, 'key000998', 'key001001'), [
      ['key000998', 'old 998'],
      ['key000999', 'old 999'],
      ['key001000', 'new 1000'],
    ])
  })

  it('finds single keys', async () => {
    using scratch = scratchDirectory()
    writeLevelDb(scratch.path, TABLES, LOG)
    await using database = await LevelDb.open(nodeDisk, scratch.path)
    const get = async (key: string) => (await database.get(key))?.toString()
    assert.deepEqual(
      [await get('key000000'), await get('key000003'), await get('key001500'), await get('key002999'), await get('z')],
      ['log', undefined, 'new 1500', 'new 2999', undefined],
    )
  })

  it('ends before a record whose write was interrupted', async () => {
    using scratch = scratchDirectory()
    const log = logFile(LOG)
    for (const cut of [log.length - 1, log.length - 40_000, 44]) {
      writeLevelDb(scratch.path, [], LOG)
      truncateSync(join(scratch.path, '000005.log'), cut)
      assert.deepEqual(
        (await pairs(scratch.path)).map(([key]) => key),
        cut < 45 ? [] : ['key000000'],
      )
    }
  })

  it('is damaged when a record before the last cannot be read', async () => {
    using scratch = scratchDirectory()
    writeLevelDb(scratch.path, [], LOG)
    const path = join(scratch.path, '000005.log')
    const log = readFileSync(path)
    log[20] = 0xee
    writeFileSync(path, log)
    await assert.rejects(pairs(scratch.path), /000005\.log: a damaged record at byte 0/)
  })

  it('is damaged when a byte of a table is wrong, or a table is missing', async () => {
    using scratch = scratchDirectory()
    for (const at of [5, 5_000, -3, -60]) {
      writeLevelDb(scratch.path, TABLES, LOG)
      const path = join(scratch.path, '000010.ldb')
      const table = readFileSync(path)
      const place = at < 0 ? table.length + at : at
      table[place] = (table[place] ?? 0) ^ 1
      writeFileSync(path, table)
      await assert.rejects(pairs(scratch.path), { code: 'database-damaged' }, `at ${at}`)
    }
    rmSync(join(scratch.path, '000010.ldb'))
    await assert.rejects(pairs(scratch.path), /table 10 is missing/)
    rmSync(join(scratch.path, 'MANIFEST-000002'))
    await assert.rejects(pairs(scratch.path), /manifest is missing/)
  })

  it('never reads outside of a damaged file, whatever its bytes', async () => {
    using scratch = scratchDirectory()
    writeLevelDb(scratch.path, [tableFile(writes(0, 50, 'v'), 1)], [LOG[0]!])
    let seed = 12_345
    const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % below
    for (const name of ['000010.ldb', 'MANIFEST-000002', '000005.log', 'CURRENT']) {
      const path = join(scratch.path, name)
      const whole = readFileSync(path)
      for (let round = 0; round < 25; round++) {
        const data = Buffer.from(whole)
        data[random(data.length)] = random(256)
        writeFileSync(path, data.subarray(0, random(4) === 0 ? random(data.length) : data.length))
        const outcome = await pairs(scratch.path).then(
          () => 'read',
          (error: unknown) => (error instanceof Error && 'code' in error ? error.code : error),
        )
        assert.ok(outcome === 'read' || outcome === 'database-damaged', `${name}: ${String(outcome)}`)
      }
      writeFileSync(path, whole)
    }
  })
})

describe('a block in the format of Snappy', () => {
  it('has literals and copies, also of what is being written', () => {
    assert.equal(decodeSnappy(Buffer.from([5, 16, 97, 98, 99, 100, 101]), 100).toString(), 'abcde')
    // "ab", then 8 bytes from 2 before
    assert.equal(decodeSnappy(Buffer.from([10, 4, 97, 98, (4 << 2) | 1, 2]), 100).toString(), 'ababababab')
    assert.equal(decodeSnappy(Buffer.from([6, 8, 97, 98, 99, (2 << 2) | 2, 3, 0]), 100).toString(), 'abcabc')
    assert.equal(decodeSnappy(Buffer.from([6, 8, 97, 98, 99, (2 << 2) | 3, 3, 0, 0, 0]), 100).toString(), 'abcabc')
  })

  it('is damaged when it does not fit', () => {
    const wrong = [
      [],
      [200, 1],
      [5, 16, 97],
      [6, 8, 97, 98, 99, (2 << 2) | 2, 4, 0],
      [9, 8, 97, 98, 99],
      [2, 8, 97, 98, 99],
    ]
    for (const bytes of wrong) assert.throws(() => decodeSnappy(Buffer.from(bytes), 100), { code: 'database-damaged' })
  })
})
