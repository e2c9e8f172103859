import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nodeProcess } from '../../../src/platform/node/process.ts'
import { residentBytesMin } from '../../support/resident-memory.ts'

test('figures: what every process has, and counters that only grow', () => {
  const before = nodeProcess.figures()
  assert.ok(
    before.cpuS > 0 && before.residentBytes >= residentBytesMin() && before.heapUsedBytes <= before.heapTotalBytes,
  )
  const after = nodeProcess.figures()
  assert.ok(after.cpuS >= before.cpuS && after.loopBusyS >= before.loopBusyS && after.loopIdleS >= before.loopIdleS)
})

test('figures start no timer that wakes the process up', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => /Timeout|Histogram|ELD/i.test(name)).length
  const before = timers()
  for (let round = 0; round < 3; round++) nodeProcess.figures()
  assert.equal(timers(), before)
  const countBefore = nodeProcess.figures().loopCount
  // The first one may still belong to the round that runs.
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve))
  assert.ok(nodeProcess.figures().loopCount > countBefore)
})

test('a CPU profile names the function that kept the processor busy', async () => {
  const signal = new AbortController().signal
  const stop = new AbortController()
  const busy = async () => {
    while (!stop.signal.aborted) {
      spinForProfile()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const working = busy()
  const profile = await nodeProcess.profile('cpu', 500, signal)
  stop.abort()
  await working
  assert.ok(profile.durationMs >= 400)
  // The engine may have put one into the other.
  assert.ok(profile.nodes.some(({ name, amount }) => /^(spinForProfile|busy)$/.test(name) && amount > 0))
  for (const [i, { parent }] of profile.nodes.entries()) assert.ok(parent === undefined || parent < i)
})

test('a heap profile has frames and bytes', async () => {
  const kept: unknown[] = []
  const taking = nodeProcess.profile('heap', 100, new AbortController().signal)
  for (let i = 0; i < 50; i++) {
    kept.push(Array.from({ length: 20_000 }, (_none, j) => ({ j })))
    await new Promise((resolve) => setImmediate(resolve))
  }
  const profile = await taking
  assert.ok(profile.nodes.reduce((sum, { amount }) => sum + amount, 0) > 0)
  assert.equal(kept.length, 50)
})

test('one profile at a time; an abort ends it', async () => {
  const leaving = new AbortController()
  const first = nodeProcess.profile('cpu', 60_000, leaving.signal)
  await assert.rejects(nodeProcess.profile('heap', 1, new AbortController().signal), { code: 'EBUSY' })
  leaving.abort(new Error('gone'))
  await assert.rejects(first, { message: 'gone' })
  await nodeProcess.profile('cpu', 1, new AbortController().signal)
})

function spinForProfile(): number {
  let sum = 0
  for (let i = 0; i < 300_000; i++) sum += Math.sqrt(i)
  return sum
}
