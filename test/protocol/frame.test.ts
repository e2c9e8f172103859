import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ByteReader } from '../../src/protocol/byte-reader.ts'
import { ProtocolError } from '../../src/core/wire/errors.ts'
import { writeResponse } from '../../src/protocol/exchange.ts'
import { readFrame, unpackBody, writeFrame, type Frame } from '../../src/protocol/frame.ts'
import { MESSAGE_TYPES } from '../../src/protocol/messages.ts'
import { effort, reportRow } from '../support/effort.ts'
import { numbers } from './damage.ts'
import { endlessSlice } from './slices.ts'
import { ScriptedStream, settle } from './scripted-stream.ts'
import { frame, NO_LISTENER } from './test-connection.ts'

const MIB = 1024 * 1024

async function readAll(chunks: readonly Uint8Array[]): Promise<Frame[]> {
  const stream = new ScriptedStream()
  stream.feed(...chunks)
  stream.end()
  const reader = new ByteReader(stream, () => 0)
  const frames: Frame[] = []
  for (let next = await readFrame(reader, NO_LISTENER); next !== undefined; next = await readFrame(reader, NO_LISTENER))
    frames.push({ ...next, body: await unpackBody(next, endlessSlice()) })
  return frames
}

/** The result of reading the bytes: the number of frames, or refused. */
async function outcomeOf(bytes: Uint8Array): Promise<number | 'refused'> {
  try {
    return (await readAll([bytes])).length
  } catch (error) {
    assert.ok(error instanceof ProtocolError && error.kind === 'malformed', String(error))
    return 'refused'
  }
}

test('frames are read as written, for any chunking of the bytes', async () => {
  const message = fc.record({
    type: fc.constantFrom(...MESSAGE_TYPES),
    body: fc.uint8Array({ maxLength: 700 }),
    setting: fc.constantFrom('always' as const, 'metadata' as const, 'never' as const),
  })
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 6 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 900 })),
      async (messages, cuts) => {
        const bytes = Buffer.concat(messages.flatMap(({ type, body, setting }) => writeFrame(type, [body], setting)))
        const chunks: Buffer[] = []
        for (let at = 0; at < bytes.length;) {
          const { value } = cuts.next()
          chunks.push(bytes.subarray(at, at + value))
          at += value
        }
        const frames = await readAll(chunks)
        assert.deepEqual(
          frames.map(({ type, body }) => [type, [...body]]),
          messages.map(({ type, body }) => [type, [...body]]),
        )
      },
    ),
    { numRuns: effort(200) },
  )
})

test('a large message is assembled from small chunks, and its second part is written without a copy', async () => {
  const data = Buffer.alloc(3 * MIB + 17, 'abcdefg')
  const pieces = writeFrame('Response', [Buffer.from([1, 2, 3]), data], 'metadata')
  assert.equal(pieces.at(-1), data)
  const bytes = Buffer.concat(pieces)
  const chunks = Array.from({ length: Math.ceil(bytes.length / 16_384) }, (_, i) =>
    bytes.subarray(i * 16_384, (i + 1) * 16_384),
  )
  const [read] = await readAll(chunks)
  assert.ok(Buffer.concat([Buffer.from([1, 2, 3]), data]).equals(read!.body))
})

test('with enough headroom a message is one piece of the same memory; with too little it is two', async () => {
  const memory = Buffer.alloc(64 + 100_000, 'x')
  const data = memory.subarray(64)
  const expected = Buffer.concat(writeFrame('Response', [Buffer.from([1, 2, 3]), Buffer.from(data)], 'metadata'))
  assert.equal(writeFrame('Response', [Buffer.from([1, 2, 3]), data, 8], 'metadata').length, 2)
  assert.ok(memory.subarray(0, 64).equals(Buffer.alloc(64, 'x')), 'nothing was written where there was too little')
  const pieces = writeFrame('Response', [Buffer.from([1, 2, 3]), data, 64], 'metadata')
  assert.equal(pieces.length, 1)
  assert.equal(pieces[0]?.buffer, memory.buffer)
  assert.ok(expected.equals(pieces[0]!))
  assert.ok(data.equals(Buffer.alloc(100_000, 'x')))
})

test('compression depends on the setting, the length and the gain', () => {
  const compression = (type: 'Index' | 'Response', body: Buffer, setting: 'always' | 'metadata' | 'never') => {
    const bytes = Buffer.concat(writeFrame(type, [body], setting))
    return bytes.readUInt16BE(0) === 4 ? 'lz4' : 'none'
  }
  const soft = Buffer.alloc(128, 'x')
  const hard = Buffer.from(Array.from({ length: 500 }, numbersOf(3)))
  assert.equal(compression('Index', soft, 'metadata'), 'lz4')
  assert.equal(compression('Index', soft.subarray(1), 'metadata'), 'none', '127 bytes are too few')
  assert.equal(compression('Response', soft, 'metadata'), 'none')
  assert.equal(compression('Response', soft, 'always'), 'lz4')
  assert.equal(compression('Index', soft, 'never'), 'none')
  assert.equal(compression('Index', hard, 'always'), 'none', 'incompressible data is sent uncompressed')
})

function numbersOf(seed: number): () => number {
  const random = numbers(seed)
  return () => random(256)
}

test('B-04: frames with wrong lengths are refused, and announced bytes take no memory until they arrive', async () => {
  const header = (hex: string, length: number, rest = 0) => {
    const lengths = Buffer.alloc(4)
    lengths.writeUInt32BE(length >>> 0)
    return Buffer.concat([Buffer.from(hex, 'hex'), lengths, Buffer.alloc(rest)])
  }
  const cases: readonly (readonly [string, Buffer, number | 'refused'])[] = [
    ['header length 0', header('0000', 0), 1],
    ['header length negative', Buffer.concat([Buffer.from('8000', 'hex'), Buffer.alloc(0x8000)]), 'refused'],
    ['header length 65535', Buffer.concat([Buffer.from('ffff', 'hex'), Buffer.alloc(0xffff)]), 'refused'],
    ['header length above a KiB', Buffer.concat([Buffer.from('0401', 'hex'), Buffer.alloc(0x401)]), 'refused'],
    ['header of a KiB with an unknown field', header(`04007afd07${'00'.repeat(0x3fd)}`, 0), 1],
    ['such a header with one byte more', header(`04017afe07${'00'.repeat(0x3fe)}`, 0), 'refused'],
    ['header that is no protobuf', header('0001ff', 0), 'refused'],
    ['header with an unknown field', header('00047a020000', 0), 1],
    ['message length 0 of a ping', header('00020806', 0), 1],
    ['message length negative', header('00020801', -1), 'refused'],
    ['message length 2^31-1', header('00020801', 2 ** 31 - 1), 'refused'],
    ['message length 500,000,001', header('00020801', 500_000_001), 'refused'],
    ['an index of 500,000,000 of which one byte arrives', header('00020801', 500_000_000, 1), 'refused'],
    ['a request above 1 MiB', header('00020803', MIB + 1), 'refused'],
    ['a response above 16 MiB + 64 KiB', header('00020804', 16 * MIB + 64 * 1024 + 1), 'refused'],
    ['a ClusterConfig above 16 MiB', header('0000', 16 * MIB + 1), 'refused'],
    ['an unknown type', Buffer.concat([frame(42, Buffer.alloc(40_000)), frame(6, Buffer.alloc(0))]), 1],
    ['a negative type', header('000b08ffffffffffffffffff01', 0), 0],
    ['an unknown compression', frame(6, Buffer.alloc(0), 7), 'refused'],
    ['an unknown compression of an unknown type', frame(42, Buffer.alloc(0), 7), 'refused'],
    ['cut in the header', Buffer.from('0002', 'hex'), 'refused'],
    ['cut in the length', Buffer.from('000208060000', 'hex'), 'refused'],
    ['cut in the message', header('00020806', 10, 9), 'refused'],
  ]
  for (const [name, bytes, expected] of cases) assert.equal(await outcomeOf(bytes), expected, name)

  const before = process.memoryUsage().arrayBuffers
  const readers = Array.from({ length: 20 }, () => {
    const stream = new ScriptedStream()
    stream.feed(header('00020801', 32 * MIB, 1_000))
    return readFrame(new ByteReader(stream, () => 0), NO_LISTENER)
  })
  await settle()
  const grown = process.memoryUsage().arrayBuffers - before
  assert.ok(grown < 20 * MIB, `${grown} bytes for twenty promises of 32 MiB`)
  reportRow({ id: 'B-04', tried: cases.length + readers.length, peakPromisedBytes: grown })
})

test('B-04: the longest message of each type is read, and one byte more is refused', async () => {
  const longest: readonly (readonly [type: number, lengthBytes: number])[] = [
    [0, 16 * MIB],
    [1, 32 * MIB],
    [2, 32 * MIB],
    [3, MIB],
    [4, 16 * MIB + 64 * 1024],
    [5, MIB],
    [6, MIB],
    [7, MIB],
    [42, 500_000_000],
  ]
  /** Only the start arrives: the first refusal is either for the length or for the end. */
  const refusal = async (type: number, lengthBytes: number): Promise<string> => {
    const start = frame(type, new Uint8Array(0))
    start.writeUInt32BE(lengthBytes, start.length - 4)
    return await readAll([start]).then(
      () => 'none',
      (error: unknown) => String(error),
    )
  }
  for (const [type, lengthBytes] of longest) {
    assert.doesNotMatch(await refusal(type, lengthBytes), new RegExp(`${lengthBytes} bytes`), `type ${type}`)
    assert.match(await refusal(type, lengthBytes + 1), new RegExp(`of ${lengthBytes + 1} bytes`), `type ${type}`)
  }
  const longestHeader = Buffer.concat([Buffer.from('0400', 'hex'), Buffer.from('7afd07', 'hex'), Buffer.alloc(1_021)])
  assert.equal(await outcomeOf(Buffer.concat([longestHeader, Buffer.alloc(4)])), 1, 'a header of a KiB')
})

test('response data is read directly into its buffer, and every byte resets the idle time', async () => {
  const data = Buffer.alloc(5_000, 'x')
  const bytes = Buffer.concat(writeFrame('Response', writeResponse(7, { kind: 'data', data }), 'never'))
  let at = 0
  let nowMs = 0
  const waitingSince: (number | undefined)[] = []
  const reader: ByteReader = new ByteReader(
    {
      read: async () => (at === 0 ? bytes.subarray(0, (at = 100)) : undefined),
      readInto: async (target, onBytes) => {
        for (let filled = 0; filled < target.length && at < bytes.length; filled += 500) {
          const part = bytes.subarray(at, at + Math.min(500, target.length - filled))
          target.set(part, filled)
          at += part.length
          nowMs += 1_000
          onBytes(part.length)
          waitingSince.push(reader.waitingSinceMs)
        }
        return at === bytes.length
      },
    },
    () => nowMs,
  )
  const place = new Uint8Array(5_000)
  const read = await readFrame(reader, {
    ...NO_LISTENER,
    bufferFor: (id, dataBytes) => (id === 7 ? place.subarray(0, dataBytes) : undefined),
  })
  assert.equal(read?.placed?.id, 7)
  assert.ok(data.equals(place))
  assert.equal(reader.totalBytes, bytes.length)
  assert.deepEqual(
    waitingSince,
    waitingSince.map((_, i) => (i + 1) * 1_000),
  )
  assert.equal(reader.waitingSinceMs, undefined)
})

test('a connection that ends during a direct read fails with a protocol error', async () => {
  const bytes = Buffer.concat(
    writeFrame('Response', writeResponse(7, { kind: 'data', data: Buffer.alloc(500) }), 'never'),
  )
  const reader = new ByteReader({ read: async () => bytes.subarray(0, 100), readInto: async () => false }, () => 0)
  await assert.rejects(readFrame(reader, { ...NO_LISTENER, bufferFor: () => new Uint8Array(500) }), ProtocolError)
})
