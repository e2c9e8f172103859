import { test } from 'node:test'
import assert from 'node:assert/strict'
import { ServiceTime } from '../../../src/model/peers/service-time.ts'

const BLOCK = 128 * 1_024

/** Serves requests one after the other, each in this time; returns the time after the last. */
function serve(device: ServiceTime, count: number, eachMs: number, startMs: number): number {
  let nowMs = startMs
  for (let i = 0; i < count; i++) {
    const open = device.opened(BLOCK, nowMs)
    nowMs += eachMs
    device.served(open, nowMs)
  }
  return nowMs
}

test('a fast device with many requests under way is expected to serve sooner than a slow one with none', () => {
  const [slow, fast] = [new ServiceTime(), new ServiceTime()]
  const nowMs = Math.max(serve(slow, 20, 50, 0), serve(fast, 20, 1, 0))
  for (let i = 0; i < 10; i++) fast.opened(BLOCK, nowMs)
  assert.ok(fast.expectedMs(nowMs) < slow.expectedMs(nowMs))
  for (let i = 0; i < 90; i++) fast.opened(BLOCK, nowMs)
  assert.ok(fast.expectedMs(nowMs) > slow.expectedMs(nowMs))
})

test('requests of unknown devices are divided among them, and each is measured', () => {
  const [busy, free] = [new ServiceTime(), new ServiceTime()]
  const open = busy.opened(BLOCK, 0)
  assert.ok(free.expectedMs(0) < busy.expectedMs(0))
  busy.failed(open)
  assert.equal(free.expectedMs(0), busy.expectedMs(0))
})

test('the time of a request that waited behind others does not count as slowness of the device', () => {
  const [queued, single] = [new ServiceTime(), new ServiceTime()]
  const open = Array.from({ length: 8 }, () => queued.opened(BLOCK, 0))
  open.forEach((request, place) => queued.served(request, (place + 1) * 10))
  serve(single, 8, 10, 0)
  const [a, b] = [queued.expectedMs(80), single.expectedMs(80)]
  assert.ok(Math.abs(a - b) < b * 0.01, `${a} and ${b} ms`)
})

test('a device that does not reply is expected to take at least as long as its oldest request', () => {
  const [silent, usual] = [new ServiceTime(), new ServiceTime()]
  serve(usual, 20, 50, 0)
  const first = silent.opened(BLOCK, 1_000)
  silent.opened(BLOCK, 3_000)
  assert.ok(silent.expectedMs(1_010) < usual.expectedMs(1_010))
  assert.equal(silent.expectedMs(4_000), 3_000)
  silent.failed(first)
  assert.equal(silent.expectedMs(4_000), 1_000)
})

test('a device that was slow once is tried again later', () => {
  const [slow, usual] = [new ServiceTime(), new ServiceTime()]
  serve(slow, 1, 2_000, 0)
  const nowMs = serve(usual, 20, 10, 2_000)
  assert.ok(slow.expectedMs(nowMs) > usual.expectedMs(nowMs))
  const laterMs = nowMs + 120_000
  serve(usual, 20, 10, laterMs)
  assert.ok(slow.expectedMs(laterMs + 200) < usual.expectedMs(laterMs + 200))
})
