import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { BURST_BYTES, delayMs, fullBucket, takeBytes, withRate } from '../../../src/core/network/rate.ts'

test('invariant: over any period at most the rate passes, plus the burst and one write', () => {
  const piece = fc.integer({ min: 1, max: 100_000 })
  fc.assert(
    fc.property(
      fc.integer({ min: 1_024, max: 10_000_000 }),
      fc.array(piece, { minLength: 1, maxLength: 200 }),
      (bytesPerS, pieces) => {
        let bucket = fullBucket(bytesPerS, 0)
        let nowMs = 0
        let sent = 0
        for (const bytes of pieces) {
          nowMs += delayMs(bucket, nowMs)
          assert.equal(delayMs(bucket, nowMs), 0, 'the wait was long enough')
          bucket = takeBytes(bucket, bytes, nowMs)
          sent += bytes
          assert.ok(sent <= BURST_BYTES + (bytesPerS * nowMs) / 1_000 + bytes, `${sent} bytes in ${nowMs} ms`)
        }
        // And not much less: each wait is rounded up to a millisecond.
        assert.ok(sent >= (bytesPerS * (nowMs - pieces.length)) / 1_000 - 1)
      },
    ),
  )
})

test('without a limit there is no delay', () => {
  const bucket = takeBytes(fullBucket(0, 0), 1e12, 0)
  assert.equal(delayMs(bucket, 0), 0)
})

test('an idle period accumulates at most one burst', () => {
  let bucket = takeBytes(fullBucket(1_000, 0), BURST_BYTES, 0)
  bucket = takeBytes(bucket, BURST_BYTES, 1e9)
  assert.ok(delayMs(bucket, 1e9) > 0)
})

test('a new rate applies at once, in both directions', () => {
  const indebted = takeBytes(fullBucket(10, 0), BURST_BYTES + 1_000_000, 0)
  assert.ok(delayMs(indebted, 0) > 90_000_000)
  assert.ok(delayMs(withRate(indebted, 1_000_000, 0), 0) <= 1)
  assert.equal(delayMs(withRate(indebted, 0, 0), 0), 0)
  const limited = withRate(fullBucket(0, 0), 10, 500)
  assert.ok(delayMs(takeBytes(limited, BURST_BYTES + 10, 500), 500) >= 1_000)
})

test('a clock that stops or goes back adds no bytes', () => {
  const empty = takeBytes(fullBucket(1_000, 1_000), BURST_BYTES, 1_000)
  assert.ok(delayMs(empty, 0) > 0)
})

test('a limit after none begins with a full burst, whatever was taken under an earlier limit', () => {
  const indebted = takeBytes(fullBucket(10, 0), BURST_BYTES + 1_000, 0)
  const limited = withRate(withRate(indebted, 0, 0), 10, 0)
  assert.equal(delayMs(takeBytes(limited, BURST_BYTES - 1, 0), 0), 0)
  assert.ok(delayMs(takeBytes(limited, BURST_BYTES, 0), 0) > 0)
})

test('the delay is until one byte is there, and at least a millisecond', () => {
  const empty = takeBytes(fullBucket(1_000, 0), BURST_BYTES, 0)
  assert.equal(delayMs(empty, 0), 1)
  assert.equal(delayMs(takeBytes(empty, 999, 0), 0), 1_000)
  assert.equal(delayMs(takeBytes(empty, 999, 0), 400), 600)
  assert.equal(delayMs(takeBytes(empty, 999, 0), 1_000), 0)
})

test('a burst is half a mebibyte', () => {
  assert.equal(BURST_BYTES, 524_288)
})

test('the smallest limit is one byte a second', () => {
  assert.equal(delayMs(takeBytes(fullBucket(1, 0), BURST_BYTES, 0), 0), 1_000)
})

test('the same rate again keeps what is owed; another rate keeps what is left', () => {
  const indebted = takeBytes(fullBucket(10, 0), BURST_BYTES + 1_000, 0)
  assert.equal(delayMs(withRate(indebted, 10, 0), 0), delayMs(indebted, 0))
  const empty = takeBytes(fullBucket(1, 0), BURST_BYTES, 0)
  assert.equal(delayMs(withRate(empty, 1_000, 0), 0), 1)
  assert.equal(delayMs(withRate(indebted, 1_000, 0), 0), 1)
})
