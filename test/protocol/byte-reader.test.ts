import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ByteReader } from '../../src/protocol/byte-reader.ts'

const ENDED = { name: 'ProtocolError', kind: 'malformed' }

/** A reader of these chunks; an empty chunk is no end. */
function readerOf(...chunks: readonly string[]): ByteReader {
  const left = chunks.map((chunk) => Buffer.from(chunk))
  return new ByteReader({ read: async () => left.shift() }, () => 7)
}

async function text(bytes: Uint8Array | Promise<Uint8Array>): Promise<string> {
  return Buffer.from(await bytes).toString()
}

async function fill(reader: ByteReader, target: Uint8Array): Promise<void> {
  await reader.fill(target)
}

describe('bytes from a stream', () => {
  it('are taken in order, for any chunks', async () => {
    for (const chunks of [['abcdefghi'], ['abc', 'def', 'ghi'], ['a', '', 'bcdefgh', 'i'], [...'abcdefghi']]) {
      const reader = readerOf(...chunks)
      const parts = [
        await text(reader.take(2)),
        await text(reader.take(0)),
        await text(reader.take(4)),
        await text(reader.take(3)),
      ]
      assert.deepEqual(parts, ['ab', '', 'cdef', 'ghi'], chunks.join('|'))
      assert.equal(reader.totalBytes, 9)
      assert.equal(await reader.hasMore(), false)
    }
  })

  it('are returned at once when they are buffered', async () => {
    const reader = readerOf('abcd')
    assert.equal(await reader.hasMore(), true)
    assert.equal(reader.hasMore(), true)
    assert.ok(reader.take(3) instanceof Uint8Array)
    assert.ok(reader.take(1) instanceof Uint8Array)
    const missing = reader.take(1)
    assert.ok(missing instanceof Promise)
    await assert.rejects(missing, ENDED)
  })

  it('are shown without being consumed', async () => {
    const reader = readerOf('ab', 'cd')
    assert.equal(await text(reader.peek()), 'ab')
    assert.equal(await text(reader.take(1)), 'a')
    assert.equal(await text(reader.peek()), 'b')
    assert.equal(await text(reader.take(1)), 'b')
    assert.equal(await text(reader.peek()), 'cd')
  })

  it('are skipped across chunks', async () => {
    const reader = readerOf('abc', 'def', 'ghi')
    await reader.take(1)
    await reader.discard(0)
    await reader.discard(6)
    assert.equal(await text(reader.take(2)), 'hi')
  })

  it('fill a buffer across chunks, and not beyond it', async () => {
    const reader = readerOf('abc', 'def', 'ghi')
    await reader.take(1)
    const target = new Uint8Array(5)
    await fill(reader, target)
    assert.equal(await text(target), 'bcdef')
    assert.equal(await text(reader.take(3)), 'ghi')
  })

  it('of a large number are gathered as they arrive', async () => {
    const chunk = Buffer.alloc(100_000).map((_, index) => index % 251)
    const left = Array.from({ length: 11 }, () => chunk)
    const reader = new ByteReader({ read: async () => left.shift() }, () => 0)
    await reader.take(1)
    const taken = await reader.take(1_000_000)
    const all = Buffer.concat(Array.from({ length: 11 }, () => chunk))
    assert.ok(Buffer.from(taken).equals(all.subarray(1, 1_000_001)))
  })

  it('that end too early are malformed', async () => {
    await assert.rejects(async () => readerOf('ab').take(3), ENDED)
    await assert.rejects(async () => readerOf('ab').discard(3), ENDED)
    await assert.rejects(fill(readerOf('ab'), new Uint8Array(3)), ENDED)
    await assert.rejects(async () => readerOf('').peek(), ENDED)
  })
})

describe('the time of waiting', () => {
  it('is that of the pending read, and none otherwise', async () => {
    let nowMs = 5
    const pending = Promise.withResolvers<Uint8Array | undefined>()
    const reader = new ByteReader({ read: () => pending.promise }, () => nowMs)
    assert.equal(reader.waitingSinceMs, undefined)
    const taken = reader.take(1)
    nowMs = 9
    assert.equal(reader.waitingSinceMs, 5)
    pending.resolve(Buffer.from('a'))
    await taken
    assert.equal(reader.waitingSinceMs, undefined)
  })

  it('begins again with every byte of a direct read', async () => {
    let nowMs = 1
    const seen: (number | undefined)[] = []
    const readInto = async (target: Uint8Array, onBytes: (count: number) => void) => {
      seen.push(reader.waitingSinceMs)
      nowMs = 3
      target.fill(0x61)
      onBytes(target.length)
      seen.push(reader.waitingSinceMs)
      return true
    }
    const reader: ByteReader = new ByteReader({ read: async () => undefined, readInto }, () => nowMs)
    const target = new Uint8Array(4)
    await fill(reader, target)
    assert.deepEqual([seen, reader.waitingSinceMs, reader.totalBytes], [[1, 3], undefined, 4])
    const ended = new ByteReader({ read: async () => undefined, readInto: async () => false }, () => nowMs)
    await assert.rejects(fill(ended, target), ENDED)
    assert.equal(ended.waitingSinceMs, undefined)
  })
})
