import assert from 'node:assert/strict'
import { test } from 'node:test'
import { supervise, type Service } from '../../src/sync/supervisor.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'

const HOUR_MS = 3_600_000

test('a failed service is restarted with a growing delay of up to a minute', async () => {
  const clock = new SimClock()
  const stop = new AbortController()
  const startsMs: number[] = []
  const failures: unknown[] = []
  const done = supervise(
    service(async () => {
      startsMs.push(clock.monotonicMs())
      throw new Error('again')
    }),
    clock,
    (error) => failures.push(error),
    stop.signal,
  )
  await clock.advance(400_000, settle)
  stop.abort()
  await done
  const gapsMs = startsMs.slice(1).map((at, i) => at - startsMs[i]!)
  assert.deepEqual(gapsMs.slice(0, 9), [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000])
  assert.equal(failures.length, startsMs.length)
  assert.equal(clock.sleepingCount, 0)
})

test('a long run resets the restart delay', async () => {
  const clock = new SimClock()
  const stop = new AbortController()
  const startsMs: number[] = []
  const done = supervise(
    service(async (signal) => {
      startsMs.push(clock.monotonicMs())
      if (startsMs.length === 5) await clock.sleep(HOUR_MS, signal)
      throw new Error('again')
    }),
    clock,
    () => {},
    stop.signal,
  )
  await clock.advance(HOUR_MS + 60_000, settle)
  stop.abort()
  await done
  assert.equal(startsMs[5]! - startsMs[4]!, HOUR_MS + 1_000)
})

test('a short run does not reset the restart delay', async () => {
  const clock = new SimClock()
  const stop = new AbortController()
  const startsMs: number[] = []
  const done = supervise(
    service(async (signal) => {
      startsMs.push(clock.monotonicMs())
      await clock.sleep(30_000, signal)
      throw new Error('again')
    }),
    clock,
    () => {},
    stop.signal,
  )
  await clock.advance(HOUR_MS, settle)
  stop.abort()
  await done
  assert.equal(startsMs.at(-1)! - startsMs.at(-2)!, 90_000)
})

test('a jump of the wall clock does not count as run time', async () => {
  const clock = new SimClock()
  const stop = new AbortController()
  const startsMs: number[] = []
  const done = supervise(
    service(async () => {
      startsMs.push(clock.monotonicMs())
      clock.jumpWall(HOUR_MS)
      throw new Error('again')
    }),
    clock,
    () => {},
    stop.signal,
  )
  await clock.advance(10_000, settle)
  stop.abort()
  await done
  assert.deepEqual(startsMs, [0, 1_000, 3_000, 7_000])
})

test('after an abort the supervisor ends after the service', async () => {
  const stop = new AbortController()
  const log: string[] = []
  const finish = Promise.withResolvers<void>()
  const done = supervise(
    service(async () => {
      await finish.promise
      log.push('service')
    }),
    new SimClock(),
    () => {},
    stop.signal,
  ).then(() => log.push('supervisor'))
  stop.abort()
  await settle()
  assert.deepEqual(log, [])
  finish.resolve()
  await done
  assert.deepEqual(log, ['service', 'supervisor'])
})

test('an error after the abort is no failure, and an abort ends the delay', async () => {
  const failures: unknown[] = []
  const stop = new AbortController()
  const onTheWayOut = supervise(
    service(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
    ),
    new SimClock(),
    (error) => failures.push(error),
    stop.signal,
  )
  const waiting = supervise(
    service(async () => {
      throw new Error('before')
    }),
    new SimClock(),
    (error) => failures.push(error),
    stop.signal,
  )
  await settle()
  stop.abort()
  await Promise.all([onTheWayOut, waiting])
  assert.equal(failures.length, 1)
})

test('a service that returns is not restarted; one aborted before is not started', async () => {
  let runs = 0
  const counted = service(async () => void runs++)
  await supervise(counted, new SimClock(), (error) => assert.fail(String(error)), new AbortController().signal)
  assert.equal(runs, 1)
  await supervise(counted, new SimClock(), (error) => assert.fail(String(error)), AbortSignal.abort())
  assert.equal(runs, 1)
})

function service(run: (signal: AbortSignal) => Promise<void>): Service {
  return { name: 'test', run }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
