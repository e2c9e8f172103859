/** The IDs of an index: a new one for every new index, and after the index went back to an earlier state. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShortId } from '../../src/core/ids.ts'
import { MemoryDatabases } from '../../src/db/sqlite/memory-databases.ts'
import type { FolderIndex } from '../../src/db/types.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { DEVICES, file, FOLDER, openTestStore, SELF, version } from './records.ts'

const [PEER, OTHER] = DEVICES as readonly [(typeof DEVICES)[0], (typeof DEVICES)[0]]

/** `own:` for the counter ID of the index, the short number of any other. */
async function versionsOf(index: FolderIndex): Promise<readonly string[]> {
  const own = await index.exchange.counterId()
  const records = await index.exchange.localSince(0, { files: 1_000, blocks: 10_000 })
  return records.map(({ name, version: vector }) => {
    const counters = vector.map(({ device, value }) => `${device === own ? 'own' : device}:${value}`)
    return `${name} ${counters.join(' ')}`
  })
}

test('every new index counts under an ID of its own, which survives a restart', async () => {
  using scratch = scratchDirectory()
  const ids = new Set<ShortId | undefined>()
  for (let i = 0; i < 2; i++) {
    await using store = await openTestStore(undefined)
    ids.add(await (await store.folder(FOLDER)).exchange.counterId())
  }
  for (let i = 0; i < 2; i++) {
    await using store = await openTestStore(scratch.path)
    ids.add(await (await store.folder(FOLDER)).exchange.counterId())
  }
  assert.equal(ids.size, 3)
  assert.equal(ids.has(undefined), false)
})

test('a restart recounts our own records after a sequence, under new IDs', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  const before = { indexId: await index.exchange.indexId(), counterId: await index.exchange.counterId() }
  const own = [...version(3), { device: before.counterId!, value: 9n }]
  const ours = Array.from({ length: 600 }, (_, i) => file(`late${String(i).padStart(3, '0')}`, { version: own }))
  await index.records.updateLocal([
    file('early', { version: own }),
    file('pulled', { version: own, modifiedBy: 5n as ShortId }),
  ])
  await index.records.updateLocal([file('foreign', { version: version(3) }), ...ours])
  const temporaryId = 99n as ShortId
  await index.records.updateLocal([
    file('recent', { version: [...version(3), { device: temporaryId, value: 8n }, own[1]!] }),
  ])
  assert.equal(await index.exchange.hasNewIds(), true)
  await index.exchange.restart({ afterSequence: 1, ownShortId: SELF, temporaryId })
  assert.notEqual(await index.exchange.indexId(), before.indexId)
  assert.notEqual(await index.exchange.counterId(), before.counterId)
  const versions = await versionsOf(index)
  assert.deepEqual(versions.slice(0, 5), [
    `early 1:3 ${before.counterId}:9`,
    `pulled 1:3 ${before.counterId}:9`,
    'foreign 1:3',
    `recent 1:3 99:8 ${before.counterId}:9`,
    'late000 1:3 own:9',
  ])
  assert.equal(versions.filter((text) => text.endsWith(' 1:3 own:9')).length, 600)
  assert.equal(versions.length, 604)
})

test('what was sent to a device is kept for one index ID only, the smallest counter for all', async () => {
  using scratch = scratchDirectory()
  {
    await using store = await openTestStore(scratch.path)
    const index = await store.folder(FOLDER)
    assert.deepEqual([await index.exchange.sentSequence(PEER), await index.exchange.sentSequence(OTHER)], [0, 0])
    await index.exchange.setSentSequence(PEER, 70)
    assert.equal(await index.exchange.minCounter(), 0)
    await index.exchange.setMinCounter(9)
  }
  await using store = await openTestStore(scratch.path)
  const index = await store.folder(FOLDER)
  assert.deepEqual([await index.exchange.sentSequence(PEER), await index.exchange.sentSequence(OTHER)], [70, 0])
  assert.equal(await index.exchange.minCounter(), 9)
  await index.exchange.restart({ afterSequence: 0, ownShortId: SELF })
  assert.equal(await index.exchange.sentSequence(PEER), 0)
})

test('an index of an earlier release counts under the short ID, and does not know what it sent', async () => {
  const memory = new MemoryDatabases()
  const store = await openTestStore(undefined, { memory })
  await (await store.folder(FOLDER)).records.updateLocal([file('a', { version: [{ device: SELF, value: 4n }] })])
  const earlier = await withoutCounterId(memory)
  await store[Symbol.asyncDispose]()
  await using reopened = await openTestStore(undefined, { memory: earlier })
  const index = await reopened.folder(FOLDER)
  assert.deepEqual([await index.exchange.counterId(), await index.exchange.sentSequence(PEER)], [undefined, undefined])
  await index.exchange.setSentSequence(PEER, 1)
  assert.equal(await index.exchange.sentSequence(PEER), 1)
  await index.exchange.restart({ afterSequence: 0, ownShortId: SELF })
  assert.deepEqual(await versionsOf(index), ['a own:4'])
})

/** The stored state as it was written before it had a counter ID. */
async function withoutCounterId(memory: MemoryDatabases): Promise<MemoryDatabases> {
  const { readMeta, writeMeta } = await import('../../src/db/sqlite/meta.ts')
  const copy = memory.copy()
  const name = `folder-${Buffer.from(FOLDER).toString('hex')}.db`
  const database = copy.open(name)
  const { counterId: _counterId, ...state } = JSON.parse(readMeta(database, 'state') ?? '') as { counterId: string }
  writeMeta(database, 'state', JSON.stringify(state))
  const changed = copy.copy()
  database.close()
  return changed
}
