import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RemoteDownloads } from '../../../src/model/peers/remote-downloads.ts'
import type { DownloadUpdate } from '../../../src/protocol/types.ts'
import { HolderCache } from '../../../src/model/state/holder-cache.ts'
import type { DeviceId } from '../../../src/core/ids.ts'
import { file, version } from '../../db/records.ts'
import { DOCS, folderId } from '../../support/model.ts'

function append(name: string, counter: number, ...blockIndexes: number[]): DownloadUpdate {
  return { kind: 'append', name, version: version(counter), blockIndexes, blockSizeBytes: 128 }
}

test('announced blocks are available for the announced version only', () => {
  const downloads = new RemoteDownloads()
  downloads.update([append('a', 1, 0, 2), append('a', 1, 3)])
  const has = (counter: number, block: number) => downloads.has(file('a', { version: version(counter) }), block)
  assert.deepEqual([has(1, 0), has(1, 1), has(1, 2), has(1, 3), has(2, 0)], [true, false, true, true, false])
  assert.equal(downloads.bytes, 3 * 128)
  downloads.update([append('a', 2, 1)])
  assert.deepEqual([has(1, 0), has(2, 1)], [false, true], 'another version replaces the old one')
})

test('a file is discarded by a forget update for its version, or when its record arrives', () => {
  const downloads = new RemoteDownloads()
  downloads.update([append('a', 1, 0), append('b', 1, 0)])
  downloads.update([{ ...append('a', 9), kind: 'forget' }])
  assert.deepEqual(downloads.counts(), { a: 1, b: 1 })
  downloads.update([{ ...append('a', 1), kind: 'forget' }])
  downloads.discard(['b', 'c'])
  assert.deepEqual(downloads.counts(), {})
})

test('announcements of one device are bounded', () => {
  const downloads = new RemoteDownloads()
  for (let i = 0; i < 3_000; i++)
    downloads.update([append(`f${i}`, 1, ...Array.from({ length: 1_000 }, (_, block) => block))])
  const counts = Object.values(downloads.counts())
  assert.equal(counts.length, 1_000)
  assert.equal(
    counts.reduce((sum, count) => sum + count, 0),
    1_000_000,
  )
  downloads.discard(Array.from({ length: 1_000 }, (_, i) => `f${i}`))
  downloads.update([append('x', 1, 1)])
  assert.deepEqual(downloads.counts(), { x: 1 }, 'discarded files free capacity')
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
