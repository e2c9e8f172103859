import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceIdFromBytes } from '../../../src/core/device-id.ts'
import type { DeviceId } from '../../../src/core/ids.ts'
import type { OpenedContent } from '../../../src/model/content/reader-types.ts'
import { DOCS, folderId, NEVER } from '../../support/model.ts'
import { PEER } from '../puller/sim-peer.ts'
import { ROOT, SimPull } from '../puller/sim-pull.ts'

const BLOCK = 131_072
const OTHER = deviceIdFromBytes(new Uint8Array(32).fill(8))

/** Every block is different, and so is every byte from its neighbours. */
function contentOf(sizeBytes: number): Buffer {
  const content = Buffer.alloc(sizeBytes)
  for (let at = 0; at < sizeBytes; at++) content[at] = (at * 7 + Math.floor(at / BLOCK)) % 251
  return content
}

async function bytesOf(opened: OpenedContent, from = 0, to = opened.sizeBytes, signal = NEVER): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of opened.read(from, to, signal)) pieces.push(piece)
  return Buffer.concat(pieces)
}

function open(pull: SimPull, name: string, signal = NEVER): Promise<OpenedContent> {
  return pull.hub.while(pull.hub.model.content.open(DOCS, name, signal))
}

/** The files of the peer are announced and not pulled. */
async function startWith(name: string, content: Buffer | string): Promise<SimPull> {
  const pull = await SimPull.start()
  pull.peer.put(name, content)
  await pull.peer.announce(pull.index)
  return pull
}

/** Two devices with the same files; requests go to the first one while it is connected. */
function addSecondSource(pull: SimPull, request: (device: DeviceId, blockNumber: number) => void): void {
  const { peer } = pull
  const away = new Set<DeviceId>()
  peer.sourcesOf = async () =>
    [PEER, OTHER].filter((device) => !away.has(device)).map((device) => ({ device, fromTemporary: false }))
  const serve = peer.request.bind(peer)
  peer.request = async (device, wanted, signal) => {
    try {
      request(device, wanted.blockNumber)
    } catch (error) {
      away.add(device)
      throw error
    }
    return await serve(device, wanted, signal)
  }
}

test('a file of another device is read without being kept', async () => {
  const content = contentOf(5 * BLOCK + 77)
  await using pull = await startWith('dir/film.bin', content)
  const opened = await open(pull, 'dir/film.bin')
  assert.deepEqual(
    [opened.name, opened.sizeBytes, opened.modifiedMs],
    ['dir/film.bin', content.length, 1_700_000_000_123],
  )
  assert.ok(content.equals(await bytesOf(opened)))
  assert.deepEqual(await pull.tree(), [])
  for (const [from, to] of [
    [0, 1],
    [BLOCK - 1, BLOCK + 1],
    [3 * BLOCK + 5, content.length],
    [9, 9],
  ] as const) {
    assert.ok(content.subarray(from, to).equals(await bytesOf(opened, from, to)), `${from} to ${to}`)
  }
})

test('only the blocks of a range are requested, and a block that was read is not requested again', async () => {
  const content = contentOf(40 * BLOCK)
  await using pull = await startWith('f', content)
  const opened = await open(pull, 'f')
  await bytesOf(opened, 10 * BLOCK + 1, 12 * BLOCK - 1)
  assert.deepEqual(
    pull.peer.requests.map(({ blockNumber }) => blockNumber),
    [10, 11],
  )
  await bytesOf(await open(pull, 'f'), 10 * BLOCK, 11 * BLOCK)
  assert.equal(pull.peer.requests.length, 2)
})

test('a file of this disk is read from it', async () => {
  const content = contentOf(3 * BLOCK + 1)
  await using pull = await startWith('f', content)
  pull.hub.pullSoon(DOCS)
  await pull.rest()
  pull.peer.requests.length = 0
  assert.ok(content.equals(await bytesOf(await open(pull, 'f'))))
  pull.peer.connected = false
  assert.ok(content.equals(await bytesOf(await open(pull, 'f'))))
  assert.equal(pull.peer.requests.length, 0)
})

test('a file that was edited here since the last scan comes from another device, or is refused', async () => {
  const content = contentOf(2 * BLOCK)
  await using pull = await startWith('f', content)
  pull.hub.pullSoon(DOCS)
  await pull.rest()
  await using file = await pull.disk.open(`${ROOT}/f`, 'write')
  await file.write(Buffer.from('edited'), 5)
  assert.ok(content.equals(await bytesOf(await open(pull, 'f'))))
  assert.deepEqual(pull.peer.requests.filter(({ blockNumber }) => blockNumber === 0).length, 2, 'pulled, then read')
  await using alone = await startWith('g', content)
  alone.hub.pullSoon(DOCS)
  await alone.rest()
  await alone.disk.removeFile(`${ROOT}/g`)
  alone.peer.connected = false
  await assert.rejects(open(alone, 'g'), {
    code: 'content-unavailable',
    message: /changed or removed since the last scan/,
  })
})

test('an older version of this disk gives the blocks that are the same', async () => {
  const before = contentOf(4 * BLOCK)
  await using pull = await startWith('f', before)
  pull.hub.pullSoon(DOCS)
  await pull.rest()
  const after = Buffer.from(before)
  after[2 * BLOCK] = 255
  pull.peer.put('f', after)
  await pull.peer.announce(pull.index)
  pull.peer.requests.length = 0
  assert.ok(after.equals(await bytesOf(await open(pull, 'f'))))
  assert.deepEqual(
    pull.peer.requests.map(({ blockNumber }) => blockNumber),
    [2],
  )
})

test('a device goes away in the middle: the next one continues', async () => {
  const content = contentOf(20 * BLOCK)
  await using pull = await startWith('f', content)
  const asked: DeviceId[] = []
  addSecondSource(pull, (device, blockNumber) => {
    if (device === PEER && blockNumber >= 7) throw new Error('connection closed')
    asked.push(device)
  })
  assert.ok(content.equals(await bytesOf(await open(pull, 'f'))))
  assert.ok(asked.includes(PEER) && asked.includes(OTHER))
})

test('the last device goes away in the middle: the reader gets right bytes and then an error', async () => {
  const content = contentOf(20 * BLOCK)
  await using pull = await startWith('f', content)
  pull.peer.serve = async ({ blockNumber }, data) => {
    if (blockNumber >= 7) pull.peer.connected = false
    if (!pull.peer.connected) throw new Error('connection closed')
    return data
  }
  const opened = await open(pull, 'f')
  const got: Uint8Array[] = []
  await assert.rejects(
    async () => {
      for await (const piece of opened.read(0, content.length, NEVER)) got.push(piece)
    },
    { code: 'content-unavailable' },
  )
  const bytes = Buffer.concat(got)
  assert.ok(bytes.length > 0 && bytes.length <= 7 * BLOCK, `${bytes.length} bytes`)
  assert.ok(content.subarray(0, bytes.length).equals(bytes))
})

test('wrong bytes never leave: the block is requested again, then from another device', async () => {
  const content = contentOf(3 * BLOCK)
  await using pull = await startWith('f', content)
  const lies = { left: 1 }
  pull.peer.serve = async (_request, data) => (lies.left-- > 0 ? Buffer.alloc(data.length, 'wrong') : data)
  assert.ok(content.equals(await bytesOf(await open(pull, 'f'))))
  await using lying = await startWith('f', content)
  lying.peer.serve = async ({ blockNumber }, data) => (blockNumber < 2 ? data : Buffer.alloc(data.length))
  const opened = await open(lying, 'f')
  assert.ok(content.subarray(0, 2 * BLOCK).equals(await bytesOf(opened, 0, 2 * BLOCK)))
  await assert.rejects(bytesOf(opened, 2 * BLOCK, 2 * BLOCK + 1), { code: 'content-unavailable' })
})

test('what cannot be read is refused with its reason', async () => {
  await using pull = await startWith('f', 'text')
  pull.peer.directory('dir')
  pull.peer.symlink('link', 'f')
  pull.peer.put('gone', 'x')
  pull.peer.delete('gone')
  pull.peer.put('empty', '')
  await pull.peer.announce(pull.index)
  await assert.rejects(open(pull, 'dir'), { code: 'refused', message: /"dir" is a directory/ })
  await assert.rejects(open(pull, 'link'), { code: 'refused' })
  await assert.rejects(open(pull, 'gone'), { code: 'file-missing', message: /was deleted/ })
  await assert.rejects(open(pull, 'none'), { code: 'file-missing' })
  for (const hostile of ['../f', '/f', 'dir/../f', 'f\0', './f', '']) {
    await assert.rejects(open(pull, hostile), { code: 'bad-request' }, JSON.stringify(hostile))
  }
  pull.peer.connected = false
  await assert.rejects(open(pull, 'f'), { code: 'content-unavailable', message: /"f".*It is on / })
  assert.equal((await bytesOf(await open(pull, 'empty'))).length, 0)
  const { content } = pull.hub.model
  await assert.rejects(content.open(folderId('unknown'), 'f', NEVER), { code: 'folder-missing' })
  await pull.hub.change((config) => ({ ...config, folders: config.folders.map((each) => ({ ...each, paused: true })) }))
  await assert.rejects(content.open(DOCS, 'f', NEVER), { code: 'folder-paused' })
})

test('a file that is ignored here can be read from another device', async () => {
  await using pull = await SimPull.start({
    arrange: async (disk) => {
      await using file = await disk.open(`${ROOT}/.stignore`, 'create')
      await file.write(Buffer.from('*.bin\n'), 0)
    },
  })
  pull.peer.put('f.bin', 'content')
  await pull.sync()
  await pull.scan()
  assert.deepEqual(await pull.tree(), ['.stignore'])
  assert.equal((await bytesOf(await open(pull, 'f.bin'))).toString(), 'content')
})

test('an encrypted folder is refused', async () => {
  await using pull = await SimPull.start({ folder: { type: 'receiveencrypted' } })
  await assert.rejects(open(pull, 'f'), { code: 'content-encrypted', message: /password/ })
})

test('readers of one block share its request, and one that leaves does not end it for the other', async () => {
  await using pull = await startWith('f', 'content')
  const { promise: release, resolve } = Promise.withResolvers<void>()
  pull.peer.serve = async (_request, data, signal) => {
    await release
    signal.throwIfAborted()
    return data
  }
  const leaving = new AbortController()
  const opened = await open(pull, 'f')
  const first = bytesOf(opened, 0, 7, leaving.signal)
  const second = bytesOf(opened)
  leaving.abort(new Error('left'))
  await assert.rejects(first, /left/)
  resolve()
  assert.equal((await second).toString(), 'content')
  assert.equal(pull.peer.requests.length, 1)
})

test('a reader that leaves ends its requests', async () => {
  await using pull = await startWith('f', contentOf(8 * BLOCK))
  const aborted: number[] = []
  pull.peer.serve = (request, _data, signal) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        aborted.push(request.blockNumber)
        reject(signal.reason as Error)
      })
    })
  const leaving = new AbortController()
  const reading = bytesOf(await open(pull, 'f'), 0, 8 * BLOCK, leaving.signal)
  await pull.hub.pass(0)
  leaving.abort(new Error('left'))
  await assert.rejects(reading, /left/)
  await pull.hub.pass(0)
  assert.deepEqual(aborted.sort(), [0, 1])
})

test('a hundred readers that stop after their first bytes hold no more than the bounds', async () => {
  const files = 100
  await using pull = await SimPull.start()
  for (let at = 0; at < files; at++) pull.peer.put(`f${at}`, Buffer.alloc(4 * BLOCK, `${at} `))
  await pull.peer.announce(pull.index)
  const readers = await Promise.all(
    Array.from({ length: files }, async (_, at) => {
      const opened = await pull.hub.model.content.open(DOCS, `f${at}`, NEVER)
      return opened.read(0, opened.sizeBytes, NEVER)[Symbol.asyncIterator]()
    }),
  )
  for (const reader of readers) assert.equal((await reader.next()).done, false)
  const stalledRequests = pull.peer.requests.length
  assert.ok(stalledRequests <= 2 * files, `${stalledRequests} requests`)
  // One more reader is not held up by those that stopped.
  const opened = await pull.hub.model.content.open(DOCS, 'f7', NEVER)
  assert.equal((await bytesOf(opened)).length, 4 * BLOCK)
  for (const reader of readers) await reader.return?.()
})
