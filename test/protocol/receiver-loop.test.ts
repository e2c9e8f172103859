/** The receiving half of a connection alone: the test is the peer, the handler and the rest of the connection. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deviceIdFromBytes } from '../../src/core/device-id.ts'
import { messageOf } from '../../src/core/errors.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { ByteReader } from '../../src/protocol/byte-reader.ts'
import { compress } from '../../src/protocol/compress.ts'
import { MessageCounter } from '../../src/protocol/message-counter.ts'
import { MessageMemory } from '../../src/protocol/message-memory.ts'
import { PendingRequests } from '../../src/protocol/pending-requests.ts'
import { Receiver } from '../../src/protocol/receiver.ts'
import { RequestService } from '../../src/protocol/request-service.ts'
import type { ProtocolHandler } from '../../src/protocol/types.ts'
import { quietLogger } from '../support/logger.ts'
import { ScriptedStream, settle } from './scripted-stream.ts'
import { frame } from './test-connection.ts'
import { field, FOLDER, LZ4, MIB, NEVER, UPDATE } from './wire-parts.ts'

const [CONFIG, INDEX, REQUEST, RESPONSE, PROGRESS, PING, CLOSE] = [0, 1, 3, 4, 5, 6, 7]
const EMPTY = frame(CONFIG!, new Uint8Array(0))
const device = deviceIdFromBytes(new Uint8Array(32).fill(7))

/** Every look at it is in another time slice; pauses are counted. */
class HastyClock implements Clock {
  #ms = 0
  pauses = 0

  nowMs(): number {
    return this.#ms
  }

  monotonicMs(): number {
    return (this.#ms += 10)
  }

  async sleep(): Promise<void> {
    this.pauses++
  }
}

/** A receiver of these messages, after which the stream ends. */
async function receive(
  messages: readonly Uint8Array[],
  overrides: Partial<ProtocolHandler> = {},
  memory = new MessageMemory(),
) {
  const stream = new ScriptedStream()
  stream.feed(...messages)
  stream.end()
  const clock = new HastyClock()
  const stop = new AbortController()
  const pending = new PendingRequests()
  const calls: string[] = []
  const failures = new Set<unknown>()
  const service = new RequestService({
    device,
    logger: quietLogger('protocol'),
    respond: async (id) => void calls.push(`response ${id}`),
  })
  const receiver = new Receiver({
    device,
    clock,
    memory,
    messages: new MessageCounter(),
    incoming: new ByteReader(stream, () => 0),
    pending,
    service,
    closed: stop.signal,
    onProgress: () => {},
    onClose: async (reason) => void calls.push(`close ${reason}`),
    onFailure: (error) => {
      failures.add(error)
      stop.abort(error)
    },
  })
  const handler: ProtocolHandler = {
    clusterConfig: async () => void calls.push('config'),
    acceptsIndex: async () => true,
    index: async ({ folder, files }) => void calls.push(`index ${folder} ${files.length}`),
    indexUpdate: async ({ folder, files }) => void calls.push(`update ${folder} ${files.length}`),
    request: async ({ name }) => {
      calls.push(`request ${name}`)
      return { kind: 'refused', code: 'generic' }
    },
    acceptsDownloadProgress: async () => true,
    downloadProgress: async (folder, updates) => void calls.push(`progress ${folder} ${updates.length}`),
    ...overrides,
  }
  const running = receiver.run(handler)
  return { clock, stop, memory, pending, calls, failures, running }
}

/** The same after all messages were handled; all failures are texts. */
async function received(messages: readonly Uint8Array[], overrides: Partial<ProtocolHandler> = {}) {
  const { running, failures, ...rest } = await receive(messages, overrides)
  await running
  await settle()
  return { ...rest, failures: textsOf(failures) }
}

function textsOf(failures: ReadonlySet<unknown>): readonly string[] {
  return [...failures].map(messageOf)
}

const ENDED = 'connection closed by the device'
const record = (name: string) => field(2, Buffer.concat([field(1, Buffer.from(name)), Buffer.from([0x10, 1])]))
const index = (count: number) =>
  Buffer.concat([FOLDER, ...Array.from({ length: count }, (_, i) => record(`d${i}`)), Buffer.from([0x18, 9])])

describe('messages come to the handler', () => {
  it('each by its type, in order, up to the end of the stream', async () => {
    const { calls, failures } = await received([
      EMPTY,
      frame(INDEX!, index(2)),
      frame(UPDATE, index(1)),
      frame(PROGRESS!, Buffer.concat([FOLDER, field(2, field(2, Buffer.from('a')))])),
      frame(PING!, new Uint8Array(0)),
      frame(REQUEST!, field(3, Buffer.from('a'))),
      frame(CLOSE!, field(1, Buffer.from('bye'))),
    ])
    const { served = [], others } = Object.groupBy(calls, (call) => (call.startsWith('re') ? 'served' : 'others'))
    assert.deepEqual(served, ['request a', 'response 0'], 'beside the others')
    assert.deepEqual(others, ['config', 'index v 2', 'update v 1', 'progress v 1', 'close closed by remote: bye'])
    assert.deepEqual(failures, [ENDED])
  })

  it('unpacked if they are compressed', async () => {
    const packed = compress(Buffer.concat([index(3), field(7, Buffer.alloc(1_000))]))!
    const { calls } = await received([EMPTY, frame(INDEX!, packed, LZ4)])
    assert.deepEqual(calls, ['config', 'index v 3'])
  })

  it('in parts if they are long: only the first of an index replaces the earlier one', async () => {
    const long = index(5_001)
    const { calls } = await received([EMPTY, frame(INDEX!, long), frame(UPDATE, long)])
    assert.deepEqual(calls, ['config', 'index v 5000', 'update v 1', 'update v 5000', 'update v 1'])
  })

  it('if it accepts their folder', async () => {
    const asked: string[] = []
    const accepts = async (folder: string) => asked.push(folder) > 0 && folder === 'v'
    const other = field(1, Buffer.from('w'))
    const bodies = [FOLDER, other, Buffer.concat([FOLDER, other]), Buffer.concat([Buffer.from([0x18, 1]), FOLDER])]
    const overrides = { acceptsIndex: accepts, acceptsDownloadProgress: accepts }
    for (const [type, call] of [
      [INDEX, 'index v 0'],
      [PROGRESS, 'progress v 0'],
    ] as const) {
      const { calls } = await received([EMPTY, ...bodies.map((body) => frame(type!, body))], overrides)
      assert.deepEqual(calls, ['config', call, call])
      assert.deepEqual(asked.splice(0), ['v', 'w', 'v', 'w', 'v'])
    }
  })

  it('not before a ClusterConfig', async () => {
    const { calls, failures } = await received([frame(PING!, new Uint8Array(0)), EMPTY])
    assert.deepEqual([calls, failures[0]], [[], 'protocol error on ping: invalid state 0'])
    const closed = await received([frame(CLOSE!, new Uint8Array(0)), frame(PING!, new Uint8Array(0))])
    assert.equal(closed.failures[0], 'protocol error on ping: invalid state 0', 'a Close is none')
  })
})

describe('a handler that fails', () => {
  const failing = async () => Promise.reject(new Error('no thanks'))
  for (const [what, message, overrides] of [
    ['cluster-config', EMPTY, { clusterConfig: failing }],
    ['index for v', frame(INDEX!, index(0)), { index: failing }],
    ['index for v', frame(INDEX!, index(0)), { acceptsIndex: failing }],
    ['index update for v', frame(UPDATE, index(0)), { indexUpdate: failing }],
    ['download-progress for v', frame(PROGRESS!, FOLDER), { downloadProgress: failing }],
    ['download-progress for v', frame(PROGRESS!, FOLDER), { acceptsDownloadProgress: failing }],
  ] as const) {
    it(`ends the connection with the reason: ${what}, ${Object.keys(overrides)[0]}`, async () => {
      const { running, failures } = await receive([EMPTY, message], overrides)
      await running
      assert.deepEqual(
        [...failures].map((error) => [(error as { kind?: string }).kind, messageOf(error)]),
        [['violation', `handling ${what}: no thanks`]],
      )
    })
  }

  it('because the connection has ended is not the reason of that', async () => {
    const index = async () => {
      connection.stop.abort(new Error('ended before'))
      throw new Error('no thanks')
    }
    const connection = await receive([EMPTY, frame(INDEX!, FOLDER)], { index })
    await connection.running
    assert.deepEqual(textsOf(connection.failures), ['ended before'])
  })
})

it('no handler is called once the connection has ended', async () => {
  const acceptsIndex = async () => {
    connection.stop.abort(new Error('ended before'))
    return true
  }
  const connection = await receive([EMPTY, frame(INDEX!, FOLDER)], { acceptsIndex })
  await connection.running
  assert.deepEqual([connection.calls, textsOf(connection.failures)], [['config'], ['ended before']])
})

describe('a Response', () => {
  const response = Buffer.concat([Buffer.from([0x18, 0]), field(2, Buffer.alloc(200, 'x'))])

  it('settles its request, compressed or not', async () => {
    for (const message of [frame(RESPONSE!, response), frame(RESPONSE!, compress(response)!, LZ4)]) {
      const connection = await receive([EMPTY, message])
      const { id, response: data } = connection.pending.open(undefined, NEVER)
      await connection.running
      assert.deepEqual([id, (await data).length, textsOf(connection.failures)], [0, 200, [ENDED]])
    }
  })

  it('is read into the buffer of its request', async () => {
    const connection = await receive([EMPTY, frame(RESPONSE!, field(2, Buffer.from('data')))])
    const place = new Uint8Array(4)
    const { response: data } = connection.pending.open((bytes) => place.subarray(0, bytes), NEVER)
    assert.equal((await data).buffer, place.buffer)
    assert.equal(Buffer.from(place).toString(), 'data')
    await connection.running
  })

  it('without a request is not even unpacked', async () => {
    const { failures } = await received([EMPTY, frame(RESPONSE!, Buffer.from('00000040ffffffff', 'hex'), LZ4)])
    assert.deepEqual(failures, [ENDED])
  })
})

it('all memory is free when the connection has ended, also that of messages that were not handled', async () => {
  const large = field(7, Buffer.alloc(MIB / 2))
  const clusterConfig = async () => {
    await settle(20) // all others are read meanwhile
    throw new Error('no')
  }
  const messages = [
    frame(CONFIG!, large),
    frame(PING!, large),
    frame(RESPONSE!, large),
    frame(UPDATE, large),
    frame(UPDATE, compress(large)!, LZ4),
  ]
  for (const overrides of [{}, { clusterConfig }]) {
    const { memory } = await received(messages, overrides)
    for (const limit of [memory.received, memory.unpacked]) {
      const all = limit.acquire(device, 64 * MIB, NEVER)!.then(() => 'free')
      assert.equal(await Promise.race([all, settle().then(() => 'in use')]), 'free')
    }
  }
})

for (const kind of ['received', 'unpacked'] as const) {
  it(`a large message waits for the memory of ${kind} messages`, async () => {
    const memory = new MessageMemory()
    const held = await memory[kind].acquire(device, 64 * MIB, NEVER)
    const large = Buffer.concat([FOLDER, field(7, Buffer.alloc(MIB / 2))])
    const message = kind === 'received' ? frame(UPDATE, large) : frame(UPDATE, compress(large)!, LZ4)
    const { calls, running } = await receive([EMPTY, message], {}, memory)
    await settle(20)
    assert.deepEqual(calls, ['config'])
    held?.[Symbol.dispose]()
    await running
    assert.deepEqual(calls, ['config', 'update v 0'])
  })
}

describe('other work runs after messages of 1 MiB in all, of which each counts as 4 KiB more', () => {
  /** A Close of so many bytes, which is decoded at once. */
  const close = (bytes: number) => {
    const body = bytes === 0 ? Buffer.alloc(0) : field(7, Buffer.alloc(bytes - (bytes < 128 ? 2 : 4)))
    assert.equal(body.length, bytes)
    return frame(CLOSE!, body)
  }
  const many = (count: number, bytes: number) => Array.from({ length: count }, () => bytes)
  const TWO = 2 * 4_096
  const cases: readonly (readonly [what: string, closes: readonly number[], pauses: number])[] = [
    ['255 empty ones', many(254, 0), 0],
    ['256 empty ones', many(255, 0), 1],
    ['255 small ones', many(254, 13), 0],
    ['256 small ones', many(255, 13), 1],
    ['a large one', [MIB - TWO - 1], 0],
    ['one of a byte more', [MIB - TWO], 1],
    ['two large ones', [MIB - TWO, MIB - 4_096 - 1], 1],
    ['two of a byte more', [MIB - TWO, MIB - 4_096], 2],
  ]
  for (const [what, closes, pauses] of cases) {
    it(`${what} after a ClusterConfig: ${pauses}`, async () => {
      const { clock, calls } = await received([EMPTY, ...closes.map(close)])
      assert.deepEqual([calls.length, clock.pauses], [1 + closes.length, pauses])
    })
  }
})
