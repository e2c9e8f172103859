import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ProgressMeter } from '../../src/scanner/progress.ts'
import type { ScanProgress } from '../../src/scanner/types.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { NEVER } from '../../src/core/never.ts'
import { LinkedAbort } from '../../src/sync/linked-abort.ts'
import { settle } from '../support/model.ts'

test('the rate is the average since the start, also after a first interval in which nothing was hashed', async () => {
  const clock = new SimClock()
  const reports: ScanProgress[] = []
  const meter = new ProgressMeter(clock, (progress) => reports.push(progress))
  meter.expect(10_000)
  for (const bytes of [0, 1_000, 1_000, 2_000]) {
    await clock.advance(2_000, settle)
    meter.advance(bytes)
    meter.report()
  }
  assert.deepEqual(
    reports.map(({ rate }) => Math.round(rate)),
    [0, 250, 333, 500],
  )
})

test('after a minute the rate follows the last minute', async () => {
  const clock = new SimClock()
  let rate = 0
  const meter = new ProgressMeter(clock, (progress) => (rate = progress.rate))
  meter.expect(1e9)
  const hash = async (seconds: number, bytesPerSecond: number) => {
    for (let second = 0; second < seconds; second++) {
      await clock.advance(1_000, settle)
      meter.advance(bytesPerSecond)
      meter.report()
    }
  }
  await hash(120, 1_000)
  assert.equal(Math.round(rate), 1_000)
  await hash(300, 10_000)
  assert.ok(rate > 9_900, `${rate}`)
})

test('reports begin with the first expected bytes: a scan that hashes nothing sets no timer', async () => {
  const clock = new SimClock()
  const reports: ScanProgress[] = []
  const meter = new ProgressMeter(clock, (progress) => reports.push(progress))
  using end = new LinkedAbort(NEVER)
  meter.runLater(2_000, end.signal)
  assert.equal(clock.sleepingCount, 0)
  meter.expect(10)
  meter.expect(10)
  assert.equal(clock.sleepingCount, 1)
  await clock.advance(4_000, settle)
  assert.equal(reports.length, 2)
})
