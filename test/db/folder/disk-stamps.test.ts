import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceId } from '../../../src/core/ids.ts'
import { stampOf, stampValue } from '../../../src/db/folder/stamp-value.ts'
import { blocks, DEVICES, file, FOLDER, openTestStore, version } from '../records.ts'

const [PEER] = DEVICES as readonly [DeviceId]
const STAMP_MAX = 2 ** 40 - 1

test('a disk stamp is stored with our record, and set later without a new sequence number', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  await index.records.updateLocal([file('a', { diskStamp: 7 }), file('b', { blockHashes: blocks('b', 3) })])
  const stamps = async () =>
    (await index.records.page('local', { within: '', afterName: '', limit: 9 })).map((r) => r.diskStamp)
  assert.deepEqual(await stamps(), [7, undefined])
  await index.records.setDiskStamps(
    new Map([
      ['b', STAMP_MAX],
      ['missing', 3],
    ]),
  )
  assert.deepEqual(await stamps(), [7, STAMP_MAX])
  assert.equal(await index.exchange.sequence('local'), 2)
  const { diskStamp: _, ...rest } = (await index.records.get('local', 'b'))!
  assert.deepEqual(Buffer.from(rest.blockHashes!), blocks('b', 3))
  assert.equal(rest.sequence, 2)
  await index.records.updateLocal([file('a', { version: version(2) })])
  assert.deepEqual(await stamps(), [undefined, STAMP_MAX], 'a new record without a stamp has none')
})

test('records of other devices have no disk stamp', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  await index.records.updateRemote(PEER, [file('a', { diskStamp: 7, sequence: 1 })])
  assert.equal((await index.records.get(PEER, 'a'))?.diskStamp, undefined)
})

test('a damaged stamp counts as unknown', () => {
  for (const stamp of [0, 1, 123_456_789, STAMP_MAX]) {
    const value = stampValue(stamp)
    assert.ok(Number.isSafeInteger(value))
    assert.equal(stampOf(value), stamp)
    for (let bit = 0; bit < 53; bit++) {
      const unit = 2 ** bit
      const flipped = Math.floor(value / unit) % 2 === 1 ? value - unit : value + unit
      assert.equal(stampOf(flipped), undefined, `bit ${bit} of ${stamp}`)
    }
    assert.equal(stampOf(-value - 1), undefined)
  }
})

test('the state of our records is another object after each of their changes, not after those of others', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  const states = [index.records.localState]
  const note = () => void states.push(index.records.localState)
  await index.records.updateRemote(PEER, [file('a', { sequence: 1 })])
  note()
  await index.records.updateLocal([file('a')])
  note()
  await index.records.setDiskStamps(new Map([['a', 3]]))
  note()
  assert.ok(states.every((state) => state !== undefined))
  assert.equal(states[1], states[0])
  assert.equal(new Set(states).size, 3)
})
