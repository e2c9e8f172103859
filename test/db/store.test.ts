import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { allRecords, blocks, DEVICES, file, FOLDER, folderId, openTestStore, sha256, textOf } from './records.ts'

const PEER_A = DEVICES[0]!

test('store: all data persists across closing and opening, the index id included', async () => {
  using scratch = scratchDirectory()
  const lists = Array.from({ length: 30 }, (_, i) => file(`f${i}`, { blockHashes: blocks(`f${i}`, 1 + (i % 4)) }))
  let indexId: bigint
  {
    await using store = await openTestStore(scratch.path)
    const index = await store.folder(FOLDER)
    indexId = await index.exchange.indexId()
    assert.notEqual(indexId, 0n)
    await index.records.updateLocal(lists)
    await index.records.updateRemote(PEER_A, [file('new', { sequence: 5, blockHashes: blocks('new', 9) })])
    await store.keyValue.set('k', Buffer.from('v'))
  }
  await using store = await openTestStore(scratch.path)
  assert.deepEqual(store.recoveries, [])
  assert.deepEqual(await store.folders(), [FOLDER])
  const index = await store.folder(FOLDER)
  assert.equal(await index.exchange.indexId(), indexId)
  assert.equal(await index.exchange.sequence('local'), 30)
  for (const [i, record] of lists.entries()) {
    assert.equal(textOf(await index.records.get('local', record.name)), textOf({ ...record, sequence: i + 1 }))
  }
  assert.deepEqual(
    (await index.records.localByBlocks(sha256(blocks('f7', 4)), 3)).map(({ name }) => name),
    ['f7'],
  )
  assert.deepEqual(
    (await index.needs.need({ offset: 0, limit: 9 })).map(({ name }) => name),
    ['new'],
  )
  assert.equal(await index.records.updateLocal([file('next')]), 31)
  assert.equal(Buffer.from((await store.keyValue.get('k'))!).toString(), 'v')
})

test('store: folders are separate, one object each; a dropped one is deleted and starts empty', async () => {
  for (const kind of ['disk', 'memory']) {
    using scratch = scratchDirectory()
    await using store = await openTestStore(kind === 'disk' ? scratch.path : undefined)
    const strange = folderId('../../etc/passwd')
    const long = folderId('ü'.repeat(300))
    const [one, same, two, three] = await Promise.all([
      store.folder(FOLDER),
      store.folder(FOLDER),
      store.folder(strange),
      store.folder(long),
    ])
    assert.equal(one, same)
    await one.records.updateLocal([file('a')])
    await two.records.updateLocal([file('b'), file('c')])
    await three.records.updateLocal([file('d')])
    assert.equal((await one.needs.counts()).local.files, 1)
    assert.deepEqual(await store.folders(), [strange, FOLDER, long])
    const firstId = await one.exchange.indexId()
    await store.dropFolder(FOLDER)
    await store.dropFolder(long)
    await assert.rejects(one.needs.counts(), { code: 'stopped' })
    assert.deepEqual(await store.folders(), [strange])
    const again = await store.folder(FOLDER)
    assert.deepEqual(await allRecords(again, 'local'), [])
    assert.notEqual(await again.exchange.indexId(), firstId)
    if (kind === 'disk') assert.ok(!readdirSync(scratch.path).some((name) => name.startsWith('long-')))
  }
})

test('store: pairs are set, replaced, listed by prefix and deleted', async () => {
  for (const kind of ['disk', 'memory']) {
    using scratch = scratchDirectory()
    await using store = await openTestStore(kind === 'disk' ? scratch.path : undefined)
    const { keyValue } = store
    const set = (key: string, value: string) => keyValue.set(key, Buffer.from(value))
    await set('a/1', 'x')
    await set('a/2', '')
    await set('a/1', 'y')
    await set('a_1', 'z')
    await set('ä/\u{1f600}', 'w')
    const list = async (prefix: string) =>
      (await keyValue.list(prefix)).map(([key, value]) => [key, Buffer.from(value).toString()])
    assert.deepEqual(await list('a/'), [
      ['a/1', 'y'],
      ['a/2', ''],
    ])
    assert.deepEqual(await list('ä/'), [['ä/\u{1f600}', 'w']])
    assert.equal((await list('')).length, 4)
    assert.deepEqual(await list('A'), [])
    await keyValue.delete('a/1')
    await keyValue.delete('never')
    assert.equal(await keyValue.get('a/1'), undefined)
  }
})

test('store: files are accessible to their owner only', { skip: process.platform === 'win32' }, async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'index')
  await using store = await openTestStore(path)
  await (await store.folder(FOLDER)).records.updateLocal([file('a')])
  assert.equal(statSync(path).mode & 0o777, 0o700)
  for (const name of readdirSync(path)) assert.equal(statSync(join(path, name)).mode & 0o077, 0, name)
})

test('store: an unreachable database is refused with a reason, and is not put aside', async () => {
  using scratch = scratchDirectory()
  const path = join(scratch.path, 'index')
  writeFileSync(path, 'a file where the directory should be')
  await assert.rejects(openTestStore(path), { code: 'database-unavailable', message: /index/ })

  const home = join(scratch.path, 'home')
  mkdirSync(join(home, 'main.db'), { recursive: true })
  await assert.rejects(openTestStore(home), { code: 'database-unavailable', message: /main\.db/ })
  assert.deepEqual(readdirSync(home), ['main.db'])
})

test('store: a second store on the same directory is refused', async () => {
  using scratch = scratchDirectory()
  await using _first = await openTestStore(scratch.path)
  await assert.rejects(openTestStore(scratch.path), { code: 'database-unavailable', message: /locked/ })
})

test('store: many indexes that are opened at once do not fill one turn of the event loop', async () => {
  using scratch = scratchDirectory()
  let nowMs = 0
  let turns = 0
  const clock = {
    ...nodeClock,
    monotonicMs: () => ++nowMs, // so that everything takes some time
    sleep: async () => {
      turns++
      await new Promise((done) => setImmediate(done))
    },
  }
  await using store = await openTestStore(scratch.path, { clock })
  turns = 0
  await Promise.all(Array.from({ length: 40 }, (_none, place) => store.folder(folderId(`folder ${place}`))))
  assert.ok(turns >= 4, `${turns} turns`)
})
