import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RequestMeter } from '../../../src/http/pipeline/meter.ts'

function makeMeter() {
  const time = { nowMs: 0 }
  const meter = new RequestMeter({ monotonicMs: () => time.nowMs })
  const request = (path: string, durationMs: number) => {
    const startedMs = meter.nowMs()
    time.nowMs += durationMs
    meter.count(path, startedMs)
  }
  return { time, meter, request }
}

test('counts, sums and percentiles by path, in order of paths', () => {
  const { meter, request } = makeMeter()
  for (let i = 1; i <= 100; i++) request('/b', i)
  request('/a', 7)
  const figures = meter.figures()
  assert.deepEqual([...figures.keys()], ['/a', '/b'])
  const { count, sumMs, percentilesMs } = figures.get('/b')!
  assert.deepEqual({ count, sumMs, percentilesMs }, { count: 100, sumMs: 5_050, percentilesMs: [51, 96, 100] })
})

test('percentiles are those of the latest requests; memory does not grow with their number', () => {
  const { meter, request } = makeMeter()
  for (let i = 0; i < 5_000; i++) request('/a', i < 4_000 ? 100 : 1)
  assert.deepEqual(meter.figures().get('/a')?.percentilesMs, [1, 1, 1])
})

test('a steady stream has its true rate, which decays without requests', () => {
  const { time, meter } = makeMeter()
  for (let i = 0; i < 36_000; i++) {
    time.nowMs += 100
    meter.count('/a', time.nowMs)
  }
  for (const rate of meter.figures().get('/a')!.ratesPerS) assert.ok(Math.abs(rate - 10) < 1, `${rate}`)
  time.nowMs += 3_600_000
  const [minute, , quarter] = meter.figures().get('/a')!.ratesPerS
  assert.ok(minute < 0.001 && quarter < 0.5)
})
