import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import type { OptionsConfig } from '../../src/core/config/config.ts'
import { TwinfoldError } from '../../src/core/errors.ts'
import type { Logger } from '../../src/events/types.ts'
import { UpgradeChecker } from '../../src/upgrade/checker.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimHttpClient } from '../../src/platform/sim/http-client.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { FakeConfigStore, fakeConfig } from '../http/fakes.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const SOURCE = 'http://127.0.0.1:4873/twinfold'

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await setImmediate()
}

/** A checker on the simulated platform, with a registry whose latest release a test can change. */
async function stage(given: Partial<OptionsConfig> = {}, allowed = true) {
  const clock = new SimClock()
  const web = new SimHttpClient(clock)
  const registry = { latest: '1.1.0', status: 200, askedMs: [] as number[] }
  await web.listen({ address: '127.0.0.1:4873' }, ({ target }) => {
    if (target !== '/twinfold') {
      return {
        status: 200,
        headers: {},
        body: JSON.stringify({ twinfold: { changes: [{ version: registry.latest, text: 'Better' }] } }),
      }
    }
    registry.askedMs.push(clock.monotonicMs())
    return {
      status: registry.status,
      headers: {},
      body: JSON.stringify({ 'dist-tags': { latest: registry.latest }, versions: { [registry.latest]: {} } }),
    }
  })
  const base = fakeConfig()
  const config = new FakeConfigStore({
    ...base,
    options: { ...base.options, autoUpgradeIntervalH: 12, releasesURL: SOURCE, ...given },
  })
  const set = (options: Partial<OptionsConfig>) =>
    config.change((current) => ({ ...current, options: { ...current.options, ...options } }))
  const logged: string[] = []
  const note = (line: string) => void logged.push(line)
  const log: Logger = { facility: 'upgrade', debug: () => {}, info: note, warn: note, error: note }
  const installation = {
    kind: 'npm',
    upgradeCommand: (version: string) => `npm install -g twinfold@${version}`,
  } as const
  const checker = new UpgradeChecker(
    { clock, random: new SimRandom(1), http: web, config, log, environment: () => undefined },
    { running: 'v1.0.0', allowed, installation },
  )
  const stop = new AbortController()
  const running = checker.run(stop.signal)
  const pass = (byMs: number) => clock.advance(byMs, settle)
  const end = async () => {
    stop.abort()
    await running
    await settle()
    assert.equal(clock.sleepingCount, 0)
  }
  return { checker, clock, registry, config, set, logged, pass, end }
}

test('checks shortly after the start, then at the configured interval with a jitter of a tenth', async () => {
  const { checker, registry, logged, pass, end } = await stage()
  await pass(29_000)
  assert.deepEqual(registry.askedMs, [])
  await pass(10 * 12 * 1.1 * HOUR_MS)
  assert.ok(registry.askedMs.length >= 11 && registry.askedMs.length <= 13, `${registry.askedMs.length} times`)
  const gaps = registry.askedMs.slice(1).map((ms, i) => (ms - registry.askedMs[i]!) / HOUR_MS)
  assert.ok(
    gaps.every((gap) => gap >= 10.8 && gap <= 13.2),
    gaps.join(),
  )
  assert.ok(new Set(gaps).size > 5, 'the intervals differ')
  assert.deepEqual(
    logged,
    ['Twinfold v1.1.0 is available, this is v1.0.0; to upgrade: npm install -g twinfold@1.1.0'],
    'logged once',
  )
  const { release, command, checks, error } = checker.state()
  assert.deepEqual(
    { release, command, checks, error },
    {
      release: { version: '1.1.0', relation: 'newer', changes: [{ version: '1.1.0', text: 'Better' }] },
      command: 'npm install -g twinfold@1.1.0',
      checks: 'on',
      error: '',
    },
  )
  await end()
})

for (const [why, options, allowed, checks] of [
  ['off in the configuration', { autoUpgradeIntervalH: 0 }, true, 'off'],
  ['forbidden at the start', {}, false, 'forbidden'],
] as const) {
  test(`${why}: no request is sent`, async () => {
    const { checker, registry, pass, end } = await stage(options, allowed)
    await pass(100 * 24 * HOUR_MS)
    await assert.rejects(checker.check(), (error) => error instanceof TwinfoldError && error.code === 'upgrade-off')
    assert.deepEqual(registry.askedMs, [])
    assert.deepEqual([checker.state().checks, checker.state().command], [checks, 'npm install -g twinfold@latest'])
    await end()
  })
}

test('when enabled it checks soon; when disabled it discards the result and sends no request', async () => {
  const { checker, registry, set, pass, end } = await stage({ autoUpgradeIntervalH: 0 })
  await pass(HOUR_MS)
  await set({ autoUpgradeIntervalH: 6 })
  await pass(2 * MINUTE_MS)
  assert.equal(registry.askedMs.length, 1)
  assert.equal(checker.state().release?.version, '1.1.0')
  await set({ autoUpgradeIntervalH: 0 })
  assert.deepEqual([checker.state().release, checker.state().checkedMs], [undefined, undefined])
  await pass(24 * HOUR_MS)
  assert.equal(registry.askedMs.length, 1)
  await set({ autoUpgradeIntervalH: 6 })
  assert.equal(checker.state().release, undefined, 'switched on again it begins anew')
  await end()
})

test('a shorter interval takes effect immediately', async () => {
  const { registry, set, pass, end } = await stage({ autoUpgradeIntervalH: 1_000 })
  await pass(2 * HOUR_MS)
  await set({ autoUpgradeIntervalH: 1 })
  await pass(4 * HOUR_MS)
  assert.ok(registry.askedMs.length >= 4, `${registry.askedMs.length} times`)
  await end()
})

test('frequent checks return the cached result; a failure is retried sooner', async () => {
  const { checker, registry, pass, end } = await stage()
  const [one, other] = await Promise.all([checker.check(), checker.check()])
  assert.deepEqual([one.release, registry.askedMs.length], [other.release, 1])
  await pass(9 * MINUTE_MS)
  const before = registry.askedMs.length
  await checker.check()
  assert.equal(registry.askedMs.length, before)
  await pass(11 * MINUTE_MS)
  registry.status = 500
  await assert.rejects(checker.check(), /HTTP status 500/)
  await assert.rejects(checker.check(), /HTTP status 500/)
  const failures = registry.askedMs.length
  assert.deepEqual(
    [checker.state().release?.version, /status 500/.test(checker.state().error)],
    ['1.1.0', true],
    'the earlier result is kept',
  )
  registry.status = 200
  await pass(2 * MINUTE_MS)
  await checker.check()
  assert.equal(registry.askedMs.length, failures + 1)
  assert.equal(checker.state().error, '')
  await end()
})

test('a forbidden address is reported and not contacted', async () => {
  const { checker, registry, end } = await stage({ releasesURL: 'http://npm.example/twinfold' })
  await assert.rejects(checker.check(), /must be the https address of a package/)
  assert.deepEqual([registry.askedMs.length, checker.state().source], [0, undefined])
  await end()
})

test('another registry discards the result', async () => {
  const { checker, set, end } = await stage()
  await checker.check()
  await set({ releasesURL: 'http://127.0.0.1:9/twinfold' })
  assert.equal(checker.state().release, undefined)
  await assert.rejects(checker.check(), /ECONNREFUSED/)
  await end()
})

test('a stop cancels a request in progress', async () => {
  const { checker, clock, end } = await stage()
  const checking = checker.check().catch((error: unknown) => error)
  await end()
  await checking
  assert.equal(clock.sleepingCount, 0)
})
