import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { SimClock } from '../../../src/platform/sim/clock.ts'

const NEVER = new AbortController().signal

test('sleepers wake in deadline order, FIFO on ties', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(5), { maxLength: 40 }), async (delays) => {
      const clock = new SimClock()
      const woken: number[] = []
      const sleeps = delays.map((delayMs, i) => clock.sleep(delayMs, NEVER).then(() => woken.push(i)))
      while (clock.step());
      await Promise.all(sleeps)
      const expected = delays.map((delayMs, i) => ({ delayMs, i })).sort((a, b) => a.delayMs - b.delayMs || a.i - b.i)
      assert.deepEqual(
        woken,
        expected.map(({ i }) => i),
      )
    }),
  )
})

test('for any sleeps, some aborted, the others wake in order and none remains', async () => {
  const sleeper = fc.record({ delayMs: fc.nat(20), abort: fc.boolean() })
  await fc.assert(
    fc.asyncProperty(fc.array(sleeper, { maxLength: 30 }), async (sleepers) => {
      const clock = new SimClock()
      const wokenMs: number[] = []
      const sleeps = sleepers.map(({ delayMs, abort }) => {
        const stop = new AbortController()
        const sleep = clock.sleep(delayMs, stop.signal).then(
          () => wokenMs.push(delayMs),
          () => {},
        )
        if (abort) stop.abort()
        return sleep
      })
      assert.equal(clock.sleepingCount, sleepers.filter(({ abort }) => !abort).length)
      while (clock.step());
      await Promise.all(sleeps)
      assert.deepEqual(
        wokenMs,
        sleepers
          .filter(({ abort }) => !abort)
          .map(({ delayMs }) => delayMs)
          .sort((a, b) => a - b),
      )
      assert.equal(clock.sleepingCount, 0)
    }),
  )
})

test('an aborted sleeper does not advance the time', () => {
  const clock = new SimClock()
  const stop = new AbortController()
  clock.sleep(1_000, stop.signal).catch(() => {})
  stop.abort()
  assert.equal(clock.step(), false)
  assert.equal(clock.monotonicMs(), 0)
})

test('a jump of the wall clock does not affect sleepers', async () => {
  const clock = new SimClock(0)
  const sleep = clock.sleep(1_000, NEVER)
  clock.jumpWall(-50_000)
  assert.equal(clock.nowMs(), -50_000)
  clock.step()
  await sleep
  assert.equal(clock.monotonicMs(), 1_000)
  assert.equal(clock.nowMs(), -49_000)
})

test('advance wakes all due sleepers, also repeated sleeps', async () => {
  const clock = new SimClock()
  const wokenMs: number[] = []
  const stop = new AbortController()
  const loop = (async () => {
    for (;;) {
      await clock.sleep(300, stop.signal)
      wokenMs.push(clock.monotonicMs())
    }
  })().catch(() => {})
  await clock.advance(1_000, () => new Promise((resolve) => setImmediate(resolve)))
  stop.abort()
  await loop
  assert.deepEqual(wokenMs, [300, 600, 900])
  assert.equal(clock.monotonicMs(), 1_000)
})
