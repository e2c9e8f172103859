/** Single frames: their exact bytes, and what the reader of frames reports while it reads them. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ByteReader } from '../../src/protocol/byte-reader.ts'
import { compress } from '../../src/protocol/compress.ts'
import { readFrame, unpackBody, writeFrame, type FrameListener } from '../../src/protocol/frame.ts'
import { ScriptedStream } from './scripted-stream.ts'
import { endlessSlice } from './slices.ts'
import { frame, NO_LISTENER } from './test-connection.ts'
import { field, LZ4, MIB } from './wire-parts.ts'

const RESPONSE = 4
const PING = frame(6, new Uint8Array(0))
const ID_7 = Buffer.from([0x08, 7])

/** A reader of a stream that ends after these bytes. */
function readerOf(...chunks: readonly Uint8Array[]): ByteReader {
  const stream = new ScriptedStream()
  stream.feed(...chunks)
  stream.end()
  return new ByteReader(stream, () => 0)
}

describe('a frame is written', () => {
  const hex = (pieces: readonly Uint8Array[]) => pieces.map((piece) => Buffer.from(piece).toString('hex'))

  it('with the lengths of its header and its message', () => {
    assert.deepEqual(hex(writeFrame('ClusterConfig', [new Uint8Array(0)], 'never')), ['000000000000'])
    assert.deepEqual(hex(writeFrame('Close', [Buffer.from('0a0162', 'hex')], 'never')), ['00020807000000030a0162'])
    assert.deepEqual(hex(writeFrame('Response', [ID_7, Buffer.from('ab')], 'never')), ['000208040000000408076162'])
    const packed = Buffer.concat(writeFrame('Index', [Buffer.alloc(5_000)], 'metadata'))
    assert.equal(packed.subarray(0, 6).toString('hex'), '000408011001')
    assert.equal(packed.readUInt32BE(6), packed.length - 10)
    assert.equal(packed.readUInt32BE(10), 5_000, 'the length before the compression')
  })

  it('compressed together with its second part', async () => {
    const [head, tail] = [Buffer.alloc(300, 'a'), Buffer.alloc(300, 'b')]
    const read = await readFrame(readerOf(...writeFrame('Response', [head, tail], 'always')), NO_LISTENER)
    assert.equal(read?.unpackedBytes, 600)
    assert.ok(Buffer.concat([head, tail]).equals(await unpackBody(read, endlessSlice())))
  })

  it('in one piece up to 16 KiB, and without a copy of the message above', () => {
    const count = (messageBytes: number) => writeFrame('Response', [new Uint8Array(messageBytes)], 'never').length
    assert.deepEqual([count(16_384 - 8), count(16_384 - 7)], [1, 2])
    const body = new Uint8Array(20_000)
    assert.equal(writeFrame('Response', [body], 'never')[1], body)
  })

  it('into the headroom if that is just enough', () => {
    const memory = Buffer.alloc(100_000)
    const pieces = (headroomBytes: number) =>
      writeFrame('Response', [ID_7, memory.subarray(64), headroomBytes], 'never').map(({ length }) => length)
    const frontBytes = 2 + 2 + 4 + ID_7.length
    assert.deepEqual(pieces(frontBytes - 1), [frontBytes, memory.length - 64])
    assert.deepEqual(pieces(frontBytes), [frontBytes + memory.length - 64])
    assert.equal(memory.subarray(64 - frontBytes, 64).toString('hex'), '00020804000186620807')
  })
})

describe('the reader of frames reports', () => {
  it('whether the peer is within a message', async () => {
    const reported: boolean[] = []
    const listener: FrameListener = { ...NO_LISTENER, onProgress: (midFrame) => reported.push(midFrame) }
    const reader = readerOf(PING, frame(42, Buffer.alloc(10)), PING)
    await readFrame(reader, listener)
    assert.deepEqual(reported.splice(0), [false, true])
    await readFrame(reader, listener)
    assert.deepEqual(reported.splice(0), [false, true, false, true], 'a message of an unknown type is one, too')
    assert.equal(await readFrame(reader, listener), undefined)
    assert.deepEqual(reported, [false])
  })

  it('the memory of a message before it is read, and gives it back if that fails', async () => {
    const reserved: number[] = []
    let released = 0
    const reserve = async (lengthBytes: number): Promise<Disposable> => {
      reserved.push(lengthBytes)
      return { [Symbol.dispose]: () => void released++ }
    }
    const listener: FrameListener = { ...NO_LISTENER, reserve }
    const body = Buffer.alloc(300)
    const read = await readFrame(readerOf(frame(6, body)), listener)
    assert.deepEqual([reserved.splice(0), released, read?.reserved !== undefined], [[300], 0, true])
    await assert.rejects(readFrame(readerOf(frame(6, body).subarray(0, -1)), listener), /ended within a message/)
    assert.deepEqual([reserved.splice(0), released], [[300], 1])
    await assert.rejects(readFrame(readerOf(frame(6, Buffer.alloc(3), LZ4)), listener), /without its length/)
    assert.equal(released, 2)
  })

  it('which Response arrives, if its data can be placed', async () => {
    const asked: (readonly [number, number])[] = []
    const place = new Uint8Array(4)
    const bufferFor = (id: number, dataBytes: number) => {
      asked.push([id, dataBytes])
      return place.subarray(0, dataBytes)
    }
    const listener: FrameListener = { ...NO_LISTENER, bufferFor }
    const body = Buffer.concat([ID_7, field(2, Buffer.from('data'))])
    const read = await readFrame(readerOf(frame(RESPONSE, body)), listener)
    assert.deepEqual([asked.splice(0), read?.placed?.id, read?.body.length], [[[7, 4]], 7, 0])
    assert.equal(Buffer.from(place).toString(), 'data')
    for (const [what, bytes] of [
      ['a Response without content', frame(RESPONSE, new Uint8Array(0))],
      ['a compressed Response', frame(RESPONSE, compress(Buffer.alloc(500))!, LZ4)],
      ['a compressed Response that looks like another', frame(RESPONSE, body, LZ4)],
      ['a Request', frame(3, body)],
    ] as const) {
      const outcome = await readFrame(readerOf(bytes), listener).catch(() => undefined)
      assert.deepEqual([asked.splice(0), outcome?.placed], [[], undefined], what)
    }
    const other = await readFrame(readerOf(frame(RESPONSE, new Uint8Array(0))), listener)
    assert.deepEqual([other?.type, other?.body.length], ['Response', 0])
  })

  it('a Response that is not placed as any other message', async () => {
    const body = Buffer.concat([ID_7, field(2, Buffer.from('data'))])
    const read = await readFrame(readerOf(frame(RESPONSE, body)), NO_LISTENER)
    assert.deepEqual([read?.placed, Buffer.from(read?.body ?? []).toString('hex')], [undefined, body.toString('hex')])
  })
})

describe('a compressed message', () => {
  it('has the length that it claims, up to the limit of its type', async () => {
    const claiming = (lengthBytes: number) => {
      const packed = Buffer.alloc(4 + Math.ceil(lengthBytes / 255))
      packed.writeUInt32BE(lengthBytes)
      return readerOf(frame(6, packed, LZ4))
    }
    assert.equal((await readFrame(claiming(MIB), NO_LISTENER))?.unpackedBytes, MIB)
    await assert.rejects(readFrame(claiming(MIB + 1), NO_LISTENER), /claims 1048577 bytes/)
    assert.equal((await readFrame(readerOf(PING), NO_LISTENER))?.unpackedBytes, undefined)
  })

  it('is unpacked within the limit of its type', async () => {
    const body = compress(Buffer.alloc(MIB + 1))!
    await assert.rejects(unpackBody({ type: 'Ping', body, unpackedBytes: 1 }, endlessSlice()), /claims/)
    assert.equal((await unpackBody({ type: 'Index', body, unpackedBytes: 1 }, endlessSlice())).length, MIB + 1)
    assert.equal(await unpackBody({ type: 'Ping', body }, endlessSlice()), body, 'not one that was sent as it is')
  })
})
