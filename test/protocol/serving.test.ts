import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RESPONSE } from '../../src/protocol/messages.ts'
import { decode } from '../../src/core/wire/schema.ts'
import type { BlockReply } from '../../src/protocol/types.ts'
import { reportRow } from '../support/effort.ts'
import { settle } from './scripted-stream.ts'
import { openConnection } from './test-connection.ts'
import { EMPTY, HASH, MIB, request } from './connection-parts.ts'

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
  assert.equal(openBytesMax, 2 * MIB)
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
