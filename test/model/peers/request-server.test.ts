import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { FLAG_IGNORED, type FileInfo } from '../../../src/core/records/file-info.ts'
import type { FolderIndex } from '../../../src/db/types.ts'
import { RequestServer } from '../../../src/model/peers/request-server.ts'
import type { BlockReply, BlockRequest } from '../../../src/protocol/types.ts'
import { NodeBlockReader } from '../../../src/platform/node/block-reader.ts'
import { DiskThreads } from '../../../src/platform/node/threads/disk-threads.ts'
import { deletion, directory, file, openTestStore } from '../../db/records.ts'
import { SERVER } from '../../support/config.ts'
import { effort, reportRow } from '../../support/effort.ts'
import { quietLogger } from '../../support/logger.ts'
import { DOCS } from '../../support/model.ts'
import { scratchDirectory } from '../../support/scratch.ts'

const NEVER = new AbortController().signal
const BLOCK = 131_072
const SECRET = Buffer.from('the canary outside of the folder')

function sha256(data: Uint8Array): Buffer {
  return createHash('sha256').update(data).digest()
}

/** A folder on a real disk with a secret beside it. */
class Place implements AsyncDisposable {
  readonly #scratch = scratchDirectory()
  readonly root = join(this.#scratch.path, 'folder')
  readonly outside = join(this.#scratch.path, 'outside')
  readonly rechecked: string[] = []
  readonly #threads = new DiskThreads({ threads: 1 })
  readonly server: RequestServer
  readonly #store: Awaited<ReturnType<typeof openTestStore>>
  readonly index: FolderIndex
  running = true

  private constructor(store: Place['store'], index: FolderIndex) {
    this.#store = store
    this.index = index
    for (const path of [this.root, this.outside]) mkdirSync(path)
    writeFileSync(join(this.outside, 'secret'), SECRET)
    this.server = new RequestServer({
      blocks: new NodeBlockReader(this.#threads),
      log: quietLogger('model'),
      platform: process.platform,
      served: async (device, folder) =>
        device === SERVER && folder === DOCS && this.running ? { id: DOCS, root: this.root, index } : undefined,
      changed: (_folder, record, wholly) => void this.rechecked.push(`${record.name} ${wholly ? 'wholly' : ''}`.trim()),
    })
  }

  get store(): Awaited<ReturnType<typeof openTestStore>> {
    return this.#store
  }

  static async make(): Promise<Place> {
    const store = await openTestStore(undefined)
    return new Place(store, await store.folder(DOCS))
  }

  /** Written and known to the index. */
  async put(name: string, content: Uint8Array, more: Partial<FileInfo> = {}): Promise<void> {
    const path = join(this.root, name)
    mkdirSync(join(path, '..'), { recursive: true })
    writeFileSync(path, content)
    utimesSync(path, 1_700_000_000, 1_700_000_000)
    const hashes: Buffer[] = []
    for (let at = 0; at === 0 || at < content.length; at += BLOCK) hashes.push(sha256(content.subarray(at, at + BLOCK)))
    await this.index.updateLocal([
      file(name, {
        sizeBytes: content.length,
        blockHashes: Buffer.concat(hashes),
        blockSizeBytes: BLOCK,
        modifiedS: 1_700_000_000,
        modifiedNs: 0,
        ...more,
      }),
    ])
  }

  async ask(name: string, content: Uint8Array, more: Partial<BlockRequest> = {}): Promise<string> {
    return textOf(await this.server.serve(SERVER, requestFor(name, content, more), NEVER))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#threads[Symbol.asyncDispose]()
    await this.#store[Symbol.asyncDispose]()
    this.#scratch[Symbol.dispose]()
  }
}

function requestFor(name: string, content: Uint8Array, more: Partial<BlockRequest> = {}): BlockRequest {
  return {
    folder: DOCS,
    name,
    offsetBytes: 0,
    sizeBytes: content.length,
    hash: sha256(content),
    fromTemporary: false,
    blockNumber: 0,
    ...more,
  }
}

function textOf(reply: BlockReply): string {
  return reply.kind === 'data' ? `data ${Buffer.from(reply.data).toString()}` : reply.code
}

test('a block is served when its bytes have the hash that was asked for', async () => {
  await using place = await Place.make()
  const large = Buffer.alloc(BLOCK + 10, 'x')
  await place.put('dir/a', Buffer.from('hello'))
  await place.put('large', large)
  await place.put('empty', Buffer.alloc(0))
  assert.equal(await place.ask('dir/a', Buffer.from('hello')), 'data hello')
  assert.equal(await place.ask('large', large.subarray(BLOCK), { offsetBytes: BLOCK }), `data ${'x'.repeat(10)}`)
  assert.equal(await place.ask('empty', Buffer.alloc(0)), 'data ')
  assert.equal(
    await place.ask('dir/a', Buffer.from('hello'), { sizeBytes: 100 }),
    'data hello',
    'no more than there is',
  )
  assert.deepEqual(place.rechecked, [])
})

test('the blocks of a large file take one look at its block list, and one that changed is told of', async () => {
  await using place = await Place.make()
  const large = Buffer.alloc(3 * BLOCK, 'x')
  await place.put('a', large)
  let listsRead = 0
  const { get } = place.index
  place.index.get = (owner, name) => {
    listsRead++
    return get.call(place.index, owner, name)
  }
  const ask = (number: number) =>
    place.ask('a', large.subarray(number * BLOCK, (number + 1) * BLOCK), { offsetBytes: number * BLOCK })
  for (const number of [0, 1, 2, 1]) assert.match(await ask(number), /^data x/)
  assert.equal(listsRead, 1)
  writeFileSync(join(place.root, 'a'), Buffer.alloc(3 * BLOCK, 'y'))
  assert.equal(await ask(1), 'no-such-file')
  assert.deepEqual(place.rechecked, ['a'])
  assert.equal(await place.ask('nothing', large, { offsetBytes: BLOCK }), 'no-such-file')
})

test('a large block that went bad without a trace is noticed when its device asks again', async () => {
  await using place = await Place.make()
  const right = Buffer.alloc(2 * BLOCK, 'x')
  await place.put('a', right)
  writeFileSync(join(place.root, 'a'), Buffer.alloc(2 * BLOCK, 'y'))
  utimesSync(join(place.root, 'a'), 1_700_000_000, 1_700_000_000)
  const ask = () => place.ask('a', right.subarray(0, BLOCK))
  assert.match(await ask(), /^data y/, 'the other device finds out')
  assert.deepEqual(place.rechecked, [])
  assert.equal(await ask(), 'no-such-file')
  assert.deepEqual(place.rechecked, ['a wholly'])
  assert.equal(await ask(), 'no-such-file', 'and ever after')
})

test('a large block whose hash or place the index does not know is hashed the first time, too', async () => {
  await using place = await Place.make()
  const large = Buffer.concat([Buffer.alloc(BLOCK, 'x'), Buffer.alloc(BLOCK, 'y'), Buffer.alloc(10, 'z')])
  await place.put('a', large)
  await place.put('no list', large, { blockHashes: undefined, blocksHash: undefined })
  const second = large.subarray(BLOCK, 2 * BLOCK)
  assert.equal(await place.ask('a', second), 'no-such-file', 'of another place')
  assert.equal(await place.ask('a', second, { offsetBytes: BLOCK - 1 }), 'no-such-file')
  assert.equal(await place.ask('a', second, { offsetBytes: 2 * BLOCK }), 'no-such-file')
  assert.equal(await place.ask('a', Buffer.alloc(BLOCK, 'w')), 'no-such-file')
  assert.equal(await place.ask('no list', Buffer.alloc(BLOCK, 'w')), 'no-such-file')
  assert.match(await place.ask('no list', second, { offsetBytes: BLOCK }), /^data y/)
  assert.match(
    await place.ask('a', large.subarray(5, BLOCK + 5), { offsetBytes: 5 }),
    /^data x/,
    'right, if of no block of ours',
  )
})

test('refusals are those of the table', async () => {
  await using place = await Place.make()
  const hello = Buffer.from('hello')
  await place.put('a', hello)
  await place.put('ignored', hello, { localFlags: FLAG_IGNORED })
  await place.put('.stignore', hello)
  await place.put('dir/.stfolder', hello)
  writeFileSync(join(place.root, 'unknown'), hello)
  mkdirSync(join(place.root, 'd'))
  await place.index.updateLocal([directory('d'), deletion('gone'), file('missing')])
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
    ['dir/.stfolder', {}, 'data hello'],
  ]
  for (const [name, more, expected] of rows)
    assert.equal(await place.ask(name, hello, more), expected, JSON.stringify([name, more]))
  place.running = false
  assert.equal(await place.ask('a', hello), 'generic', 'a folder that rests')
})

test('a half-finished file serves the blocks it has, and leaves the others to the finished one', async () => {
  await using place = await Place.make()
  const hello = Buffer.from('hello')
  await place.put('a', hello)
  writeFileSync(join(place.root, '.syncthing.a.tmp'), 'newer')
  writeFileSync(join(place.root, '.syncthing.b.tmp'), 'fresh')
  assert.equal(await place.ask('a', Buffer.from('newer'), { fromTemporary: true }), 'data newer')
  assert.equal(await place.ask('a', hello, { fromTemporary: true }), 'data hello')
  assert.equal(await place.ask('b', Buffer.from('fresh'), { fromTemporary: true }), 'data fresh')
  assert.equal(await place.ask('b', Buffer.from('fresh')), 'no-such-file')
})

test('a file that is not what the index says is looked at again, wholly only when nothing else shows it', async () => {
  await using place = await Place.make()
  await place.put('touched', Buffer.from('hello'))
  await place.put('rotten', Buffer.from('hello'))
  await place.put('lost', Buffer.from('hello'))
  writeFileSync(join(place.root, 'touched'), 'other content')
  writeFileSync(join(place.root, 'rotten'), 'hellO')
  utimesSync(join(place.root, 'rotten'), 1_700_000_000, 1_700_000_000)
  rmSync(join(place.root, 'lost'))
  for (const name of ['touched', 'rotten', 'lost'])
    assert.equal(await place.ask(name, Buffer.from('hello')), 'no-such-file')
  assert.deepEqual(place.rechecked, ['touched', 'rotten wholly', 'lost'])
  assert.equal(await place.ask('rotten', Buffer.from('an old version')), 'no-such-file')
  assert.equal(place.rechecked.length, 3, 'a request for an old version says nothing about the file')
})

const HOSTILE = [
  '../outside/secret',
  '/etc/passwd',
  'a/../../outside/secret',
  './../outside/secret',
  'link',
  'linkdir/secret',
  'deep/linkdir/secret',
  'a//secret',
  'a/./secret',
  '..',
  '.',
  '',
  '/',
  'a\0b',
  '../folder/../outside/secret',
  'linkdir/../outside/secret',
  'x/..',
  '\\..\\outside\\secret',
  'C:\\secret',
  'loop/loop/loop',
  `${'x/'.repeat(3_000)}y`,
  'y'.repeat(300),
  '\ud800',
  'secre\u0301t',
  'fifo',
  '.stfolder',
  '.stfolder/..',
]

test('N-02: no name in a request reads anything outside of the folder', async () => {
  await using place = await Place.make()
  await place.put('deep/a', SECRET)
  rmSync(join(place.root, 'deep/a'))
  symlinkSync(join(place.outside, 'secret'), join(place.root, 'link'))
  symlinkSync(place.outside, join(place.root, 'linkdir'))
  symlinkSync('../../outside', join(place.root, 'deep/linkdir'))
  symlinkSync('.', join(place.root, 'loop'))
  const known = HOSTILE.filter((name) => name !== '' && !name.includes('\0') && name.isWellFormed())
  // The worst case: our own index believes in every one of these names.
  await place.index.updateLocal(
    known.map((name) => file(name, { sizeBytes: SECRET.length, blockHashes: sha256(SECRET) })),
  )
  let [tried, leakedBytes] = [0, 0]
  const attempt = async (name: string, fromTemporary: boolean) => {
    const reply = await place.server.serve(SERVER, requestFor(name, SECRET, { fromTemporary }), NEVER)
    tried++
    if (reply.kind === 'data') leakedBytes += reply.data.length
  }
  for (const name of HOSTILE) for (const fromTemporary of [false, true]) await attempt(name, fromTemporary)
  const part = fc.constantFrom(
    '..',
    '.',
    '',
    'linkdir',
    'link',
    'loop',
    'deep',
    'outside',
    'secret',
    'folder',
    '\0',
    '~',
    'a',
  )
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), (parts) => attempt(parts.join('/'), false)),
    { numRuns: effort(300) },
  )
  assert.equal(leakedBytes, 0)
  assert.deepEqual(readFileSync(join(place.outside, 'secret')), SECRET)
  reportRow({ id: 'N-02', tried, where: 'requests', leakedBytes })
})

test('N-02: a directory that is swapped for a symlink while it is read leads nowhere', async () => {
  await using place = await Place.make()
  await place.put('swap/secret', Buffer.from('ours'))
  await place.index.updateLocal([file('swap/secret', { sizeBytes: SECRET.length, blockHashes: sha256(SECRET) })])
  renameSync(join(place.root, 'swap'), join(place.root, 'kept'))
  symlinkSync(place.outside, join(place.root, 'link'))
  const swap = join(place.root, 'swap')
  const stop = new AbortController()
  let swaps = 0
  const swapping = (async () => {
    while (!stop.signal.aborted) {
      for (const name of ['link', 'kept']) {
        renameSync(join(place.root, name), swap)
        await new Promise((resolve) => setImmediate(resolve))
        renameSync(swap, join(place.root, name))
        swaps++
      }
    }
  })()
  let [tried, leakedBytes] = [0, 0]
  for (let round = 0; round < effort(1_500); round++) {
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => place.server.serve(SERVER, requestFor('swap/secret', SECRET), NEVER)),
    )
    tried += replies.length
    for (const reply of replies) if (reply.kind === 'data') leakedBytes += reply.data.length
  }
  stop.abort()
  await swapping
  assert.equal(leakedBytes, 0)
  reportRow({ id: 'N-02', tried, swaps, where: 'swapped directories', leakedBytes })
})

test("a root that is itself a link is its owner's business", async () => {
  await using place = await Place.make()
  await place.put('a', Buffer.from('hello'))
  const other = join(place.outside, 'way-in')
  renameSync(place.root, other)
  symlinkSync(other, place.root)
  assert.equal(await place.ask('a', Buffer.from('hello')), 'data hello')
})

test('B-10: a flood of requests holds no more memory than its budget', async () => {
  await using place = await Place.make()
  const block = Buffer.alloc(BLOCK, 'b')
  await place.put('a', block)
  place.server.setDeviceLimit(SERVER, 1_024)
  const count = effort(2_000)
  let [answered, refused, active, activeMax] = [0, 0, 0, 0]
  const huge = requestFor('a', block, { offsetBytes: 2 ** 52 })
  await Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const request = i % 3 === 0 ? huge : requestFor('a', block)
      const reply = await place.server.serve(SERVER, request, NEVER)
      activeMax = Math.max(activeMax, ++active)
      if (reply.kind === 'data') answered++
      else refused++
      active--
    }),
  )
  assert.equal(answered, count - Math.ceil(count / 3))
  reportRow({
    id: 'B-10',
    tried: count,
    answered,
    refused,
    budgetKiB: 1_024,
    rssMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
  })
})

test('whoever leaves while waiting for room is not served', async () => {
  await using place = await Place.make()
  const block = Buffer.alloc(BLOCK, 'b')
  await place.put('a', block)
  place.server.setDeviceLimit(SERVER, 128)
  const leaving = new AbortController()
  const first = place.server.serve(SERVER, requestFor('a', block), NEVER)
  const second = place.server.serve(SERVER, requestFor('a', block), leaving.signal)
  leaving.abort(new Error('gone'))
  await assert.rejects(second, /gone/)
  assert.equal((await first).kind, 'data')
})
