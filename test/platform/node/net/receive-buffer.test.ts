import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ReceiveBuffer } from '../../../../src/platform/node/net/receive-buffer.ts'

test('bytes come out once and in order, however they come and however they are taken', async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(
      sizes,
      fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 60 })), { maxLength: 30 }),
      async (pieces, wants) => {
        const buffer = new ReceiveBuffer()
        let next = 0
        const put = (): boolean => {
          const size = pieces.shift()
          if (size === undefined) return false
          buffer.put(Uint8Array.from({ length: size }, () => next++))
          return true
        }
        const taken: number[] = []
        for (const [byFilling, size] of wants) {
          if (!byFilling) taken.push(...(buffer.take() ?? []))
          else {
            const target =
              size % 2 === 0 ? new Uint8Array(size) : new Uint8Array(new SharedArrayBuffer(size + 2), 1, size)
            const reported = { bytes: 0 }
            const filled = buffer.readInto(target, (count) => void (reported.bytes += count))
            while (reported.bytes < size && put()) assert.ok(reported.bytes === size || buffer.bytes === 0)
            if (reported.bytes < size) buffer.end()
            assert.equal(await filled, reported.bytes === size)
            taken.push(...target.subarray(0, reported.bytes))
          }
          put()
        }
        for (let piece = buffer.take(); piece !== undefined; piece = buffer.take()) taken.push(...piece)
        assert.equal(buffer.bytes, 0)
        assert.deepEqual(
          taken,
          Array.from({ length: next }, (_, at) => at & 0xff),
        )
      },
    ),
  )
})

test('the memory of a piece that was copied is free at once; of one that others may look at it is not', async () => {
  const buffer = new ReceiveBuffer()
  const [own, shared] = [new Uint8Array(8).fill(1), new Uint8Array(16).fill(2)]
  const filled = buffer.readInto(new Uint8Array(16), () => {})
  buffer.put(own)
  buffer.put(shared.subarray(8))
  assert.equal(await filled, true)
  assert.equal(own.length, 0)
  assert.equal(shared.length, 16)
})

test('a pending read gets the reason of the end', async () => {
  const buffer = new ReceiveBuffer()
  const first = buffer.readInto(new Uint8Array(1), () => {})
  buffer.end()
  assert.equal(await first, false)
  const second = buffer.readInto(new Uint8Array(1), () => {})
  buffer.end(new Error('lost'))
  await assert.rejects(second, /lost/)
  buffer.end() // no pending read: no effect
})
