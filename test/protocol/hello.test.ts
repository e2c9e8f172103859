import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ProtocolError } from '../../src/core/wire/errors.ts'
import { connectionIdOf, continuesAfterHello, exchangeHellos, writeHello } from '../../src/protocol/hello.ts'
import { HELLO as HELLO_SCHEMA } from '../../src/protocol/messages.ts'
import { encode } from '../../src/core/wire/schema.ts'
import type { Hello } from '../../src/protocol/types.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { reportRow } from '../support/effort.ts'
import { damage, numbers } from './damage.ts'
import { ScriptedStream, settle } from './scripted-stream.ts'
import { HELLO } from './test-connection.ts'

interface Captured {
  readonly name: string
  readonly hex: string
  readonly decoded: {
    device_name?: string
    client_name?: string
    client_version?: string
    num_connections?: number
    timestamp?: string
  }
}

const file = join(import.meta.dirname, '..', 'vectors', 'hello.json')
const captured: readonly Captured[] = JSON.parse(readFileSync(file, 'utf8')).hellos
const NEVER = new AbortController().signal

/** Our side of an exchange with a peer that sends these bytes and ends. */
async function receive(bytes: Uint8Array): Promise<Hello> {
  const stream = new ScriptedStream()
  stream.feed(bytes)
  stream.end()
  const { hello } = await exchangeHellos(stream, HELLO, new SimClock(), NEVER)
  assert.deepEqual(Buffer.concat(stream.written), Buffer.from(writeHello(HELLO)))
  return hello
}

function framed(body: Uint8Array, magic = '2ea7d90b', length = body.length): Buffer {
  const start = Buffer.alloc(2)
  start.writeUInt16BE(length)
  return Buffer.concat([Buffer.from(magic, 'hex'), start, body])
}

for (const { name, hex, decoded } of captured) {
  test(`captured Hello: ${name}`, async () => {
    const hello = await receive(Buffer.from(hex, 'hex'))
    assert.deepEqual(hello, {
      deviceName: decoded.device_name ?? '',
      clientName: decoded.client_name ?? '',
      clientVersion: decoded.client_version ?? '',
      numConnections: decoded.num_connections ?? 0,
      timestampNs: BigInt(decoded.timestamp ?? 0),
    })
    assert.equal(Buffer.from(writeHello(hello)).toString('hex'), hex)
  })
}

test('bytes after the Hello are not lost', async () => {
  const stream = new ScriptedStream()
  stream.feed(Buffer.concat([writeHello(HELLO), Buffer.from('0002080600000000', 'hex')]))
  const { incoming } = await exchangeHellos(stream, HELLO, new SimClock(), NEVER)
  assert.equal(Buffer.from(await incoming.take(8)).toString('hex'), '0002080600000000')
})

for (const [name, settleWrite] of [
  ['is sent', (sent: PromiseWithResolvers<void>) => sent.resolve()],
  ['could not be sent', (sent: PromiseWithResolvers<void>) => sent.reject(new Error('connection lost'))],
] as const) {
  test(`the exchange waits until our Hello ${name}, so that the peer gets it first`, async () => {
    const sent = Promise.withResolvers<void>()
    const stream = new ScriptedStream()
    stream.consumed = () => sent.promise
    stream.feed(writeHello(HELLO))
    let received: Hello | undefined
    const exchange = exchangeHellos(stream, HELLO, new SimClock(), NEVER).then(({ hello }) => (received = hello))
    await settle()
    assert.equal(received, undefined)
    settleWrite(sent)
    assert.deepEqual(await exchange, HELLO)
  })
}

test('a Hello received byte by byte is read', async () => {
  const stream = new ScriptedStream()
  stream.feed(...[...writeHello(HELLO)].map((byte) => Buffer.from([byte])))
  assert.deepEqual((await exchangeHellos(stream, HELLO, new SimClock(), NEVER)).hello, HELLO)
})

test('the exchange times out after 20 s and leaves no timer', async () => {
  const clock = new SimClock()
  const stream = new ScriptedStream()
  let ended: unknown
  const exchange = exchangeHellos(stream, HELLO, clock, NEVER).catch((error: unknown) => (ended = error))
  await clock.advance(19_999, settle)
  assert.equal(ended, undefined)
  await clock.advance(1, settle)
  await exchange
  assert.match(String(ended), /timed out/)
  assert.equal(clock.sleepingCount, 0)

  const quick = new ScriptedStream()
  quick.feed(writeHello(HELLO))
  await exchangeHellos(quick, HELLO, clock, NEVER)
  await settle()
  assert.equal(clock.sleepingCount, 0)
})

test('nothing is sent once the signal has aborted', async () => {
  const stream = new ScriptedStream()
  const aborted = AbortSignal.abort(new Error('stopping'))
  await assert.rejects(exchangeHellos(stream, HELLO, new SimClock(), aborted), /stopping/)
  assert.deepEqual(stream.written, [])
})

test('a failure after the timeout has no effect', async () => {
  const clock = new SimClock()
  const stream = new ScriptedStream()
  const exchange = assert.rejects(exchangeHellos(stream, HELLO, clock, NEVER), /the Hello of the device/)
  await clock.advance(20_000, settle)
  await exchange
  stream.fail(new Error('lost'))
  await settle()
})

test('a device continues after its Hello with a message, or ends the connection', async () => {
  const continues = async (prepare: (stream: ScriptedStream) => void, clock = new SimClock()) => {
    const stream = new ScriptedStream()
    stream.feed(writeHello(HELLO))
    const result = await exchangeHellos(stream, HELLO, clock, NEVER)
    prepare(stream)
    return continuesAfterHello(result, clock, NEVER)
  }
  assert.equal(await continues((stream) => stream.feed(Buffer.from('x'))), true)
  assert.equal(await continues((stream) => stream.end()), false)
  assert.equal(await continues((stream) => stream.fail(new Error('lost'))), false)
  const clock = new SimClock()
  let outcome = ''
  const late = continues(() => {}, clock).catch((error: unknown) => (outcome = String(error)))
  await settle()
  await clock.advance(19_999, settle)
  assert.equal(outcome, '')
  await clock.advance(1, settle)
  await late
  assert.match(outcome, /timed out waiting for a message/)
})

test('a Hello has at most 32,767 bytes', () => {
  const hello = (nameBytes: number) => ({ ...HELLO, deviceName: 'n'.repeat(nameBytes) })
  const rest = writeHello(hello(20_000)).length - 20_000
  assert.equal(writeHello(hello(32_767 + 6 - rest)).length, 32_767 + 6)
  assert.throws(() => writeHello(hello(32_768 + 6 - rest)), RangeError)
})

test('names of 256 characters are kept, longer ones are cut', async () => {
  const names = async (length: number) => {
    const { deviceName, clientName, clientVersion } = await receive(
      framed(
        encode(HELLO_SCHEMA, {
          device_name: 'd'.repeat(length),
          client_name: 'c'.repeat(length),
          client_version: 'v'.repeat(length),
        }),
      ),
    )
    return [deviceName, clientName, clientVersion]
  }
  const cut = (count: number, end = '') => ['d', 'c', 'v'].map((letter) => letter.repeat(count) + end)
  assert.deepEqual(await names(256), cut(256))
  assert.deepEqual(await names(257), cut(255, '…'))
})

test('the number of connections is between 0 and 128', async () => {
  const read = async (num_connections: number) =>
    (await receive(framed(encode(HELLO_SCHEMA, { num_connections })))).numConnections
  for (const [sent, wanted] of [
    [-1, 0],
    [1, 1],
    [128, 128],
    [129, 128],
  ] as const)
    assert.equal(await read(sent), wanted)
})

test('an abort rejects the exchange with its reason', async () => {
  const stop = new AbortController()
  const exchange = exchangeHellos(new ScriptedStream(), HELLO, new SimClock(), stop.signal)
  const reason = new Error('stopping')
  stop.abort(reason)
  await assert.rejects(exchange, (error) => error === reason)
})

test('B-02: Hellos of all kinds: read with truncated, sanitized names, or refused with a reason', async () => {
  const named = (device_name: string) =>
    framed(encode(HELLO_SCHEMA, { device_name, client_name: device_name, client_version: device_name }))
  const good = encode(HELLO_SCHEMA, { device_name: 'x' })
  const refused: readonly (readonly [string, Uint8Array, RegExp])[] = [
    ['wrong magic', framed(good, 'deadbeef'), /another protocol/],
    ['old magic', framed(good, '9f79bc40'), /older version/],
    ['older magic', framed(good, '00010000'), /older version/],
    ['oldest magic', framed(good, '00010001'), /older version/],
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n'), /another protocol/],
    ['length 65535', framed(Buffer.alloc(65_535), '2ea7d90b'), /65535 bytes/],
    ['length 32768', framed(Buffer.alloc(32_768), '2ea7d90b'), /32768 bytes/],
    ['cut in the magic', Buffer.from('2ea7', 'hex'), /ended/],
    ['cut in the body', framed(good, '2ea7d90b', 100), /ended/],
    ['nothing', new Uint8Array(0), /ended/],
    ['garbage', framed(Buffer.from('ffffffffffffffffffffff', 'hex')), /./],
    ['a name that is not UTF-8', framed(Buffer.from('0a02c328', 'hex')), /UTF-8/],
  ]
  for (const [name, bytes, reason] of refused) {
    await assert.rejects(receive(bytes), (error) => error instanceof ProtocolError && reason.test(error.message), name)
  }
  assert.equal((await receive(framed(new Uint8Array(0)))).deviceName, '', 'an empty Hello is valid')
  assert.equal(
    (await receive(framed(Buffer.concat([Buffer.alloc(32_766 - 2).fill(Buffer.from('7801', 'hex'))])))).deviceName,
    '',
    'unknown fields up to the limit',
  )
  const shown: readonly (readonly [string, string])[] = [
    ['<script>alert(1)</script>', '<script>alert(1)</script>'],
    ['a\0b\r\n\x1b[31mc\u202ed', 'ab[31mcd'],
    ['ü 😀 日本', 'ü 😀 日本'],
    ['', ''],
  ]
  for (const [sent, expected] of shown) assert.equal((await receive(named(sent))).deviceName, expected)
  for (const long of ['n'.repeat(10_000), '😀'.repeat(2_600)]) {
    const hello = await receive(named(long.slice(0, 10_000)))
    for (const name of [hello.deviceName, hello.clientName, hello.clientVersion]) {
      assert.ok(name.length <= 256 && name.length > 200 && name.isWellFormed(), `${name.length}`)
    }
  }
  assert.equal((await receive(framed(encode(HELLO_SCHEMA, { num_connections: -5 })))).numConnections, 0)
  assert.equal((await receive(framed(encode(HELLO_SCHEMA, { num_connections: 2 ** 31 - 1 })))).numConnections, 128)

  const random = numbers(3)
  let tried = refused.length + shown.length + 6
  for (let round = 0; round < 2_000; round++, tried++) {
    await receive(damage(writeHello(HELLO), random)).catch((error: unknown) =>
      assert.ok(error instanceof ProtocolError, String(error)),
    )
  }
  reportRow({ id: 'B-02', tried, handled: tried })
})

test('connection ids sort by time, and the time part is equal on both sides', () => {
  const chance = new Uint8Array(8).fill(255)
  const ours = connectionIdOf(1_794_701_366_215_231_539n, 1_794_701_366_213_000_000n, chance)
  const theirs = connectionIdOf(1_794_701_366_213_000_000n, 1_794_701_366_215_231_539n, new Uint8Array(8))
  assert.equal(ours.length, 26)
  assert.equal(ours.slice(0, 13), theirs.slice(0, 13))
  assert.ok(connectionIdOf(1n, 2n, chance) < connectionIdOf(2n, 2n, chance))
  assert.equal(theirs.slice(13), '0000000000000')
  assert.equal(connectionIdOf(2n ** 63n, 2n ** 63n + 1n, chance), connectionIdOf(0n, 1n, chance), 'only 64 bits count')
  assert.equal(connectionIdOf(-1n, 0n, chance), connectionIdOf(2n ** 64n - 1n, 0n, chance))
})

test('the proof of an invitation is read as it was sent; one that is too long is left out', async () => {
  const proof = Uint8Array.from({ length: 41 }, (_, i) => i)
  const hello = await receive(writeHello({ ...HELLO, invitationProof: proof }))
  assert.deepEqual(hello.invitationProof, proof)
  assert.equal(hello.invitationProof?.buffer.byteLength, 41, 'a copy: the message is not held')
  for (const length of [0, 65, 30_000]) {
    const { invitationProof, clientName } = await receive(
      writeHello({ ...HELLO, invitationProof: new Uint8Array(length) }),
    )
    assert.deepEqual([invitationProof, clientName], [undefined, HELLO.clientName])
  }
})
