import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { FileInfo } from '../../../src/core/records/file-info.ts'
import { isNeededByRemote } from '../../../src/core/records/need.ts'
import type { DeviceId } from '../../../src/core/ids.ts'
import { Tally } from '../../../src/db/folder/counts.ts'
import type { FolderIndex } from '../../../src/db/types.ts'
import { allRecords, blocks, deletion, DEVICES, directory, file, FOLDER, openTestStore, version } from '../records.ts'

const [PEER, OTHER] = DEVICES as readonly [DeviceId, DeviceId]

async function withIndex(use: (index: FolderIndex) => Promise<void>): Promise<void> {
  await using store = await openTestStore(undefined)
  await use(await store.folder(FOLDER))
}

test('localSince returns changed records in order of change, each once and with its blocks', () =>
  withIndex(async (index) => {
    await index.records.updateLocal([file('b', { blockHashes: blocks('b', 3) }), file('a'), directory('d')])
    await index.records.updateLocal([file('b', { version: version(2), blockHashes: blocks('b2', 2) })])
    const all = await index.exchange.localSince(0, { files: 10, blocks: 10 })
    assert.deepEqual(
      all.map(({ name, sequence }) => `${name} ${sequence}`),
      ['a 2', 'd 3', 'b 4'],
    )
    assert.deepEqual(Buffer.from(all[2]!.blockHashes!), blocks('b2', 2))
    assert.deepEqual(
      (await index.exchange.localSince(2, { files: 10, blocks: 10 })).map(({ name }) => name),
      ['d', 'b'],
    )
    assert.deepEqual(await index.exchange.localSince(4, { files: 10, blocks: 10 }), [])
  }))

test('localSince ends with the record that reaches a limit', () =>
  withIndex(async (index) => {
    await index.records.updateLocal(['a', 'b', 'c', 'd'].map((name) => file(name, { blockHashes: blocks(name, 3) })))
    const names = async (files: number, blockCount: number) =>
      (await index.exchange.localSince(0, { files, blocks: blockCount })).map(({ name }) => name).join('')
    assert.equal(await names(2, 100), 'ab')
    assert.equal(await names(10, 1), 'a')
    assert.equal(await names(10, 4), 'ab')
    assert.equal(await names(10, 100), 'abcd')
  }))

test('the index id of another device is stored separately from its records', () =>
  withIndex(async (index) => {
    assert.equal(await index.exchange.remoteIndexId(PEER), 0n)
    await index.exchange.setRemoteIndexId(PEER, 0xffff_ffff_ffff_fffen)
    await index.records.updateRemote(PEER, [file('a', { sequence: 1 })])
    await index.records.dropDevice(PEER)
    assert.equal(await index.exchange.remoteIndexId(PEER), 0xffff_ffff_ffff_fffen)
    assert.equal(await index.exchange.remoteIndexId(OTHER), 0n)
  }))

test('the positions of all indexes: those with records, and those of which only the id is known', () =>
  withIndex(async (index) => {
    await index.records.updateLocal([file('a'), file('b')])
    await index.exchange.setRemoteIndexId(PEER, 5n)
    await index.records.updateRemote(OTHER, [file('a', { sequence: 7 })])
    const { own, others } = await index.exchange.positions()
    assert.deepEqual(own, { indexId: await index.exchange.indexId(), sequence: 2 })
    assert.deepEqual(others.get(PEER), { indexId: 5n, sequence: 0 })
    assert.deepEqual(others.get(OTHER), { indexId: 0n, sequence: 7 })
    await index.exchange.setRemoteIndexId(OTHER, 6n)
    assert.deepEqual((await index.exchange.positions()).others.get(OTHER), { indexId: 6n, sequence: 7 })
  }))

test('a device without records needs all live items', () =>
  withIndex(async (index) => {
    await index.records.updateLocal([file('a'), deletion('gone'), directory('d')])
    const needed = await index.needs.remoteNeed(PEER, { offset: 0, limit: 10 })
    assert.deepEqual(
      needed.map(({ name }) => name),
      ['a', 'd'],
    )
    assert.deepEqual(await index.needs.remoteNeedCounts(PEER), {
      files: 1,
      directories: 1,
      symlinks: 0,
      deleted: 0,
      bytes: 1000,
    })
  }))

const recordOf = fc.record({
  name: fc.constantFrom('a', 'b', 'b/c', 'd', '\u{1f600}', '\uffee'),
  deleted: fc.boolean(),
  counters: fc.tuple(fc.nat(2), fc.nat(2)),
  localFlags: fc.constantFrom(0, 0, 0, 2, 64),
  modifiedS: fc.nat(2),
})

test('remote need agrees with the rule in core, for any records of three devices', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(fc.nat(2), recordOf), { maxLength: 40 }), (entries) =>
      withIndex(async (index) => {
        let sequence = 0
        for (const [deviceNumber, { name, deleted, counters, localFlags, modifiedS }] of entries) {
          const make = deleted ? deletion : file
          const info: FileInfo = make(name, {
            version: version(...counters),
            localFlags,
            modifiedS,
            sequence: ++sequence,
          })
          if (deviceNumber === 0) await index.records.updateLocal([info])
          else await index.records.updateRemote(DEVICES[deviceNumber - 1]!, [info])
        }
        for (const device of [PEER, OTHER]) {
          const expected: string[] = []
          const tally = new Tally()
          const names = new Set(entries.map(([, { name }]) => name))
          for (const name of names) {
            const global = await index.records.global(name)
            if (global === undefined || !isNeededByRemote(await index.records.get(device, name), global)) continue
            expected.push(name)
            tally.add(global, 1)
          }
          const found = await index.needs.remoteNeed(device, { offset: 0, limit: 100 })
          assert.deepEqual(
            found.map(({ name }) => name),
            expected.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
          )
          assert.deepEqual(await index.needs.remoteNeedCounts(device), tally.counts())
          const second = await index.needs.remoteNeed(device, { offset: 1, limit: 2 })
          assert.deepEqual(second, found.slice(1, 3))
        }
      }),
    ),
    { numRuns: 60 },
  )
})

test('remote need of a large folder is read in stretches, complete and in name order', () =>
  withIndex(async (index) => {
    const names = Array.from({ length: 2_500 }, (_, i) => `f${String(i).padStart(5, '0')}`)
    await index.records.updateLocal(names.map((name) => file(name)))
    await index.records.updateRemote(
      PEER,
      names.filter((_, i) => i % 2 === 0).map((name, i) => file(name, { sequence: i + 1 })),
    )
    await index.records.updateRemote(OTHER, [file('only-there', { sequence: 1 })])
    const needed = await index.needs.remoteNeed(PEER, { offset: 0, limit: 10_000 })
    assert.deepEqual(
      needed.map(({ name }) => name),
      [...names.filter((_, i) => i % 2 === 1), 'only-there'],
    )
    assert.equal((await allRecords(index, 'local', 1_000)).length, 2_500)
  }))

test('a change during the count of the need of a device is counted once', () =>
  withIndex(async (index) => {
    const names = Array.from({ length: 3_500 }, (_, i) => `f${String(i).padStart(5, '0')}`)
    await index.records.updateLocal(names.map((name) => file(name, { sizeBytes: 10 })))
    const counting = index.needs.remoteNeedCounts(PEER)
    const changes: Promise<unknown>[] = []
    for (let i = 0; i < 3_500; i += 350) {
      const [one, two] = [names[i]!, names[i + 1]!]
      changes.push(index.records.updateRemote(PEER, [file(one, { sizeBytes: 10, sequence: i + 1 })]))
      changes.push(
        index.records.updateLocal([deletion(two, { version: version(2) }), file(`${one} new`, { sizeBytes: 1 })]),
      )
      await new Promise((resolve) => setImmediate(resolve))
    }
    await Promise.all(changes)
    const expected = { files: 3_490, directories: 0, symlinks: 0, deleted: 0, bytes: 34_810 }
    assert.equal((await index.needs.remoteNeed(PEER, { offset: 0, limit: 10_000 })).length, expected.files)
    await counting
    assert.deepEqual(await index.needs.remoteNeedCounts(PEER), expected)
  }))

test('the need of many devices can be queried, the last ones are cached', () =>
  withIndex(async (index) => {
    await index.records.updateLocal([file('a', { sizeBytes: 5 })])
    for (let i = 0; i < 200; i++) assert.equal((await index.needs.remoteNeedCounts(`device ${i}` as DeviceId)).bytes, 5)
    await index.records.updateLocal([file('b', { sizeBytes: 7 })])
    for (const i of [0, 100, 199])
      assert.equal((await index.needs.remoteNeedCounts(`device ${i}` as DeviceId)).bytes, 12)
  }))

test('a failed batch leaves the need of devices unchanged', () =>
  withIndex(async (index) => {
    await index.records.updateLocal([file('a', { sizeBytes: 5 })])
    assert.equal((await index.needs.remoteNeedCounts(PEER)).bytes, 5)
    await assert.rejects(
      index.records.updateRemote(PEER, [
        file('a', { sizeBytes: 5, sequence: 1 }),
        { ...file('b'), sizeBytes: Number.NaN },
      ]),
    )
    assert.equal((await index.needs.remoteNeedCounts(PEER)).bytes, 5)
  }))
