import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceIdFromBytes } from '../../src/core/device-id.ts'
import { FLAG_REMOTE_INVALID } from '../../src/core/records/file-info.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { readClusterConfig } from '../../src/protocol/cluster-config.ts'
import { compress } from '../../src/protocol/compress.ts'
import { readIndex, readIndexEnvelope } from '../../src/protocol/index-data.ts'
import { MessageMemory } from '../../src/protocol/message-memory.ts'
import { STEP_BYTES, type Steps } from '../../src/protocol/steps.ts'
import { eventually } from '../support/scratch.ts'
import { finish, readIndex as readParts } from './read-index.ts'
import { settle } from './scripted-stream.ts'
import { frame, openConnection } from './test-connection.ts'

const MIB = 1024 * 1024
const CLUSTER_CONFIG = 0
const UPDATE = 2
const RESPONSE = 4
const LZ4 = 1
const NEVER = new AbortController().signal
const EMPTY = frame(CLUSTER_CONFIG, new Uint8Array(0))

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left = Math.floor(left / 128)) {
    bytes.push(left < 128 ? left : (left % 128) + 128)
    if (left < 128) return Buffer.from(bytes)
  }
}

function field(number: number, body: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(body.length), body])
}

/** Repetitions of `one` of about so many bytes. */
function repeated(one: Uint8Array, bytes: number): Buffer {
  return Buffer.alloc(Math.ceil(bytes / one.length) * one.length, one)
}

const FOLDER = field(1, Buffer.from('v'))
/** A record of an unknown type, which is skipped. */
const UNKNOWN_RECORD = field(2, Buffer.concat([field(1, Buffer.from('a')), Buffer.from([0x10, 9])]))
const EMPTY_FIELD = field(7, new Uint8Array(0))
const BLOCK = field(16, Buffer.concat([Buffer.from([0x10, 1]), field(3, Buffer.alloc(32, 3))]))
const DEVICE = field(16, field(1, Buffer.alloc(32, 5)))

/** The number of marks between steps. */
function stepsOf<R>(steps: Steps<unknown, R>): number {
  let count = 0
  for (const step of steps) if (step === undefined) count++
  return count
}

const LONG: readonly (readonly [what: string, bytes: number, steps: () => Steps<unknown, unknown>])[] = [
  ['unknown records', 512 * 1024, () => indexSteps(repeated(UNKNOWN_RECORD, 512 * 1024))],
  ['empty unknown fields between the records', MIB, () => indexSteps(repeated(EMPTY_FIELD, MIB))],
  [
    'the blocks of one record',
    MIB,
    () => indexSteps(field(2, Buffer.concat([field(1, Buffer.from('a')), repeated(BLOCK, MIB)]))),
  ],
  ['an envelope among empty fields', MIB, () => readIndexEnvelope(Buffer.concat([repeated(EMPTY_FIELD, MIB), FOLDER]))],
  ['an envelope among records', MIB, () => readIndexEnvelope(Buffer.concat([FOLDER, repeated(UNKNOWN_RECORD, MIB)]))],
  [
    'the devices of one folder',
    9_000 * DEVICE.length,
    () => readClusterConfig(field(1, repeated(DEVICE, 9_000 * DEVICE.length))),
  ],
  ['empty fields of a cluster config', MIB, () => readClusterConfig(repeated(EMPTY_FIELD, MIB))],
  ['empty fields of a folder', MIB, () => readClusterConfig(field(1, repeated(EMPTY_FIELD, MIB)))],
]

function indexSteps(rest: Uint8Array): Steps<unknown> {
  const body = Buffer.concat([FOLDER, rest])
  return readIndex(body, finish(readIndexEnvelope(body)), 'index update')
}

for (const [what, bytes, steps] of LONG) {
  test(`B-23: decoding pauses after 32 KiB at the latest: ${what}`, () => {
    const count = stepsOf(steps())
    assert.ok(count >= Math.floor(bytes / (STEP_BYTES + 64)) - 1, `${count} steps for ${bytes} bytes`)
  })
}

test('B-23: the costly conversion of devices pauses after 128', () => {
  const config = (count: number) => readClusterConfig(field(1, repeated(DEVICE, count * DEVICE.length)))
  assert.ok(stepsOf(config(800)) >= 6)
  assert.equal(stepsOf(config(127)), 0)
})

/** Every look at the clock takes a millisecond; sleeps end at once and are counted. */
class TickingClock implements Clock {
  #ms = 0
  pauses = 0

  nowMs(): number {
    return this.#ms
  }

  monotonicMs(): number {
    return this.#ms++
  }

  async sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    if (delayMs === 0) {
      this.pauses++
      return await settle(1)
    }
    const { promise, reject } = Promise.withResolvers<void>()
    signal.addEventListener('abort', () => reject(signal.reason))
    await promise
  }
}

for (const [what, type, body] of [
  ['an index update', UPDATE, Buffer.concat([FOLDER, repeated(UNKNOWN_RECORD, 640 * 1024)])],
  ['an index update without its folder in front', UPDATE, Buffer.concat([repeated(EMPTY_FIELD, 2 * MIB), FOLDER])],
  ['a cluster config', CLUSTER_CONFIG, field(1, Buffer.concat([FOLDER, repeated(DEVICE, 10_000 * DEVICE.length)]))],
] as const) {
  test(`B-23: other work runs between the time slices of ${what}`, async () => {
    const clock = new TickingClock()
    const { stream, connection, handler } = await openConnection({}, {}, 'configured', { clock })
    stream.feed(EMPTY, frame(type, body))
    await eventually('the message is handled', async () => handler.calls.length === 2 || undefined)
    // Five looks per slice, one per step of 32 KiB.
    assert.ok(clock.pauses >= Math.floor(body.length / STEP_BYTES / 6), `${clock.pauses} pauses`)
    await connection.close('done')
  })
}

for (const [what, message, count, pauses] of [
  ['small', frame(UPDATE, FOLDER), 4_000, 12],
  ['large', frame(5, Buffer.concat([FOLDER, field(7, Buffer.alloc(MIB - 10))])), 16, 3],
] as const) {
  test(`B-23: other work runs between many ${what} messages`, async () => {
    const clock = new TickingClock()
    let handled = 0
    const onMessage = async () => void handled++
    const overrides = { indexUpdate: onMessage, downloadProgress: onMessage }
    const { stream, connection } = await openConnection(overrides, {}, 'configured', { clock })
    const [before, messages] = [clock.pauses, Array.from({ length: count }, () => message)]
    stream.feed(EMPTY, Buffer.concat(messages))
    await eventually('all are handled', async () => handled === count || undefined)
    assert.ok(clock.pauses - before >= pauses, `${clock.pauses - before} pauses`)
    await connection.close('done')
  })
}

test('B-23: an index message of more than 100,000 records is refused', () => {
  const body = (count: number) => Buffer.concat([FOLDER, repeated(UNKNOWN_RECORD, count * UNKNOWN_RECORD.length)])
  assert.equal([...readParts(body(100_000), 'index')].length, 1)
  assert.throws(() => [...readParts(body(100_001), 'index')], /more than 100000 records/)
})

test('B-23: an index message of more than 32 MiB is refused before it is read or unpacked', async () => {
  for (const [bytes, isRefused] of [
    [32 * MIB, false],
    [32 * MIB + 1, true],
  ] as const) {
    const body = Buffer.concat([FOLDER, field(7, Buffer.alloc(bytes - FOLDER.length - 5))])
    assert.equal(body.length, bytes)
    const { stream, connection, handler } = await openConnection()
    stream.feed(EMPTY, frame(UPDATE, compress(body)!, LZ4))
    await eventually(
      'the message is handled',
      async () => connection.closed.aborted || handler.calls.length > 1 || undefined,
    )
    assert.equal(/claims/.test(connection.closed.reason?.message ?? ''), isRefused, `${bytes} bytes`)
    await connection.close('done')
  }
})

const BAD_RECORD = field(2, field(1, Buffer.from('../x')))

test('B-24: an index that the handler does not accept is dropped without decoding its records', async () => {
  const asked: string[] = []
  const acceptsIndex = async (folder: string) => asked.push(folder) < 0
  const { stream, connection, handler } = await openConnection({ acceptsIndex })
  stream.feed(EMPTY, frame(UPDATE, Buffer.concat([FOLDER, BAD_RECORD])), frame(1, Buffer.concat([BAD_RECORD, FOLDER])))
  await settle()
  assert.deepEqual(asked, ['v', 'v'])
  assert.equal(handler.calls.length, 1)
  assert.equal(connection.closed.aborted, false)
  await connection.close('done')
})

test('B-24: a folder that is given twice is asked for twice', async () => {
  const other = field(1, Buffer.from('other'))
  const { stream, connection, handler } = await openConnection({ acceptsIndex: async (folder) => folder === 'v' })
  stream.feed(EMPTY, frame(UPDATE, Buffer.concat([FOLDER, other, BAD_RECORD])))
  await settle()
  assert.equal(handler.calls.length, 1)
  assert.equal(connection.closed.aborted, false)
  await connection.close('done')
})

test('B-24: a handler that refuses an index closes the connection before its records are decoded', async () => {
  const acceptsIndex = async () => Promise.reject(new Error('v: no such folder'))
  const { stream, connection, running } = await openConnection({ acceptsIndex })
  stream.feed(EMPTY, frame(UPDATE, Buffer.concat([FOLDER, BAD_RECORD])))
  await running
  assert.equal(connection.closed.reason.message, 'handling index update for v: v: no such folder')
})

test('B-25: a compressed response without a request is not decompressed', async () => {
  const { stream, connection } = await openConnection()
  stream.feed(EMPTY, frame(RESPONSE, Buffer.from('00000040ffffffff', 'hex'), LZ4))
  await settle()
  assert.equal(connection.closed.aborted, false)
  await connection.close('done')
})

const [A, B, C, D, E] = [1, 2, 3, 4, 5].map((byte) => deviceIdFromBytes(new Uint8Array(32).fill(byte)))

for (const kind of ['received', 'unpacked'] as const) {
  test(`B-25: ${kind} messages wait for the memory of their device, and for that of all`, async () => {
    const memory = new MessageMemory()[kind]
    let granted: string[] = []
    const want = (name: string, device: typeof A, bytes: number) => {
      const held = memory.acquire(device!, bytes, NEVER)
      void held.then(() => granted.push(name))
      return held
    }
    const first = await want('first', A, 40 * MIB)
    const second = want('second', A, 40 * MIB)
    await settle()
    assert.deepEqual(granted, ['first'], 'a device has 64 MiB')
    await Promise.all([B, C, D].map((device) => want('other', device, 64 * MIB)))
    granted = []
    const last = want('last', E, 64 * MIB)
    await settle()
    assert.deepEqual(granted, [], 'all together have 256 MiB')
    assert.equal(await memory.acquire(E!, 65_535, NEVER), undefined, 'small messages do not wait')
    first?.[Symbol.dispose]()
    await Promise.all([second, last].map((held) => Promise.race([held, settle()])))
    assert.deepEqual(granted, ['last'])
  })
}

test('B-25: unpacked messages of one device wait for each other over all its connections', async () => {
  const memory = new MessageMemory()
  const body = Buffer.concat([FOLDER, field(7, Buffer.alloc(30 * MIB))])
  const packed = frame(UPDATE, compress(body)!, LZ4)
  const gates = [0, 1, 2].map(() => Promise.withResolvers<void>())
  const handled: number[] = []
  const connections = await Promise.all(
    gates.map((gate, i) => {
      const indexUpdate = async () => {
        handled.push(i)
        await gate.promise
      }
      return openConnection({ indexUpdate }, {}, 'configured', { memory })
    }),
  )
  for (const { stream } of connections) stream.feed(EMPTY, packed)
  await eventually('two are handled', async () => handled.length === 2 || undefined)
  await settle(20)
  assert.equal(handled.length, 2)
  gates[handled[0]!]!.resolve()
  await eventually('the third is handled', async () => handled.length === 3 || undefined)
  for (const gate of gates) gate.resolve()
  await Promise.all(connections.map(({ connection }) => connection.close('done')))
  const held = await memory.unpacked.acquire(connections[0]!.connection.device, 64 * MIB, NEVER)
  assert.ok(held !== undefined, 'everything is released')
})

test('B-25: handled and unhandled messages release their memory', async () => {
  const memory = new MessageMemory()
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  let handled = 0
  const indexUpdate = async () => {
    handled++
    await gate
  }
  const { stream, connection, running } = await openConnection({ indexUpdate }, {}, 'configured', { memory })
  const ping = frame(6, Buffer.alloc(MIB))
  const large = frame(UPDATE, Buffer.concat([FOLDER, field(7, Buffer.alloc(3 * MIB))]))
  stream.feed(EMPTY, ...Array.from({ length: 70 }, () => ping), large, large, large)
  await eventually('the messages after the pings are read', async () => handled === 1 || undefined)
  await settle()
  void connection.close('done')
  open()
  await running
  assert.equal(handled, 1)
  const held = memory.received.acquire(connection.device, 64 * MIB, NEVER)
  assert.notEqual(await Promise.race([held, settle().then(() => 'pending')]), 'pending')
})

test('B-23: a symlink target of more than 4 KiB is not used', () => {
  const flags = (bytes: number) => {
    const link = Buffer.concat([
      field(1, Buffer.from('l')),
      Buffer.from([0x10, 4]),
      field(17, Buffer.alloc(bytes, 'x')),
    ])
    return [...readParts(Buffer.concat([FOLDER, field(2, link)]), 'index')][0]?.files[0]?.localFlags
  }
  assert.equal(flags(4_096), 0)
  assert.equal(flags(4_097), FLAG_REMOTE_INVALID)
})
