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
        const arrivals = new ReceiveBuffer()
        let next = 0
        const put = (): boolean => {
          const size = pieces.shift()
          if (size === undefined) return false
          arrivals.put(Uint8Array.from({ length: size }, () => next++))
          return true
        }
        const taken: number[] = []
        for (const [byFilling, size] of wants) {
          if (!byFilling) taken.push(...(arrivals.take() ?? []))
          else {
            const target =
              size % 2 === 0 ? new Uint8Array(size) : new Uint8Array(new SharedArrayBuffer(size + 2), 1, size)
            const told = { bytes: 0 }
            const filled = arrivals.readInto(target, (count) => void (told.bytes += count))
            while (told.bytes < size && put()) assert.ok(told.bytes === size || arrivals.bytes === 0)
            if (told.bytes < size) arrivals.end()
            assert.equal(await filled, told.bytes === size)
            taken.push(...target.subarray(0, told.bytes))
          }
          put()
        }
        for (let piece = arrivals.take(); piece !== undefined; piece = arrivals.take()) taken.push(...piece)
        assert.equal(arrivals.bytes, 0)
        assert.deepEqual(
          taken,
          Array.from({ length: next }, (_, at) => at & 0xff),
        )
      },
    ),
  )
})

test('the memory of a piece that was copied is free at once; of one that others may look at it is not', async () => {
  const arrivals = new ReceiveBuffer()
  const [own, shared] = [new Uint8Array(8).fill(1), new Uint8Array(16).fill(2)]
  const filled = arrivals.readInto(new Uint8Array(16), () => {})
  arrivals.put(own)
  arrivals.put(shared.subarray(8))
  assert.equal(await filled, true)
  assert.equal(own.length, 0)
  assert.equal(shared.length, 16)
})

test('who waits when all is over hears how it ended', async () => {
  const arrivals = new ReceiveBuffer()
  const first = arrivals.readInto(new Uint8Array(1), () => {})
  arrivals.end()
  assert.equal(await first, false)
  const second = arrivals.readInto(new Uint8Array(1), () => {})
  arrivals.end(new Error('lost'))
  await assert.rejects(second, /lost/)
  arrivals.end() // nobody waits: nothing happens
})
