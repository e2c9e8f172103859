import assert from 'node:assert/strict'
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FLAG_IGNORED } from '../../../src/core/records/file-info.ts'
import type { BlockRequest } from '../../../src/protocol/types.ts'
import { deletion, directory, file } from '../../db/records.ts'
import { SERVER } from '../../support/config.ts'
import { effort, reportRow } from '../../support/effort.ts'
import { NEVER, BLOCK, sha256, ServedDirectory, requestFor } from './served-directory.ts'

test('a block is served when its bytes have the requested hash', async () => {
  await using served = await ServedDirectory.make()
  const large = Buffer.alloc(BLOCK + 10, 'x')
  await served.put('dir/a', Buffer.from('hello'))
  await served.put('large', large)
  await served.put('empty', Buffer.alloc(0))
  assert.equal(await served.request('dir/a', Buffer.from('hello')), 'data hello')
  assert.equal(await served.request('large', large.subarray(BLOCK), { offsetBytes: BLOCK }), `data ${'x'.repeat(10)}`)
  assert.equal(await served.request('empty', Buffer.alloc(0)), 'data ')
  assert.equal(
    await served.request('dir/a', Buffer.from('hello'), { sizeBytes: 100 }),
    'data hello',
    'no more than there is',
  )
  assert.deepEqual(served.rechecked, [])
})

test('the block list of a large file is read once, and a changed file is rechecked', async () => {
  await using served = await ServedDirectory.make()
  const large = Buffer.alloc(3 * BLOCK, 'x')
  await served.put('a', large)
  let listsRead = 0
  const { get } = served.index.records
  served.index.records.get = (owner, name) => {
    listsRead++
    return get.call(served.index.records, owner, name)
  }
  const request = (number: number) =>
    served.request('a', large.subarray(number * BLOCK, (number + 1) * BLOCK), { offsetBytes: number * BLOCK })
  for (const number of [0, 1, 2, 1]) assert.match(await request(number), /^data x/)
  assert.equal(listsRead, 1)
  writeFileSync(join(served.root, 'a'), Buffer.alloc(3 * BLOCK, 'y'))
  assert.equal(await request(1), 'no-such-file')
  assert.deepEqual(served.rechecked, ['a'])
  assert.equal(await served.request('nothing', large, { offsetBytes: BLOCK }), 'no-such-file')
})

test('silent corruption of a large block is detected when the device requests it again', async () => {
  await using served = await ServedDirectory.make()
  const right = Buffer.alloc(2 * BLOCK, 'x')
  await served.put('a', right)
  writeFileSync(join(served.root, 'a'), Buffer.alloc(2 * BLOCK, 'y'))
  utimesSync(join(served.root, 'a'), 1_700_000_000, 1_700_000_000)
  const request = () => served.request('a', right.subarray(0, BLOCK))
  assert.match(await request(), /^data y/, 'the requesting device detects it')
  assert.deepEqual(served.rechecked, [])
  assert.equal(await request(), 'no-such-file')
  assert.deepEqual(served.rechecked, ['a wholly'])
  assert.equal(await request(), 'no-such-file', 'and for every later request')
})

test('a large block whose hash or offset is not in the index is hashed on the first request, too', async () => {
  await using served = await ServedDirectory.make()
  const large = Buffer.concat([Buffer.alloc(BLOCK, 'x'), Buffer.alloc(BLOCK, 'y'), Buffer.alloc(10, 'z')])
  await served.put('a', large)
  await served.put('no list', large, { blockHashes: undefined, blocksHash: undefined })
  const second = large.subarray(BLOCK, 2 * BLOCK)
  assert.equal(await served.request('a', second), 'no-such-file', 'of another offset')
  assert.equal(await served.request('a', second, { offsetBytes: BLOCK - 1 }), 'no-such-file')
  assert.equal(await served.request('a', second, { offsetBytes: 2 * BLOCK }), 'no-such-file')
  assert.equal(await served.request('a', Buffer.alloc(BLOCK, 'w')), 'no-such-file')
  assert.equal(await served.request('no list', Buffer.alloc(BLOCK, 'w')), 'no-such-file')
  assert.match(await served.request('no list', second, { offsetBytes: BLOCK }), /^data y/)
  assert.match(
    await served.request('a', large.subarray(5, BLOCK + 5), { offsetBytes: 5 }),
    /^data x/,
    'correct hash, although not a block of ours',
  )
})

test('requests are refused as in the table', async () => {
  await using served = await ServedDirectory.make()
  const hello = Buffer.from('hello')
  await served.put('a', hello)
  await served.put('ignored', hello, { localFlags: FLAG_IGNORED })
  await served.put('.stignore', hello)
  await served.put('dir/.stfolder', hello)
  writeFileSync(join(served.root, 'unknown'), hello)
  mkdirSync(join(served.root, 'd'))
  await served.index.records.updateLocal([directory('d'), deletion('gone'), file('missing')])
  const rows: readonly [name: string, more: Partial<BlockRequest>, expected: string][] = [
    ['a', {}, 'data hello'],
    ['a', { hash: sha256(Buffer.from('other')) }, 'no-such-file'],
    ['a', { offsetBytes: 5 }, 'no-such-file'],
    ['a', { offsetBytes: Number.MAX_SAFE_INTEGER }, 'no-such-file'],
    ['a', { sizeBytes: 2 ** 31 - 1 }, 'no-such-file'],
    ['a', { sizeBytes: -1 }, 'invalid-file'],
    ['a', { offsetBytes: -1 }, 'invalid-file'],
    ['a', { hash: new Uint8Array(0) }, 'invalid-file'],
    ['a', { folder: 'other' }, 'generic'],
    ['a', { fromTemporary: true }, 'no-such-file'],
    ['d', {}, 'no-such-file'],
    ['gone', {}, 'no-such-file'],
    ['missing', {}, 'no-such-file'],
    ['unknown', {}, 'no-such-file'],
    ['a/b', {}, 'no-such-file'],
    ['ignored', {}, 'invalid-file'],
    ['.stignore', {}, 'invalid-file'],
    ['.stfolder/x', {}, 'invalid-file'],
    ['.stversions/x', {}, 'invalid-file'],
    ['.syncthing.a.tmp', {}, 'invalid-file'],
    ['.STIGNORE', {}, 'invalid-file'],
    ['dir/.Syncthing.a.tmp', {}, 'invalid-file'],
    ['dir/.stfolder', {}, 'data hello'],
  ]
  for (const [name, more, expected] of rows)
    assert.equal(await served.request(name, hello, more), expected, JSON.stringify([name, more]))
  served.running = false
  assert.equal(await served.request('a', hello), 'generic', 'a folder that is not running')
})

test('a temporary file serves the blocks it has; the others come from the finished file', async () => {
  await using served = await ServedDirectory.make()
  const hello = Buffer.from('hello')
  await served.put('a', hello)
  writeFileSync(join(served.root, '.syncthing.a.tmp'), 'newer')
  writeFileSync(join(served.root, '.syncthing.b.tmp'), 'fresh')
  assert.equal(await served.request('a', Buffer.from('newer'), { fromTemporary: true }), 'data newer')
  assert.equal(await served.request('a', hello, { fromTemporary: true }), 'data hello')
  assert.equal(await served.request('b', Buffer.from('fresh'), { fromTemporary: true }), 'data fresh')
  assert.equal(await served.request('b', Buffer.from('fresh')), 'no-such-file')
})

test('a file that differs from the index is rechecked, wholly only when size and time are unchanged', async () => {
  await using served = await ServedDirectory.make()
  await served.put('touched', Buffer.from('hello'))
  await served.put('rotten', Buffer.from('hello'))
  await served.put('lost', Buffer.from('hello'))
  writeFileSync(join(served.root, 'touched'), 'other content')
  writeFileSync(join(served.root, 'rotten'), 'hellO')
  utimesSync(join(served.root, 'rotten'), 1_700_000_000, 1_700_000_000)
  rmSync(join(served.root, 'lost'))
  for (const name of ['touched', 'rotten', 'lost'])
    assert.equal(await served.request(name, Buffer.from('hello')), 'no-such-file')
  assert.deepEqual(served.rechecked, ['touched', 'rotten wholly', 'lost'])
  assert.equal(await served.request('rotten', Buffer.from('an old version')), 'no-such-file')
  assert.equal(served.rechecked.length, 3, 'a request for an old version causes no recheck')
})

test('a root that is itself a symlink is followed', async () => {
  await using served = await ServedDirectory.make()
  await served.put('a', Buffer.from('hello'))
  const other = join(served.outside, 'way-in')
  renameSync(served.root, other)
  symlinkSync(other, served.root)
  assert.equal(await served.request('a', Buffer.from('hello')), 'data hello')
})

test('B-10: a flood of requests holds no more memory than its budget', async () => {
  await using served = await ServedDirectory.make()
  const block = Buffer.alloc(BLOCK, 'b')
  await served.put('a', block)
  served.server.setDeviceLimit(SERVER, 1_024)
  const count = effort(2_000)
  let [servedCount, refused, active, activeMax] = [0, 0, 0, 0]
  const huge = requestFor('a', block, { offsetBytes: 2 ** 52 })
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const request = i % 3 === 0 ? huge : requestFor('a', block)
      const reply = await served.server.serve(SERVER, request, NEVER)
      activeMax = Math.max(activeMax, ++active)
      if (reply.kind === 'data') servedCount++
      else refused++
      active--
    }),
  )
  assert.equal(servedCount, count - Math.ceil(count / 3))
  reportRow({
    id: 'B-10',
    tried: count,
    servedCount,
    refused,
    budgetKiB: 1_024,
    rssMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
  })
})

test('a request that is aborted while it waits for capacity is not served', async () => {
  await using served = await ServedDirectory.make()
  const block = Buffer.alloc(BLOCK, 'b')
  await served.put('a', block)
  served.server.setDeviceLimit(SERVER, 128)
  const leaving = new AbortController()
  const first = served.server.serve(SERVER, requestFor('a', block), NEVER)
  const second = served.server.serve(SERVER, requestFor('a', block), leaving.signal)
  leaving.abort(new Error('gone'))
  await assert.rejects(second, /gone/)
  assert.equal((await first).kind, 'data')
})
