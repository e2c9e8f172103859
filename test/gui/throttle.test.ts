import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Throttle } from '../../gui/base/throttle.ts'

/** A manual clock, and requests that are settled manually. */
function setup() {
  let nowMs = 0
  let scheduled: { readonly run: () => void; readonly atMs: number }[] = []
  const pending: (() => void)[] = []
  const throttle = new Throttle(() => new Promise((resolve) => pending.push(resolve)), 1_000, {
    nowMs: () => nowMs,
    schedule: (run, delayMs) => void scheduled.push({ run, atMs: nowMs + delayMs }),
  })
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  return {
    throttle,
    runs: () => pending.length,
    settle: async () => {
      pending.at(-1)?.()
      await settle()
    },
    pass: async (timeMs: number) => {
      nowMs += timeMs
      const due = scheduled.filter(({ atMs }) => atMs <= nowMs)
      scheduled = scheduled.filter(({ atMs }) => atMs > nowMs)
      for (const { run } of due) run()
      await settle()
    },
  }
}

test('the first request runs immediately', () => {
  const { throttle, runs } = setup()
  throttle.request()
  assert.equal(runs(), 1)
})

test('never two runs at once: requests made meanwhile lead to one run afterwards', async () => {
  const { throttle, runs, settle, pass } = setup()
  throttle.request()
  for (let times = 0; times < 50; times++) throttle.request()
  await pass(10_000)
  assert.equal(runs(), 1)
  await settle()
  assert.equal(runs(), 1, 'not immediately after the reply')
  await pass(1_000)
  assert.equal(runs(), 2)
  await settle()
  await pass(10_000)
  assert.equal(runs(), 2, 'no third was requested')
})

test('a request long after the last run is not delayed', async () => {
  const { throttle, runs, settle, pass } = setup()
  throttle.request()
  await settle()
  await pass(5_000)
  throttle.request()
  assert.equal(runs(), 2)
})

test('an urgent request is not delayed, and the planned run does not happen twice', async () => {
  const { throttle, runs, settle, pass } = setup()
  throttle.request()
  await settle()
  throttle.request()
  assert.equal(runs(), 1)
  throttle.requestNow()
  assert.equal(runs(), 2)
  throttle.requestNow()
  await settle()
  assert.equal(runs(), 3, 'right after the one that was running')
  await settle()
  await pass(10_000)
  assert.equal(runs(), 3)
})
