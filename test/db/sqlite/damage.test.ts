import assert from 'node:assert/strict'
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, mock, test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import type { FolderIndex, IndexStore, Recovery } from '../../../src/db/types.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
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
  textOf,
  version,
} from '../records.ts'
import { testSeed } from '../../support/seed.ts'

const SEED = testSeed()
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
      lines.push(
        `${owner} ${textOf(await index.records.get(owner, name))}`,
        `global ${textOf(await index.records.global(name))}`,
      )
    }
  }
  if (lines.length === 0) return EMPTY
  lines.push(
    JSON.stringify([
      await index.needs.counts(),
      await index.exchange.sequence('local'),
      [...(await index.exchange.remoteSequences())],
    ]),
  )
  lines.push(...(await index.needs.need({ offset: 0, limit: 10_000 })).map(textOf))
  return [
    ...lines,
    JSON.stringify(await index.listing.browse({ prefix: '', levels: undefined, directoriesOnly: false })),
  ].join('\n')
}

/** One more round of changes: new files, changed ones, deletions, updates from other devices. */
async function addRound(index: FolderIndex, round: number): Promise<void> {
  await index.records.updateLocal([
    directory(`d${round}`),
    ...Array.from({ length: 60 }, (_, i) =>
      file(`d${round}/file-${i}`, { blockHashes: blocks(`${round}/${i}`, 1 + (i % 5)) }),
    ),
    ...Array.from({ length: 10 }, (_, i) => file(`often-${i}`, { version: version(round + 1), sizeBytes: 10 + round })),
    ...(round === 0 ? [] : [deletion(`d${round - 1}/file-3`, { version: version(9) })]),
  ])
  validContents.set(await contentOf(index), `half of round ${round}`)
  await index.records.updateRemote(
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
  await index.records.updateLocal([file('written afterwards')])
  assert.equal((await index.records.get('local', 'written afterwards'))?.name, 'written afterwards')
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
  const rounds = effort(120, 240)
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
      throw new Error(`TWINFOLD_SEED=${SEED} round ${round}: ${name} in ${main ? 'main.db' : FILE} of ${from}`, {
        cause: error,
      })
    }
  }
  reportRow({ id: 'D-02', tried: rounds, seed: SEED, ...outcomes })
  assert.ok((outcomes['recovered'] ?? 0) > rounds / 4)
})

test('index: the last three damaged copies are kept', async () => {
  using scratch = scratchDirectory()
  for (let round = 0; round < 6; round++) {
    await using store = await openTestStore(scratch.path)
    const index = await store.folder(FOLDER)
    await index.records.updateLocal([file('a')])
    const kept = store.recoveries.map(({ keptAt }) => existsSync(keptAt))
    assert.deepEqual(kept, round === 0 ? [] : [true])
    await store[Symbol.asyncDispose]()
    edit(join(scratch.path, FILE), (bytes) => void bytes.fill(9, PAGE_BYTES))
  }
  const kept = readdirSync(scratch.path).filter((name) => name.includes('.damaged-') && !name.endsWith('-wal'))
  assert.equal(kept.length, 3)
})

test('an index that cannot be synced while it is closed is checked at the next start, and loses nothing', async () => {
  const path = pathOf('unsynced')
  const failing: typeof nodeDisk = {
    ...nodeDisk,
    open: async (name, mode, permissions) => {
      if (mode === 'write' && name.endsWith('.db')) throw Object.assign(new Error('i/o error'), { code: 'EIO' })
      return await nodeDisk.open(name, mode, permissions)
    },
  }
  const exec = mock.method(DatabaseSync.prototype, 'exec')
  {
    await using store = await openTestStore(path, { disk: failing })
    await (await store.folder(FOLDER)).records.updateLocal([file('a')])
  }
  exec.mock.restore()
  const statements = exec.mock.calls.map(({ arguments: [sql] }) => String(sql))
  const unsynced = statements.findIndex((sql) => sql.includes('synchronous = OFF'))
  assert.ok(unsynced >= 0)
  assert.match(statements[unsynced + 1] ?? '', /synchronous = NORMAL/, 'then closing syncs it, or keeps the log')
  assert.ok(!existsSync(join(path, `${FILE}.seal`)))
  {
    await using store = await openTestStore(path)
    assert.equal((await (await store.folder(FOLDER)).records.get('local', 'a'))?.name, 'a')
  }
  assert.ok(existsSync(join(path, `${FILE}.seal`)))
  assert.ok(!existsSync(join(path, `${FILE}-wal`)))
})
