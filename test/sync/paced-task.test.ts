import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PacedTask } from '../../src/sync/paced-task.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'

const PAUSE_MS = 1_000

function paced() {
  const clock = new SimClock()
  const runsMs: number[] = []
  const task = new PacedTask(clock, {
    pauseMs: PAUSE_MS,
    run: async () => {
      runsMs.push(clock.monotonicMs() - startMs)
      await Promise.resolve()
    },
  })
  const startMs = clock.monotonicMs()
  return { clock, task, runsMs }
}

async function settle(): Promise<void> {
  for (let round = 0; round < 20; round++) await Promise.resolve()
}

test('the first run is immediate, later ones follow a pause, and many requests are one run', async () => {
  const { clock, task, runsMs } = paced()
  for (let elapsedMs = 0; elapsedMs < 2_500; elapsedMs += 10) {
    task.want()
    await clock.advance(10, settle)
  }
  await clock.advance(5_000, settle)
  assert.deepEqual(runsMs, [0, 1_000, 2_000, 3_000])
  assert.equal(clock.sleepingCount, 0)
  task.want()
  await settle()
  assert.equal(runsMs.length, 5, 'after a long pause it runs immediately')
})

test('settled skips the pause and waits for the requested run', async () => {
  const { clock, task, runsMs } = paced()
  await task.settled()
  assert.deepEqual(runsMs, [], 'no run was requested')
  task.want()
  await settle()
  task.want()
  await settle()
  assert.equal(clock.sleepingCount, 1)
  await task.settled()
  assert.deepEqual(runsMs, [0, 0])
  task.want()
  const both = Promise.all([task.settled(), task.settled()])
  task.want()
  await both
  assert.equal(runsMs.length, 3, 'requests before the start are merged into one run')
  assert.equal(clock.sleepingCount, 0)
})
