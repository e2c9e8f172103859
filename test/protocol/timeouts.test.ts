import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionClosed } from '../../src/protocol/errors.ts'
import { encode } from '../../src/core/wire/schema.ts'
import { FULL_INDEX } from './reference-schema.ts'
import { settle } from './scripted-stream.ts'
import { closeReason, frame, openConnection } from './test-connection.ts'
import { EMPTY, NO_FILES, MIB } from './connection-parts.ts'

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
