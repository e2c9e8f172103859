import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionClosed, RequestRefused } from '../../src/protocol/errors.ts'
import { DOWNLOAD_PROGRESS, REQUEST, RESPONSE } from '../../src/protocol/messages.ts'
import { decode, encode } from '../../src/core/wire/schema.ts'
import type { BlockRequest } from '../../src/protocol/types.ts'
import { reportRow } from '../support/effort.ts'
import { FULL_INDEX } from './reference-schema.ts'
import { settle } from './scripted-stream.ts'
import { EMPTY_CONFIG, frame, openConnection } from './test-connection.ts'
import { EMPTY, HASH, NO_FILES, MIB, index } from './connection-parts.ts'

const NEVER = new AbortController().signal
const BLOCK: BlockRequest = {
  folder: 'v',
  name: 'x',
  offsetBytes: 0,
  sizeBytes: 4,
  hash: HASH,
  fromTemporary: false,
  blockNumber: 0,
}

function response(fields: object): Buffer {
  return frame(4, encode(RESPONSE, fields))
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
  const sentBytes = stream.frames().reduce((sum, { body }) => sum + body.length, 0)
  const { sent, received, ...bytes } = connection.messages
  assert.deepEqual([sent, bytes.sentBytes, received], [6, sentBytes, 3])
  assert.ok(bytes.receivedBytes >= 8, 'two blocks of four bytes were received')
  await connection.close('done')
  await running
})

test('a connection runs only once', async () => {
  const { connection, handler } = await openConnection()
  await assert.rejects(connection.run(handler), /only once/)
  await connection.close('done')
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
  reportRow({ id: 'B-14', tried: 9 })
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
