import assert from 'node:assert/strict'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { addToDigest, CHECKSUM_START, mixNumber, mixText } from '../../../src/db/sqlite/checksum.ts'
import { FOLDER_SCHEMA } from '../../../src/db/sqlite/schema.ts'
import type { FolderIndex, IndexStore, Recovery } from '../../../src/db/types.ts'
import { effort, reportRow } from '../../support/effort.ts'
import { scratchDirectory } from '../../support/scratch.ts'
import {
  allRecords,
  blocks,
  deletion,
  DEVICES,
  directory,
  file,
  FOLDER,
  openTestStore,
  sha256,
  textOf,
  version,
} from '../records.ts'

const SEED = Number(process.env['SIM_SEED'] ?? 1)
const FILE = `folder-${Buffer.from(FOLDER).toString('hex')}.db`
const PAGE_BYTES = 4096
const EMPTY = 'empty'

const home = scratchDirectory()
after(() => home[Symbol.dispose]())
const pathOf = (name: string) => join(home.path, name)

/** mulberry32: small, seedable, good enough to choose the damage. */
function prng(seed: number): (below: number) => number {
  let state = seed | 0
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** The results of all queries of an index as one text. */
async function contentOf(index: FolderIndex): Promise<string> {
  const lines: string[] = []
  for (const owner of ['local' as const, ...DEVICES]) {
    for (const { name } of await allRecords(index, owner, 100)) {
      lines.push(`${owner} ${textOf(await index.get(owner, name))}`, `global ${textOf(await index.global(name))}`)
    }
  }
  if (lines.length === 0) return EMPTY
  lines.push(
    JSON.stringify([await index.counts(), await index.sequence('local'), [...(await index.remoteSequences())]]),
  )
  lines.push(...(await index.need({ offset: 0, limit: 10_000 })).map(textOf))
  return [...lines, JSON.stringify(await index.browse({ prefix: '', levels: undefined, directoriesOnly: false }))].join(
    '\n',
  )
}

/** One more round of changes: new files, changed ones, deletions, updates from other devices. */
async function addRound(index: FolderIndex, round: number): Promise<void> {
  await index.updateLocal([
    directory(`d${round}`),
    ...Array.from({ length: 60 }, (_, i) =>
      file(`d${round}/file-${i}`, { blockHashes: blocks(`${round}/${i}`, 1 + (i % 5)) }),
    ),
    ...Array.from({ length: 10 }, (_, i) => file(`often-${i}`, { version: version(round + 1), sizeBytes: 10 + round })),
    ...(round === 0 ? [] : [deletion(`d${round - 1}/file-3`, { version: version(9) })]),
  ])
  validContents.set(await contentOf(index), `half of round ${round}`)
  await index.updateRemote(
    DEVICES[round % 2]!,
    Array.from({ length: 30 }, (_, i) => {
      return file(`d${round}/file-${i}`, {
        version: version(1, i % 3),
        sequence: round * 100 + i + 1,
        blockHashes: blocks(`${round}/${i}`, 2),
      })
    }),
  )
}

/** Contents that were valid at some moment between two writes. */
const validContents = new Map<string, string>([[EMPTY, 'never written']])

/** Creates the homes to be damaged: cleanly closed ones, and ones as a kill leaves them, from different rounds. */
async function makeHomes(): Promise<void> {
  let store = await openTestStore(pathOf('live'))
  const copy = (name: string) => cpSync(pathOf('live'), pathOf(name), { recursive: true })
  for (let round = 0; round < 8; round++) {
    const index = await store.folder(FOLDER)
    await store.keyValue.set(`key-${round}`, Buffer.from(`value ${round}`))
    await addRound(index, round)
    validContents.set(await contentOf(index), `round ${round}`)
    if (round % 2 === 0) {
      copy(`killed-${round}`)
      continue
    }
    await store[Symbol.asyncDispose]()
    copy(`closed-${round}`)
    store = await openTestStore(pathOf('live'))
  }
  await store[Symbol.asyncDispose]()
}

type Damage = (path: string, random: (below: number) => number) => void

function edit(path: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path)
  change(bytes)
  writeFileSync(path, bytes)
}

const flipIn =
  (suffix: string, count: number): Damage =>
  (path, random) => {
    if (!existsSync(path + suffix)) return
    edit(path + suffix, (bytes) => {
      for (let i = 0; i < count && bytes.length > 0; i++) bytes[random(bytes.length)]! ^= 1 << random(8)
    })
  }

const from =
  (name: string, suffix: string): Damage =>
  (path) => {
    const source = join(pathOf(name), FILE) + suffix
    if (existsSync(source)) cpSync(source, path + suffix)
  }

/** The kinds of damage. All but the last few may also apply to the main database. */
const DAMAGES: Record<string, Damage> = {
  'nothing at all': () => {},
  'one bit': flipIn('', 1),
  'a few bits': flipIn('', 5),
  'many bits': flipIn('', 400),
  'a bit of the header': (path, random) => edit(path, (bytes) => void (bytes[random(100)]! ^= 1 << random(8))),
  'a bit of the schema': (path, random) =>
    edit(path, (bytes) => void (bytes[100 + random(PAGE_BYTES - 100)]! ^= 1 << random(8))),
  'a zeroed page': (path, random) =>
    edit(path, (bytes) => {
      const page = random(Math.max(1, bytes.length / PAGE_BYTES))
      bytes.fill(0, page * PAGE_BYTES, Math.min(bytes.length, (page + 1) * PAGE_BYTES))
    }),
  'two pages swapped': (path, random) =>
    edit(path, (bytes) => {
      const [a, b] = [random(bytes.length / PAGE_BYTES), random(bytes.length / PAGE_BYTES)].map(
        (page) => page * PAGE_BYTES,
      )
      const kept = Buffer.from(bytes.subarray(a!, a! + PAGE_BYTES))
      bytes.copyWithin(a!, b!, b! + PAGE_BYTES)
      kept.copy(bytes, b!)
    }),
  'zeroed bytes': (path, random) =>
    edit(path, (bytes) => {
      const start = random(bytes.length)
      bytes.fill(0, start, Math.min(bytes.length, start + 1 + random(300)))
    }),
  truncated: (path, random) => truncateSync(path, random(readFileSync(path).length)),
  'truncated at a page': (path, random) =>
    truncateSync(path, random(readFileSync(path).length / PAGE_BYTES) * PAGE_BYTES),
  'truncated to nothing': (path) => truncateSync(path, 0),
  'main file removed': (path) => rmSync(path),
  'no database at all': (path, random) =>
    writeFileSync(path, Buffer.from(Array.from({ length: 5000 }, () => random(256)))),
  'garbage at the end': (path, random) =>
    writeFileSync(path, Buffer.concat([readFileSync(path), Buffer.alloc(random(9000), 7)])),
  'log removed': (path) => rmSync(`${path}-wal`, { force: true }),
  'log truncated': (path, random) => {
    if (existsSync(`${path}-wal`)) truncateSync(`${path}-wal`, random(readFileSync(`${path}-wal`).length))
  },
  'log with a flipped bit': flipIn('-wal', 1),
  'log with zeroed bytes': (path, random) => {
    if (!existsSync(`${path}-wal`)) return
    edit(`${path}-wal`, (bytes) => {
      const start = random(bytes.length)
      bytes.fill(0, start, Math.min(bytes.length, start + 1 + random(9000)))
    })
  },
  'log of garbage': (path, random) =>
    writeFileSync(`${path}-wal`, Buffer.from(Array.from({ length: 9000 }, () => random(256)))),
  'seal of garbage': (path) => writeFileSync(`${path}.seal`, '1 2\n'),
  'seal removed': (path) => rmSync(`${path}.seal`, { force: true }),
  'log from an earlier time': from('killed-0', '-wal'),
  'log from another time': from('killed-4', '-wal'),
  'log from a later time': from('killed-6', '-wal'),
  'seal from another time': from('closed-3', '.seal'),
  'main file from another time': from('closed-3', ''),
  'main file of a killed one': from('killed-4', ''),
}
const FOLDER_ONLY = /time|killed one/
/** Changes that must not be detected as damage. */
const HARMLESS = /^(nothing at all|seal removed|seal of garbage|seal from another time)$/

/** Reads everything; damage detected while reading is reported once, and then the index is empty. */
async function readAll(store: IndexStore): Promise<string> {
  const index = await store.folder(FOLDER)
  try {
    return await contentOf(index)
  } catch (error) {
    assert.ok(error instanceof TwinfoldError && error.code === 'database-damaged', String(error))
    const content = await contentOf(index)
    assert.equal(content, EMPTY)
    return content
  }
}

/** The outcome for a damaged home: 'harmless', 'earlier state' or 'recovered'. Throws for everything else. */
async function outcomeOf(directoryPath: string, expected: string): Promise<string> {
  const reported: Recovery[] = []
  await using store = await openTestStore(directoryPath, { onRecovery: (recovery) => reported.push(recovery) })
  const content = await readAll(store)
  await store.keyValue
    .list('')
    .catch((error: unknown) => assert.equal((error as TwinfoldError).code, 'database-damaged'))
  for (const [key, value] of await store.keyValue.list('')) {
    assert.equal(Buffer.from(value).toString(), `value ${key.slice(4)}`)
  }
  assert.deepEqual(store.recoveries, reported)
  const index = await store.folder(FOLDER)
  await index.updateLocal([file('written afterwards')])
  assert.equal((await index.get('local', 'written afterwards'))?.name, 'written afterwards')
  if (reported.some(({ folder }) => folder === FOLDER)) {
    assert.equal(content, EMPTY)
    return 'recovered'
  }
  if (content === expected) return 'harmless'
  assert.ok(validContents.has(content), 'returns content that was never written')
  return 'earlier state'
}

test('index: for any damage to its files it returns written content, or is reset and reports it', async () => {
  await makeHomes()
  const rounds = effort(240)
  const outcomes: Record<string, number> = {}
  const homes = readdirSync(home.path)
    .filter((name) => /^(closed|killed)/.test(name))
    .sort()
  const names = Object.keys(DAMAGES)
  const contentByHome = new Map<string, string>()
  for (const name of homes) {
    contentByHome.set(name, [...validContents].find(([, when]) => when === `round ${name.split('-')[1]}`)![0])
  }
  for (let round = 0; round < rounds; round++) {
    const random = prng(SEED * 1_000_003 + round)
    const name = names[round % names.length]!
    const from = homes[random(homes.length)]!
    const main = !FOLDER_ONLY.test(name) && random(6) === 0
    const path = pathOf('damaged')
    rmSync(path, { recursive: true, force: true })
    cpSync(pathOf(from), path, { recursive: true })
    DAMAGES[name]!(join(path, main ? 'main.db' : FILE), random)
    try {
      const outcome = await outcomeOf(path, contentByHome.get(from)!)
      if (HARMLESS.test(name)) assert.equal(outcome, 'harmless')
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    } catch (error) {
      throw new Error(`SIM_SEED=${SEED} round ${round}: ${name} in ${main ? 'main.db' : FILE} of ${from}`, {
        cause: error,
      })
    }
  }
  reportRow({ id: 'D-02', tried: rounds, seed: SEED, ...outcomes })
  assert.ok((outcomes['recovered'] ?? 0) > rounds / 4)
})

/** Changes the schema number in the meta table as another version of the program would. */
function setSchema(path: string, value: string): void {
  const database = new DatabaseSync(path)
  database
    .prepare('UPDATE meta SET value = ?, sum = ? WHERE key = ?')
    .run(value, mixText(mixText(CHECKSUM_START, 'schema'), value), 'schema')
  database.close()
}

test('index: a database of a newer version is refused with a reason and left unchanged', async () => {
  using scratch = scratchDirectory()
  {
    await using store = await openTestStore(scratch.path)
    await (await store.folder(FOLDER)).updateLocal([file('a')])
  }
  setSchema(join(scratch.path, FILE), '99')
  {
    await using store = await openTestStore(scratch.path)
    await assert.rejects(store.folder(FOLDER), { code: 'database-newer', message: /newer version/ })
    assert.deepEqual(store.recoveries, [])
  }
  setSchema(join(scratch.path, FILE), String(FOLDER_SCHEMA.length))
  await using store = await openTestStore(scratch.path)
  assert.equal((await (await store.folder(FOLDER)).counts()).local.files, 1)
})

/** An index as the first version of the program wrote it, with one local record and one of another device. */
function firstIndex(path: string): void {
  const database = new DatabaseSync(path)
  database.exec('CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID')
  database.exec(FOLDER_SCHEMA[0]!)
  const rows = [
    [0, 'mine', 0, 1],
    [1, 'theirs', 2, 7],
  ] as const
  let digest = 0
  for (const [device, name, mark, sequence] of rows) {
    const list = blocks(name, 2)
    const hash = sha256(list).toString('base64url')
    let sum = mixText(mixNumber(CHECKSUM_START, device), name)
    sum = mixNumber(mixNumber(sum, mark), 0x20)
    sum = mixNumber(mixNumber(sum, 100), 200_000)
    sum = mixNumber(mixNumber(sum, sequence), 131_072)
    sum = mixText(mixText(mixText(sum, '1/1:5'), hash), '')
    database.prepare('INSERT INTO lists VALUES (?, ?)').run(device + 1, list)
    database
      .prepare('INSERT INTO files VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
      .run(device, name, mark, 0x20, 100, 200_000, sequence, '1/1:5', hash, 131_072, '', sum, device + 1, null)
    digest = addToDigest(digest, sum)
  }
  const one = [1, 0, 0, 0, '200000']
  const holders = [
    [0, 'local', 1, 1],
    [1, DEVICES[0], 7, 1],
  ]
  const state = {
    folder: FOLDER,
    indexId: 'abc',
    digest,
    global: [2, 0, 0, 0, '400000'],
    local: one,
    need: one,
    receiveOnlyChanged: [0, 0, 0, 0, '0'],
    holders,
  }
  for (const [key, value] of [
    ['schema', '1'],
    ['state', JSON.stringify(state)],
  ] as const) {
    database.prepare('INSERT INTO meta VALUES (?, ?, ?)').run(key, value, mixText(mixText(CHECKSUM_START, key), value))
  }
  database.close()
}

test('index: a database of the first version is migrated completely, also after a kill between two steps', async () => {
  for (const killed of [false, true]) {
    using scratch = scratchDirectory()
    firstIndex(join(scratch.path, FILE))
    if (killed) {
      // A step is committed only together with its number: this one is rolled back.
      const database = new DatabaseSync(join(scratch.path, FILE))
      database.exec('BEGIN')
      database.exec(FOLDER_SCHEMA[1]!)
      database.exec('ROLLBACK')
      database.close()
    }
    await using store = await openTestStore(scratch.path)
    const index = await store.folder(FOLDER)
    assert.deepEqual(store.recoveries, [])
    assert.equal(await index.indexId(), 0xabcn)
    assert.deepEqual(Buffer.from((await index.get('local', 'mine'))!.blockHashes!), blocks('mine', 2))
    assert.deepEqual(
      (await index.need({ offset: 0, limit: 9 })).map(({ name, platform }) => [name, platform]),
      [['theirs', undefined]],
    )
    const platform = Buffer.from('anything')
    assert.equal(await index.updateLocal([file('new', { platform })]), 2)
    assert.deepEqual((await index.get('local', 'new'))?.platform, platform)
  }
})

test('index: a database whose creation was interrupted by a kill is completed', async () => {
  using scratch = scratchDirectory()
  for (const statements of [
    [],
    ['CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL) WITHOUT ROWID'],
  ]) {
    rmSync(join(scratch.path, FILE), { force: true })
    const database = new DatabaseSync(join(scratch.path, FILE))
    for (const sql of statements) database.exec(sql)
    if (statements.length > 0)
      database
        .prepare('INSERT INTO meta VALUES (?, ?, ?)')
        .run('schema', '0', mixText(mixText(CHECKSUM_START, 'schema'), '0'))
    database.close()
    await using store = await openTestStore(scratch.path)
    const index = await store.folder(FOLDER)
    assert.equal(await index.updateLocal([file('a')]), 1)
    assert.deepEqual(store.recoveries, [])
    await store.dropFolder(FOLDER)
  }
})

/** Changes the database externally, and its seal too, so that only reading detects it. */
function changeSealed(path: string, sql: string): void {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
  const bytes = readFileSync(path)
  writeFileSync(`${path}.seal`, `${bytes.length} ${crc32(bytes)}\n`)
}

const READERS: Record<string, (index: FolderIndex) => Promise<unknown>> = {
  page: (index) => index.page('local', { within: '', afterName: '', limit: 1000 }),
  get: (index) => index.get('local', 'file-7'),
  head: (index) => index.head('local', 'file-7'),
  global: (index) => index.global('file-7'),
  both: (index) => index.both('file-7'),
  browse: (index) => index.browse({ prefix: '', levels: 0, directoriesOnly: false }),
  update: (index) => index.updateLocal([file('new'), file('file-7')]),
  drop: (index) => index.dropLocal(['file-7']),
}

for (const [name, read] of Object.entries(READERS)) {
  test(`index: damage found while in use by ${name} is reported to the caller; then the index is reset`, async () => {
    using scratch = scratchDirectory()
    let id: bigint
    {
      await using store = await openTestStore(scratch.path)
      const index = await store.folder(FOLDER)
      id = await index.indexId()
      await index.updateLocal(Array.from({ length: 50 }, (_, i) => file(`file-${i}`)))
    }
    changeSealed(join(scratch.path, FILE), "UPDATE files SET size = size + 1 WHERE name = 'file-7'")
    const reported: Recovery[] = []
    await using store = await openTestStore(scratch.path, { onRecovery: (recovery) => reported.push(recovery) })
    const index = await store.folder(FOLDER)
    assert.equal((await index.get('local', 'file-8'))?.name, 'file-8')
    assert.equal(store.recoveries.length, 0)
    await assert.rejects(read(index), { code: 'database-damaged', message: /file-7/ })
    assert.deepEqual(await allRecords(index, 'local'), [])
    assert.deepEqual(
      reported.map(({ keptAt }) => existsSync(keptAt)),
      [true],
    )
    assert.equal(await index.updateLocal([file('new')]), 1)
    assert.notEqual(await index.indexId(), id)
    assert.equal(await store.folder(FOLDER), index)
  })
}

test('index: a block list that is not what was written is damage', async () => {
  using scratch = scratchDirectory()
  {
    await using store = await openTestStore(scratch.path)
    await (await store.folder(FOLDER)).updateLocal([file('many', { blockHashes: blocks('x', 9) }), file('one')])
  }
  changeSealed(
    join(scratch.path, FILE),
    "UPDATE lists SET hashes = zeroblob(288); UPDATE files SET single = zeroblob(32) WHERE name = 'one'",
  )
  for (const name of ['many', 'one']) {
    using copy = scratchDirectory()
    cpSync(scratch.path, copy.path, { recursive: true })
    await using store = await openTestStore(copy.path)
    await assert.rejects((await store.folder(FOLDER)).get('local', name), { code: 'database-damaged' })
  }
})

test('index: the last three damaged copies are kept', async () => {
  using scratch = scratchDirectory()
  for (let round = 0; round < 6; round++) {
    await using store = await openTestStore(scratch.path)
    const index = await store.folder(FOLDER)
    await index.updateLocal([file('a')])
    const kept = store.recoveries.map(({ keptAt }) => existsSync(keptAt))
    assert.deepEqual(kept, round === 0 ? [] : [true])
    await store[Symbol.asyncDispose]()
    edit(join(scratch.path, FILE), (bytes) => void bytes.fill(9, PAGE_BYTES))
  }
  const kept = readdirSync(scratch.path).filter((name) => name.includes('.damaged-') && !name.endsWith('-wal'))
  assert.equal(kept.length, 3)
})
