import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConnectionClosed } from '../../src/protocol/errors.ts'
import { CLUSTER_CONFIG } from '../../src/protocol/messages.ts'
import { encode } from '../../src/core/wire/schema.ts'
import type { ClusterConfig } from '../../src/protocol/types.ts'
import { settle } from './scripted-stream.ts'
import { closeReason, EMPTY_CONFIG, frame, openConnection } from './test-connection.ts'
import { EMPTY, NO_FILES, MIB, request, index } from './connection-parts.ts'

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
