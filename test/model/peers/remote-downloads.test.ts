import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DownloadMemory, RemoteDownloads } from '../../../src/model/peers/remote-downloads.ts'
import type { DownloadUpdate } from '../../../src/protocol/types.ts'
import { HolderCache } from '../../../src/model/state/holder-cache.ts'
import type { DeviceId, ShortId } from '../../../src/core/ids.ts'
import { file, version } from '../../db/records.ts'
import { DOCS, folderId } from '../../support/model.ts'

function append(name: string, counter: number, ...blockIndexes: number[]): DownloadUpdate {
  return { kind: 'append', name, version: version(counter), blockIndexes, blockSizeBytes: 128 }
}

test('announced blocks are available for the announced version only', () => {
  const downloads = new RemoteDownloads(new DownloadMemory())
  downloads.update([append('a', 1, 0, 2), append('a', 1, 3)])
  const has = (counter: number, block: number) => downloads.has(file('a', { version: version(counter) }), block)
  assert.deepEqual([has(1, 0), has(1, 1), has(1, 2), has(1, 3), has(2, 0)], [true, false, true, true, false])
  assert.equal(downloads.bytes, 3 * 128)
  downloads.update([append('a', 2, 1)])
  assert.deepEqual([has(1, 0), has(2, 1)], [false, true], 'another version replaces the old one')
})

test('a file is discarded by a forget update for its version, or when its record arrives', () => {
  const downloads = new RemoteDownloads(new DownloadMemory())
  downloads.update([append('a', 1, 0), append('b', 1, 0)])
  downloads.update([{ ...append('a', 9), kind: 'forget' }])
  assert.deepEqual(downloads.counts(), { a: 1, b: 1 })
  downloads.update([{ ...append('a', 1), kind: 'forget' }])
  downloads.discard(['b', 'c'])
  assert.deepEqual(downloads.counts(), {})
})

const BYTES_MAX = 8 * 1024 * 1024

test('B-25: the announcements of one device are bounded in bytes, in all its folders', () => {
  const memory = new DownloadMemory()
  const [one, other] = [new RemoteDownloads(memory), new RemoteDownloads(memory)]
  const blocks = Array.from({ length: 1_000 }, (_, block) => block)
  for (let i = 0; i < 3_000; i++) one.update([append(`f${i}`, 1, ...blocks)])
  const counts = Object.values(one.counts())
  const stored = counts.reduce((sum, count) => sum + count, 0)
  assert.ok(stored > 200_000 && stored < 300_000, `${stored} blocks`)
  assert.ok(memory.usedBytes <= BYTES_MAX && memory.usedBytes > BYTES_MAX - 300, `${memory.usedBytes} bytes`)
  other.update([append('g', 1, 0, 1)])
  assert.deepEqual(other.counts(), {}, 'the other folder shares the limit')
  one.discard(['f0'])
  other.update([append('x', 1, 1, 1)])
  assert.deepEqual(other.counts(), { x: 1 }, 'discarded files free memory')
  one.clear()
  other.clear()
  assert.equal(memory.usedBytes, 0)
})

test('B-25: long names and versions of announcements count', () => {
  const memory = new DownloadMemory()
  const downloads = new RemoteDownloads(memory)
  const long = Array.from({ length: 1_000 }, (_, i) => ({ ...append('x'.repeat(8_000) + i, 1) }))
  downloads.update(long)
  assert.ok(Object.keys(downloads.counts()).length < 520)
  downloads.clear()
  const counters = Array.from({ length: 1_000 }, (_, i) => ({ device: BigInt(i) as ShortId, value: 1n }))
  downloads.update(long.map((update, i) => ({ ...update, name: `f${i}`, version: counters })))
  assert.ok(Object.keys(downloads.counts()).length < 135)
})

test('holders of a file are cached for its version until the name is invalidated', () => {
  const cache = new HolderCache()
  const holders = new Set(['A' as DeviceId])
  const [old, newer] = [file('a', { version: version(1) }), file('a', { version: version(2) })]
  cache.beginLookup(DOCS)(old, holders)
  assert.equal(cache.get(DOCS, old), holders)
  assert.equal(cache.get(DOCS, newer), undefined)
  assert.equal(cache.get(folderId('other'), old), undefined)
  cache.invalidate(DOCS, ['b'])
  assert.equal(cache.get(DOCS, old), holders)
  cache.invalidate(DOCS, ['a'])
  assert.equal(cache.get(DOCS, old), undefined)
})

test('the result of a lookup that an invalidation overtook is not cached', () => {
  const cache = new HolderCache()
  const late = cache.beginLookup(DOCS)
  cache.invalidate(DOCS, undefined)
  late(file('a'), new Set())
  assert.equal(cache.get(DOCS, file('a')), undefined)
})

test('the cache of holders is bounded', () => {
  const cache = new HolderCache()
  for (let i = 0; i < 2_000; i++) cache.beginLookup(DOCS)(file(`f${i}`), new Set())
  const cached = Array.from({ length: 2_000 }, (_, i) => cache.get(DOCS, file(`f${i}`))).filter(
    (holders) => holders !== undefined,
  )
  assert.equal(cached.length, 256)
})
