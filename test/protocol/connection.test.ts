import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionClosed, RequestRefused } from '../../src/protocol/errors.ts'
import { CLUSTER_CONFIG, DOWNLOAD_PROGRESS, REQUEST, RESPONSE } from '../../src/protocol/messages.ts'
import { decode, encode } from '../../src/core/wire/schema.ts'
import type { BlockReply, BlockRequest, ClusterConfig, IndexData } from '../../src/protocol/types.ts'
import { reportRow } from '../support/effort.ts'
import { FULL_INDEX } from './reference-schema.ts'
import { settle } from './scripted-stream.ts'
import { closeReason, EMPTY_CONFIG, frame, openConnection } from './test-connection.ts'

const EMPTY = frame(0, new Uint8Array(0))
const NEVER = new AbortController().signal
const HASH = new Uint8Array(32).fill(2)
const BLOCK: BlockRequest = {
  folder: 'v',
  name: 'x',
  offsetBytes: 0,
  sizeBytes: 4,
  hash: HASH,
  fromTemporary: false,
  blockNumber: 0,
}
const NO_FILES: IndexData = { folder: 'v', files: [], lastSequence: 1, prevSequence: 0 }
const MIB = 1024 * 1024

function request(id: number, fields: object = {}): Buffer {
  return frame(3, encode(REQUEST, { id, folder: 'v', name: 'x', size: 10, hash: HASH, ...fields }))
}

function response(fields: object): Buffer {
  return frame(4, encode(RESPONSE, fields))
}

function index(folder: string, type = 1): Buffer {
  return frame(type, encode(FULL_INDEX, { folder, last_sequence: 1 }))
}

test('messages are written in order, and responses are matched to requests in any order', async () => {
  const { stream, connection, running } = await openConnection()
  stream.feed(EMPTY)
  await connection.index(NO_FILES)
  await connection.indexUpdate({ ...NO_FILES, lastSequence: 3, prevSequence: 1 })
  await connection.downloadProgress('v', [
    { kind: 'append', name: 'x', version: [], blockIndexes: [1, 2], blockSizeBytes: 131_072 },
  ])
  const first = connection.request(BLOCK, NEVER)
  const second = connection.request({ ...BLOCK, blockNumber: 1, offsetBytes: 4 }, NEVER)
  await settle()
  assert.deepEqual(
    stream.frames().map(({ type }) => type),
    [0, 1, 2, 5, 3, 3],
  )
  assert.deepEqual(
    stream
      .frames()
      .slice(4)
      .map(({ body }) => decode(REQUEST, body, 0).id),
    [0, 1],
  )
  assert.deepEqual(decode(DOWNLOAD_PROGRESS, stream.frames()[3]!.body, 9).updates[0]?.block_indexes, [1, 2])
  stream.feed(response({ id: 1, data: Buffer.from('bbbb') }), response({ id: 0, data: Buffer.from('aaaa') }))
  assert.equal(Buffer.from(await first).toString(), 'aaaa')
  assert.equal(Buffer.from(await second).toString(), 'bbbb')
  assert.ok(connection.outBytesTotal > 0 && connection.inBytesTotal > 0)
  await connection.close('done')
  await running
})

test('B-14: responses: wrong id, twice, unknown code, none at all', async () => {
  const { stream, connection, running } = await openConnection()
  stream.feed(EMPTY)
  const outcome = async (sent: Promise<Uint8Array>) =>
    sent.then(
      (data) => data.length,
      (error: unknown) => (error instanceof RequestRefused ? error.code : String(error)),
    )
  const responses = Array.from({ length: 7 }, (_, i) =>
    outcome(connection.request({ ...BLOCK, blockNumber: i }, NEVER)),
  )
  stream.feed(response({ id: 999, data: HASH }), response({ id: -1, data: HASH }))
  stream.feed(response({ id: 0, data: Buffer.from('aaaa') }), response({ id: 0, data: Buffer.from('b') }))
  stream.feed(
    response({ id: 1, code: 1 }),
    response({ id: 2, code: 2 }),
    response({ id: 3, code: 3 }),
    response({ id: 4, code: 77 }),
    response({ id: 5, code: -1 }),
  )
  await settle()
  stream.fail(new Error('cable pulled'))
  assert.deepEqual(await Promise.all(responses), [
    4,
    'generic',
    'no-such-file',
    'invalid-file',
    'generic',
    'generic',
    'ConnectionClosed: cable pulled',
  ])
  await running
  await assert.rejects(connection.request(BLOCK, NEVER), ConnectionClosed)
  reportRow({ id: 'B-14', tried: 9, wrongAnswers: 0 })
})

test('response data is read into the buffer of the request, for any chunking of the bytes', async () => {
  const data = Buffer.from('0123456789')
  for (const id of [0, 130]) {
    const whole = response({ id, data })
    for (let cut = 1; cut < whole.length; cut++) {
      const { stream, connection, running } = await openConnection({}, {}, 'configured')
      stream.feed(EMPTY)
      const earlier = Array.from({ length: id }, () => connection.request(BLOCK, NEVER).catch(() => {}))
      const into = new Uint8Array(16)
      const received = connection.request({ ...BLOCK, sizeBytes: 10, into: bufferIn(into) }, NEVER)
      stream.feed(whole.subarray(0, cut), Buffer.concat([whole.subarray(cut), whole]))
      assert.equal(Buffer.from(await received).toString(), '0123456789')
      await settle(1)
      assert.equal(connection.closed.aborted, false)
      await connection.close('done')
      await Promise.all([running, ...earlier])
    }
  }
})

/** Provides the start of the memory to a response that fits. */
function bufferIn(memory: Uint8Array): (dataBytes: number) => Uint8Array | undefined {
  return (dataBytes) => (dataBytes > memory.length ? undefined : memory.subarray(0, dataBytes))
}

test('a buffer is requested when a response arrives, and once', async () => {
  const { stream, connection, running } = await openConnection()
  stream.feed(EMPTY)
  const requestedBytes: number[] = []
  const into = (dataBytes: number): Uint8Array => {
    requestedBytes.push(dataBytes)
    return new Uint8Array(dataBytes)
  }
  const responses = [0, 1].map(() => connection.request({ ...BLOCK, into }, NEVER))
  await settle()
  assert.deepEqual(requestedBytes, [])
  const second = response({ id: 1, data: Buffer.alloc(5, 1) })
  stream.feed(second, second)
  assert.deepEqual(await responses[1], new Uint8Array(5).fill(1))
  await settle()
  assert.deepEqual(requestedBytes, [5])
  stream.feed(response({ id: 0, data: Buffer.alloc(7, 2) }))
  assert.deepEqual(await responses[0], new Uint8Array(7).fill(2))
  assert.deepEqual(requestedBytes, [5, 7])
  await connection.close('done')
  await running
})

test('a response that does not fit its buffer, or a duplicate, does not write to the buffer', async () => {
  const { stream, connection, running } = await openConnection()
  stream.feed(EMPTY)
  const into = new Uint8Array(8)
  const long = connection.request({ ...BLOCK, into: bufferIn(into) }, NEVER)
  stream.feed(response({ id: 0, data: Buffer.alloc(9, 1) }))
  assert.equal((await long).length, 9)
  assert.deepEqual(into, new Uint8Array(8))
  const fitting = connection.request({ ...BLOCK, into: bufferIn(into) }, NEVER)
  stream.feed(response({ id: 1, data: Buffer.alloc(4, 1) }), response({ id: 1, data: Buffer.alloc(8, 2) }))
  const data = await fitting
  await settle()
  assert.equal(data.buffer, into.buffer)
  assert.deepEqual([...into], [1, 1, 1, 1, 0, 0, 0, 0])
  const refused = connection.request({ ...BLOCK, into: bufferIn(into) }, NEVER)
  stream.feed(response({ id: 2, data: Buffer.alloc(8, 3), code: 1 }))
  await assert.rejects(refused, RequestRefused)
  assert.deepEqual([...into], [1, 1, 1, 1, 0, 0, 0, 0])
  await connection.close('done')
  await running
})

test('an aborted request is not sent, or its response is ignored', async () => {
  const { stream, connection, running } = await openConnection()
  const stop = new AbortController()
  stream.block(true)
  const stuck = connection.index(NO_FILES)
  const waiting = connection.request(BLOCK, stop.signal)
  const reason = new Error('not needed any more')
  stop.abort(reason)
  await assert.rejects(waiting, (error) => error === reason)
  stream.block(false)
  await stuck
  await settle()
  assert.deepEqual(
    stream.frames().map(({ type }) => type),
    [0, 1],
  )
  await assert.rejects(connection.request(BLOCK, AbortSignal.abort(reason)), (error) => error === reason)
  await connection.close('done')
  await running
})

test('requests of the peer are served in parallel, and responses are sent as they complete', async () => {
  const waiting: ((reply: BlockReply) => void)[] = []
  const { stream, connection, running } = await openConnection({
    request: () => new Promise((resolve) => waiting.push(resolve)),
  })
  stream.feed(EMPTY, request(1), request(2), request(3))
  await settle()
  assert.equal(waiting.length, 3)
  waiting[2]!({ kind: 'data', data: Buffer.from('ccc') })
  await settle()
  waiting[0]!({ kind: 'refused', code: 'no-such-file' })
  await settle()
  waiting[1]!({ kind: 'data', data: new Uint8Array(0) })
  await settle()
  const responses = stream
    .frames()
    .filter(({ type }) => type === 4)
    .map(({ body }) => decode(RESPONSE, body, 0))
  assert.deepEqual(
    responses.map(({ id, code, data }) => [id, code, Buffer.from(data).toString()]),
    [
      [3, 0, 'ccc'],
      [1, 2, ''],
      [2, 0, ''],
    ],
  )
  await connection.close('done')
  await running
})

test('a request that cannot be served is refused, and the connection stays open', async () => {
  const { stream, connection, running, logger } = await openConnection({
    request: async () => Promise.reject(new Error('disk on fire')),
  })
  stream.feed(EMPTY, request(1))
  await settle()
  assert.equal(decode(RESPONSE, stream.frames().at(-1)!.body, 0).code, 1)
  assert.match(logger.lines.join(), /disk on fire/)
  assert.equal(connection.closed.aborted, false)
  await connection.close('done')
  await running
})

test('B-11: requests of invalid sizes are refused before the handler is called or memory allocated', async () => {
  const { stream, connection, handler, running } = await openConnection()
  stream.feed(EMPTY)
  const before = process.memoryUsage().arrayBuffers
  const sizes = [-1, -(2 ** 31), 32 * MIB + 1, 2 ** 31 - 1]
  for (const [id, size] of sizes.entries()) stream.feed(request(id, { size }))
  stream.feed(
    request(10, { offset: -1 }),
    request(11, { block_no: -1 }),
    request(12, { hash: HASH.subarray(1) }),
    request(13, { name: 'a\0' }),
  )
  await settle()
  assert.deepEqual(
    handler.calls.filter(([name]) => name === 'request'),
    [],
  )
  const codes = stream
    .frames()
    .filter(({ type }) => type === 4)
    .map(({ body }) => decode(RESPONSE, body, 0))
    .map(({ id, code }) => [id, code])
  assert.deepEqual(codes, [
    [0, 3],
    [1, 3],
    [2, 2],
    [3, 2],
    [10, 3],
    [11, 3],
    [12, 3],
    [13, 3],
  ])
  stream.feed(request(20, { size: 0 }))
  await settle()
  assert.equal(handler.calls.filter(([name]) => name === 'request').length, 1, 'a request of size 0 is valid')
  const grown = process.memoryUsage().arrayBuffers - before
  assert.ok(grown < 8 * MIB, `${grown}`)
  await connection.close('done')
  await running
  reportRow({ id: 'B-11', tried: codes.length + 1, refused: codes.length, grownBytes: grown })
})

test('B-10: a flood of requests is served within limits; the rest waits at the peer', async () => {
  let open = 0
  let openMax = 0
  let openBytes = 0
  let openBytesMax = 0
  const releases: (() => void)[] = []
  const { stream, connection, running } = await openConnection({
    request: async ({ sizeBytes }) => {
      openMax = Math.max(openMax, ++open)
      openBytesMax = Math.max(openBytesMax, (openBytes += sizeBytes))
      await new Promise<void>((resolve) => releases.push(resolve))
      open--
      openBytes -= sizeBytes
      return { kind: 'refused', code: 'generic' }
    },
  })
  const chunks = Array.from({ length: 1_000 }, (_, i) =>
    Buffer.concat(Array.from({ length: 100 }, (_, j) => request(i * 100 + j, { size: 131_072 }))),
  )
  stream.feed(EMPTY, ...chunks)
  await settle()
  assert.ok(stream.readCount < 300, `${stream.readCount} of 1001 pieces read while nothing is served`)
  const readWhileStuck = stream.readCount
  while (stream.frames().filter(({ type }) => type === 4).length < 2_000) {
    for (const release of releases.splice(0)) release()
    await settle()
  }
  assert.equal(openBytesMax, 4 * MIB)
  assert.ok(openMax <= 512)
  assert.equal(connection.closed.aborted, false)
  const closing = connection.close('done')
  for (const release of releases.splice(0)) release()
  await Promise.all([closing, running])
  reportRow({ id: 'B-10', tried: 100_000, openMax, openBytesMax, piecesReadWhileStuck: readWhileStuck })
})

test('two of the largest blocks are served at a time: while one is sent the next is read', async () => {
  const open: (() => void)[] = []
  const { stream, connection, running } = await openConnection({
    request: async () => {
      await new Promise<void>((resolve) => open.push(resolve))
      return { kind: 'refused', code: 'generic' }
    },
  })
  stream.feed(EMPTY, ...Array.from({ length: 5 }, (_, i) => request(i, { size: 16 * MIB })))
  await settle()
  assert.equal(open.length, 2)
  open.shift()?.()
  await settle()
  assert.equal(open.length, 2)
  const closing = connection.close('done')
  for (const release of open.splice(0)) release()
  await Promise.all([closing, running])
})

test('a slow handler delays the next message, but not responses to our requests', async () => {
  const order: string[] = []
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { stream, connection, running } = await openConnection({
    index: async ({ folder }) => {
      order.push(`index ${folder}`)
      await gate
      order.push(`${folder} done`)
    },
    indexUpdate: async ({ folder }) => void order.push(`update ${folder}`),
  })
  stream.feed(EMPTY, index('a'), index('b', 2))
  const data = connection.request(BLOCK, NEVER)
  await settle()
  stream.feed(response({ id: 0, data: HASH }))
  assert.equal((await data).length, 32)
  assert.deepEqual(order, ['index a'])
  open()
  await settle()
  assert.deepEqual(order, ['index a', 'a done', 'update b'])
  await connection.close('done')
  await running
})

test('a peer that sends faster than we process is throttled', async () => {
  const { stream, connection, running } = await openConnection({ indexUpdate: () => new Promise(() => {}) })
  const large = frame(2, encode(FULL_INDEX, { folder: 'x'.repeat(MIB) }))
  stream.feed(EMPTY, ...Array.from({ length: 50 }, () => large))
  await settle()
  assert.ok(stream.readCount < 10, `${stream.readCount} messages of a MiB were taken in`)
  await connection.close('done')
  stream.end()
  // The handler never returns; close does not wait for it.
  assert.ok(connection.closed.aborted)
  void running
})

test('requests and responses precede queued index batches, but not our ClusterConfig', async () => {
  const { stream, connection, running } = await openConnection()
  stream.block(true)
  const sent = [connection.index(NO_FILES), ...Array.from({ length: 3 }, () => connection.indexUpdate(NO_FILES))]
  const responses = Array.from({ length: 12 }, () => connection.request(BLOCK, NEVER).catch(() => {}))
  await settle()
  stream.block(false)
  await Promise.all(sent)
  const types = stream.frames().map(({ type }) => type)
  assert.deepEqual(types.slice(0, 12), [0, 1, 3, 3, 3, 3, 3, 3, 3, 3, 2, 3], 'eight at a time, then one batch')
  await connection.close('done')
  await Promise.all([running, ...responses])
})

test('a second ClusterConfig keeps its place among index batches', async () => {
  const { stream, connection, running } = await openConnection()
  await Promise.all([
    connection.index(NO_FILES),
    connection.clusterConfig(EMPTY_CONFIG),
    connection.indexUpdate(NO_FILES),
  ])
  assert.deepEqual(
    stream.frames().map(({ type }) => type),
    [0, 1, 0, 2],
  )
  await connection.close('done')
  await running
})

test('a ping is sent after 45 s without a write, and the connection times out after 300 s without a read', async () => {
  const { clock, stream, connection, running } = await openConnection()
  stream.feed(EMPTY)
  await clock.advance(44_000, settle)
  assert.deepEqual(
    stream.frames().map(({ type }) => type),
    [0],
  )
  await clock.advance(2_000, settle)
  assert.equal(Buffer.concat(stream.written).subarray(-8).toString('hex'), '0002080600000000')
  await clock.advance(250_000, settle)
  assert.equal(connection.closed.aborted, false)
  assert.deepEqual(
    stream.frames().map(({ type }) => type),
    [0, 6, 6, 6, 6, 6, 6],
  )
  await clock.advance(5_000, settle)
  await running
  assert.equal(connection.closed.reason.message, 'read timeout')
  assert.equal(closeReason(stream), undefined)
  assert.equal(clock.sleepingCount, 0)
})

test('pings of the peer keep a connection open for hours', async () => {
  const { clock, stream, connection, running } = await openConnection()
  stream.feed(EMPTY)
  for (let i = 0; i < 300; i++) {
    stream.feed(frame(6, new Uint8Array(0)))
    await clock.advance(90_000, () => settle(1))
  }
  assert.equal(connection.closed.aborted, false)
  await connection.close('done')
  await running
})

test('B-04: a stalled message ends the connection after a minute', async () => {
  const { clock, stream, connection, running } = await openConnection()
  stream.feed(EMPTY, Buffer.from('00020801000f4240', 'hex'), Buffer.alloc(10))
  await clock.advance(55_000, settle)
  stream.feed(Buffer.alloc(1))
  await clock.advance(58_000, settle)
  assert.equal(connection.closed.aborted, false, 'a byte is progress')
  await clock.advance(3_000, settle)
  await running
  assert.equal(connection.closed.reason.message, 'read timeout')
})

test('a peer that reads nothing times out after 300 s, although it sends', async () => {
  const { clock, stream, connection, running } = await openConnection()
  stream.feed(EMPTY)
  stream.block(true)
  const stuck = assert.rejects(connection.index(NO_FILES), ConnectionClosed)
  for (let i = 0; i < 10; i++) {
    stream.feed(frame(6, new Uint8Array(0)))
    await clock.advance(32_000, settle)
  }
  await running
  await stuck
  assert.ok(connection.closed.aborted)
})

test('time without a pending read does not count as idle', async () => {
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  const { clock, stream, connection, running } = await openConnection({ indexUpdate: () => gate })
  const unknownField = Buffer.concat([Buffer.from('3a808040', 'hex'), Buffer.alloc(MIB)])
  const large = frame(2, Buffer.concat([encode(FULL_INDEX, { folder: 'v' }), unknownField]))
  stream.feed(EMPTY, ...Array.from({ length: 8 }, () => large))
  await clock.advance(1_000_000, settle)
  assert.equal(connection.closed.aborted, false)
  open()
  await settle()
  await connection.close('done')
  await running
})

test('close sends its reason once, within ten seconds, and leaves nothing pending', async () => {
  const { clock, stream, connection, running } = await openConnection()
  stream.feed(EMPTY)
  await Promise.all([connection.close('so long'), connection.close('again')])
  await running
  assert.deepEqual(
    stream.frames().map(({ type }) => type),
    [0, 7],
  )
  assert.equal(closeReason(stream), 'so long')
  assert.equal(connection.closed.reason.message, 'so long')
  assert.ok(stream.closed)
  await settle()
  assert.equal(clock.sleepingCount, 0)

  const stuck = await openConnection()
  stuck.stream.block(true)
  const lost = [
    assert.rejects(stuck.connection.index(NO_FILES), ConnectionClosed),
    assert.rejects(stuck.connection.indexUpdate(NO_FILES), ConnectionClosed),
  ]
  let done = false
  const closing = stuck.connection.close('hurry').then(() => (done = true))
  await stuck.clock.advance(9_000, settle)
  assert.equal(done, false)
  await stuck.clock.advance(2_000, settle)
  await Promise.all([closing, stuck.running, ...lost])
  assert.ok(stuck.stream.closed)
})

test('the Close is sent although responses are queued', async () => {
  const { stream, connection, running } = await openConnection()
  stream.feed(EMPTY)
  await settle()
  stream.block(true)
  stream.feed(...Array.from({ length: 50 }, (_, id) => request(id, { size: 100_000 })))
  await settle()
  const closing = connection.close('enough')
  await settle()
  assert.equal(connection.closed.aborted, false)
  stream.block(false)
  await Promise.all([closing, running])
  assert.deepEqual(
    stream.frames().map(({ type }) => type),
    [0, 4, 7],
    'the message in progress is finished, the queued ones are discarded',
  )
  assert.equal(closeReason(stream), 'enough')
})

test('the response to a request before our ClusterConfig is sent after it', async () => {
  const { stream, connection, running } = await openConnection({}, {}, 'unconfigured')
  stream.feed(EMPTY, request(1))
  await settle()
  assert.deepEqual(stream.frames(), [])
  await connection.clusterConfig(EMPTY_CONFIG)
  await settle()
  assert.deepEqual(
    stream.frames().map(({ type }) => type),
    [0, 4],
  )
  await assert.rejects(
    (await openConnection({}, {}, 'unconfigured')).connection.index(NO_FILES),
    /before our own ClusterConfig/,
  )
  await connection.close('done')
  await running
})

test('messages received before the peer closed are still processed', async () => {
  const { stream, handler, connection, running } = await openConnection()
  stream.feed(Buffer.concat([EMPTY, index('a'), index('b', 2)]))
  stream.end()
  await running
  assert.deepEqual(
    handler.calls.map(([name]) => name),
    ['clusterConfig', 'index', 'indexUpdate'],
  )
  assert.equal(connection.closed.reason.message, 'connection closed by the device')
})

test('a handler that throws closes the connection with its error text', async () => {
  const { stream, running } = await openConnection({
    clusterConfig: async () => Promise.reject(new Error('no thanks')),
  })
  stream.feed(EMPTY)
  await running
  assert.equal(closeReason(stream), 'handling cluster-config: no thanks')
})

test('reasons and names of a peer are truncated and sanitized before they are sent', async () => {
  const { stream, connection, running } = await openConnection({}, { compression: 'never' })
  stream.feed(frame(7, Buffer.concat([Buffer.from([0x0a, 0x90, 0x4e]), Buffer.alloc(10_000, '\x1b[x')])))
  await running
  const reason = closeReason(stream) ?? ''
  assert.ok(reason.length < 1_100 && !reason.includes('\x1b') && reason.startsWith('closed by remote: ['))
  assert.equal(connection.closed.reason.message.includes('\x1b'), false)
})

for (const [what, count, isRefused] of [
  ['ten thousand devices is accepted', 10_000, false],
  ['more devices is refused', 10_001, true],
] as const) {
  test(`B-23: a ClusterConfig of ${what}`, async () => {
    const { stream, connection, handler } = await openConnection()
    const devices = Array.from({ length: count }, (_, i) => {
      const id = Buffer.alloc(32, 1)
      id.writeUInt32BE(i)
      return { id, name: '', addresses: [] }
    })
    const halves = [devices.slice(0, 5_000), devices.slice(5_000)]
    const folders = halves.map((half, i) => ({ id: `v${i}`, devices: half }))
    stream.feed(frame(0, encode(CLUSTER_CONFIG, { folders: folders as never })))
    await settle()
    assert.equal(connection.closed.aborted, isRefused)
    assert.equal(handler.calls.length, isRefused ? 0 : 1)
    if (isRefused) assert.match(connection.closed.reason.message, /too many devices/)
    else await connection.close('done')
  })
}

test('B-23: a ClusterConfig of millions of empty folders is refused', async () => {
  const { stream, connection, running } = await openConnection()
  stream.feed(frame(0, Buffer.alloc(8 * MIB).fill(Buffer.from('0a00', 'hex'))))
  await running
  assert.match(connection.closed.reason.message, /too many parts/)
})

test('B-23: a folder with an id of more than 256 bytes is left out of a ClusterConfig', async () => {
  const { stream, connection, handler } = await openConnection()
  const ids = ['a'.repeat(256), 'b'.repeat(257), 'ü'.repeat(129)]
  stream.feed(frame(0, encode(CLUSTER_CONFIG, { folders: ids.map((id) => ({ id, devices: [] })) as never })))
  await settle()
  const [, config] = handler.calls[0] as [string, ClusterConfig]
  assert.deepEqual(
    config.folders.map(({ id }) => id),
    [ids[0]],
  )
  await connection.close('done')
})
