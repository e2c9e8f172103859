/** What a connection is, sends and waits for, with exact times. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BlockReply } from '../../src/protocol/types.ts'
import { settle } from './scripted-stream.ts'
import { closeReason, EMPTY_CONFIG, frame, HELLO, openConnection, type TestConnection } from './test-connection.ts'
import { EMPTY, HASH, NO_FILES, request } from './connection-parts.ts'
import { referenceType } from './reference-schema.ts'
import { NEVER } from './wire-parts.ts'

const BLOCK = {
  folder: 'v',
  name: 'x',
  offsetBytes: 0,
  sizeBytes: 4,
  hash: HASH,
  fromTemporary: false,
  blockNumber: 0,
}
const DATA = Buffer.from('data')

function typesOf({ stream }: TestConnection): readonly number[] {
  return stream.frames().map(({ type }) => type)
}

async function end({ connection, running }: TestConnection): Promise<void> {
  await connection.close('done')
  await running
}

it('a connection has the properties that it was made with', async () => {
  const options = {
    connectionId: 'C1',
    transport: 'tcp-server',
    remoteAddress: '192.0.2.9:1',
    isLocal: false,
    crypto: 'TLS1.3',
    priority: 30,
  }
  const open = await openConnection({}, options)
  const { connection, clock } = open
  const { connectionId, transport, remoteAddress, isLocal, crypto, priority } = connection
  assert.deepEqual({ connectionId, transport, remoteAddress, isLocal, crypto, priority }, options)
  assert.deepEqual([connection.hello, connection.establishedMs], [HELLO, clock.nowMs()])
  await end(open)
})

it('the idle time is that of the pending read', async () => {
  const gate = Promise.withResolvers<void>()
  const open = await openConnection({ clusterConfig: () => gate.promise })
  const { clock, stream, connection } = open
  await clock.advance(1_500, settle)
  assert.equal(connection.idleMs, 1_500)
  stream.feed(EMPTY)
  await settle()
  await clock.advance(500, settle)
  assert.equal(connection.idleMs, 500, 'a byte was received')
  gate.resolve()
  await end(open)
  assert.equal(connection.idleMs, 0, 'no read is pending')
})

it('the bytes of both directions are counted', async () => {
  const open = await openConnection()
  const { stream, connection } = open
  assert.deepEqual([connection.inBytesTotal, connection.outBytesTotal], [0, 6])
  stream.feed(EMPTY)
  await connection.index(NO_FILES)
  await settle()
  assert.deepEqual([connection.inBytesTotal, connection.outBytesTotal], [6, Buffer.concat(stream.written).length])
  await end(open)
})

it('an index has no previous sequence, an update has', async () => {
  const open = await openConnection()
  const data = { ...NO_FILES, lastSequence: 9, prevSequence: 5 }
  await open.connection.index(data)
  await open.connection.indexUpdate(data)
  const sent = open.stream
    .frames()
    .slice(1)
    .map(({ type, body }) => [
      type,
      referenceType('Index').toObject(referenceType('Index').decode(body), { longs: Number }),
    ])
  assert.deepEqual(sent, [
    [1, { folder: 'v', last_sequence: 9 }],
    [2, { folder: 'v', last_sequence: 9, prev_sequence: 5 }],
  ])
  await end(open)
})

it('messages are compressed as set', async () => {
  for (const [compression, wanted] of [
    ['metadata', 1],
    ['never', 0],
  ] as const) {
    const open = await openConnection({}, { compression })
    await open.connection.index({ ...NO_FILES, folder: 'v'.repeat(500) })
    assert.equal(open.stream.frames()[1]?.compression, wanted)
    await end(open)
  }
})

it('a ping is sent 45 seconds after the last message, and not before', async () => {
  const open = await openConnection()
  await open.clock.advance(40_000, settle)
  await open.connection.index(NO_FILES)
  await open.clock.advance(44_999, settle)
  assert.deepEqual(typesOf(open), [0, 1])
  await open.clock.advance(1, settle)
  assert.deepEqual(typesOf(open), [0, 1, 6])
  await end(open)
})

describe('before our ClusterConfig', () => {
  it('nothing is sent but a Close: no ping, no request', async () => {
    const open = await openConnection({}, {}, 'unconfigured')
    const { clock, connection } = open
    const requested = assert.rejects(connection.request(BLOCK, NEVER), { name: 'ConnectionClosed', message: 'done' })
    await assert.rejects(connection.indexUpdate(NO_FILES), /IndexUpdate before our own ClusterConfig/)
    await assert.rejects(connection.downloadProgress('v', []), /DownloadProgress before our own ClusterConfig/)
    await clock.advance(50_000, settle)
    assert.deepEqual(typesOf(open), [])
    await end(open)
    await requested
    assert.deepEqual(typesOf(open), [7])
  })

  it('a request waits', async () => {
    const open = await openConnection({}, {}, 'unconfigured')
    const requested = assert.rejects(open.connection.request(BLOCK, NEVER), /done/)
    await open.connection.clusterConfig(EMPTY_CONFIG)
    await settle()
    assert.deepEqual(typesOf(open), [0, 3])
    await end(open)
    await requested
  })
})

describe('the memory of a reply', () => {
  /** Whether it was released after the response was sent, and after the stream had consumed it. */
  async function releases(reply: (releaseBuffer: () => void) => BlockReply, canConsume: boolean) {
    let released = 0
    const consumed = Promise.withResolvers<void>()
    const open = await openConnection({ request: async () => reply(() => void released++) })
    if (canConsume) open.stream.consumed = () => consumed.promise
    open.stream.feed(EMPTY, request(1))
    await settle()
    assert.deepEqual(typesOf(open), [0, 4])
    const before = released
    consumed.resolve()
    await settle()
    await end(open)
    return [before, released]
  }

  it('is released once the stream has consumed it', async () => {
    const reply = (releaseBuffer: () => void): BlockReply => ({ kind: 'data', data: DATA, releaseBuffer })
    assert.deepEqual(await releases(reply, true), [0, 1])
    assert.deepEqual(await releases(reply, false), [0, 0], 'never, where the stream cannot report that')
  })

  it('is none of a refusal', async () => {
    const refused = { kind: 'refused', code: 'generic' } as const
    assert.deepEqual(await releases((releaseBuffer) => ({ ...refused, releaseBuffer }), true), [0, 0])
    assert.deepEqual(await releases(() => ({ kind: 'data', data: DATA }), true), [0, 0], 'nor of one without')
  })
})

describe('a request', () => {
  it('is not sent after the connection has ended', async () => {
    const open = await openConnection()
    await end(open)
    await assert.rejects(open.connection.request(BLOCK, NEVER), { name: 'ConnectionClosed', message: 'done' })
  })

  it('fails when its signal has aborted, or when the connection ends', async () => {
    const open = await openConnection()
    await assert.rejects(open.connection.request(BLOCK, AbortSignal.abort(new Error('stopped'))), /stopped/)
    assert.deepEqual(typesOf(open), [0])
    const pending = assert.rejects(open.connection.request(BLOCK, NEVER), { name: 'ConnectionClosed', message: 'lost' })
    await settle()
    open.stream.fail(new Error('lost'))
    await pending
    await open.running
    assert.equal(closeReason(open.stream), undefined, 'a Close cannot be delivered')
  })
})

describe('a connection ends', () => {
  it('ten seconds after a Close that cannot be written', async () => {
    const open = await openConnection()
    const { clock, stream, connection } = open
    stream.block(true)
    const stuck = assert.rejects(connection.index(NO_FILES), /hurry/)
    const closing = connection.close('hurry')
    await clock.advance(9_999, settle)
    assert.equal(connection.closed.aborted, false)
    await clock.advance(1, settle)
    assert.equal(connection.closed.aborted, true)
    await Promise.all([closing, stuck, open.running])
    assert.deepEqual([connection.closed.reason.message, stream.closed, clock.sleepingCount], ['hurry', true, 0])
  })

  it('with the error of the stream, which is no violation', async () => {
    const open = await openConnection()
    open.stream.fail(new Error('cable pulled'))
    await open.running
    const { reason } = open.connection.closed
    assert.deepEqual(
      [reason.name, reason.message, reason.cause.message],
      ['ConnectionClosed', ...twice('cable pulled')],
    )
    assert.deepEqual([closeReason(open.stream), open.stream.closed], [undefined, true])
  })

  it('without a Close for bytes that are no message, and after five minutes without any', async () => {
    const malformed = await openConnection()
    malformed.stream.feed(Buffer.from('8000', 'hex'))
    await malformed.running
    const idle = await openConnection()
    await idle.clock.advance(299_999, settle)
    assert.equal(idle.connection.closed.aborted, false)
    await idle.clock.advance(1, settle)
    await idle.running
    const reasons = [malformed, idle].map(({ connection }) => connection.closed.reason.message)
    assert.deepEqual(reasons, ['a header of 32768 bytes', 'read timeout'])
    assert.deepEqual([closeReason(malformed.stream), closeReason(idle.stream)], [undefined, undefined])
  })

  it('with a Close for a violation', async () => {
    const open = await openConnection()
    open.stream.feed(frame(6, new Uint8Array(0)))
    await open.running
    assert.equal(closeReason(open.stream), 'protocol error on ping: invalid state 0')
    assert.equal(open.connection.closed.reason.message, 'protocol error on ping: invalid state 0')
  })

  it('with the reason of the first close, whatever fails meanwhile', async () => {
    const open = await openConnection()
    open.stream.block(true)
    const closings = [open.connection.close('first'), open.connection.close('second')]
    open.stream.feed(frame(6, new Uint8Array(0)))
    await settle()
    assert.equal(open.connection.closed.aborted, false)
    open.stream.block(false)
    await Promise.all([...closings, open.running])
    assert.deepEqual([open.connection.closed.reason.message, typesOf(open)], ['first', [0, 7]])
  })

  it('even if the stream cannot be closed', async () => {
    const open = await openConnection()
    const dispose = open.stream[Symbol.asyncDispose].bind(open.stream)
    open.stream[Symbol.asyncDispose] = async () => {
      await dispose()
      throw new Error('not closed')
    }
    await end(open)
    assert.match(open.logger.lines.join(), /Could not close the stream/)
  })
})

describe('run ends', () => {
  it('after the requests that are being served', async () => {
    const gate = Promise.withResolvers<BlockReply>()
    const open = await openConnection({ request: () => gate.promise })
    open.stream.feed(EMPTY, request(1))
    await settle()
    let hasEnded = false
    const running = open.running.then(() => (hasEnded = true))
    await open.connection.close('done')
    await settle()
    assert.equal(hasEnded, false)
    gate.resolve({ kind: 'refused', code: 'generic' })
    await running
  })

  it('after the stream is closed', async () => {
    const open = await openConnection()
    const gate = Promise.withResolvers<void>()
    const dispose = open.stream[Symbol.asyncDispose].bind(open.stream)
    open.stream[Symbol.asyncDispose] = async () => {
      await dispose()
      await gate.promise
    }
    let ended = 0
    const both = [open.running.then(() => ended++), open.connection.close('done').then(() => ended++)]
    await settle()
    assert.equal(ended, 0)
    gate.resolve()
    await Promise.all(both)
  })
})

function twice(text: string): readonly [string, string] {
  return [text, text]
}
