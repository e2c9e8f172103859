/** A whole device in a simulated platform: the production code on a simulated clock. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EXIT } from '../../src/main/args/options.ts'
import type { SimPlatform } from '../../src/platform/sim/platform.ts'
import { request, settle, startDevice } from '../support/sim-daemon.ts'

const HOUR_MS = 3_600_000

async function call(platform: SimPlatform, method: string, target: string, body = ''): Promise<string> {
  const { status, text } = await request(platform, method, target, body)
  assert.equal(status, 200, text)
  return text
}

/** What a device did during a day of hourly rescans with an edit in it. */
async function runOneDay(
  seed: number,
): Promise<{ log: readonly string[]; events: string; status: string; code: number }> {
  const { platform, stop, done } = await startDevice(seed)
  await call(
    platform,
    'POST',
    '/rest/config/folders',
    JSON.stringify({ id: 'docs', path: '/data/docs', rescanIntervalS: 3600, fsWatcherEnabled: false }),
  )
  await platform.clock.advance(12 * HOUR_MS, settle)
  platform.disk.put('/data/docs/letter.txt', 'Dear reader, and all the others')
  await platform.clock.advance(12 * HOUR_MS, settle)
  const events = await call(platform, 'GET', '/rest/events?timeout=0')
  const status = await call(platform, 'GET', '/rest/db/status?folder=docs')
  stop.abort()
  for (let turn = 0; turn < 20; turn++) await settle()
  const code = await done
  return { log: platform.lines.files.get('-') ?? [], events, status, code }
}

test('a whole device runs for a simulated day: hourly rescans, an edit found, a clean stop', async () => {
  const day = await runOneDay(1)
  assert.equal(day.code, EXIT.success)
  assert.match(day.status, /"localFiles": 2,/)
  const scans = day.events.match(/"to": "scanning"/g)?.length ?? 0
  assert.ok(scans >= 19 && scans <= 33, `${scans} scans in 24 hours, jittered between 45 and 75 minutes`)
  assert.equal(day.events.match(/"letter.txt"/g)?.length, 2, 'found at first and after the edit')
  assert.match(day.log.at(-1) ?? '', /stopped/)
})

test('two runs of one seed are equal, those of different seeds differ', async () => {
  const [first, second, other] = [await runOneDay(7), await runOneDay(7), await runOneDay(8)]
  assert.deepEqual(first, second)
  assert.notDeepEqual(first.events, other.events)
})
