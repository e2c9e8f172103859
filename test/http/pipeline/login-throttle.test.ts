import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { LoginThrottle, TooManyLogins } from '../../../src/http/pipeline/login-throttle.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'

const NEVER = new AbortController().signal
const MINUTE_MS = 60_000

async function settle(): Promise<void> {
  for (let round = 0; round < 5; round++) await new Promise((resolve) => setImmediate(resolve))
}

/** A throttle whose random part of a delay is 40 ms. */
function makeThrottle() {
  const clock = new SimClock()
  const asked: number[] = []
  const random = { bytes: () => new Uint8Array(), int: (below: number) => (asked.push(below), 40) }
  const throttle = new LoginThrottle(clock, random)
  /** The times at which the check began and the attempt ended, in milliseconds from now. */
  const attempt = async (name: string, good: boolean): Promise<readonly [checked: number, ended: number]> => {
    const startMs = clock.monotonicMs()
    let checkedMs = -1
    const ended = { atMs: -1 }
    const check = async () => {
      checkedMs = clock.monotonicMs() - startMs
      return good
    }
    const running = throttle.attempt(name, check, NEVER).then((result) => {
      assert.equal(result, good)
      ended.atMs = clock.monotonicMs() - startMs
    })
    await settle()
    while (ended.atMs < 0) await clock.advance(10, settle)
    await running
    return [checkedMs, ended.atMs]
  }
  return { clock, throttle, attempt, asked }
}

describe('attempts of one source', () => {
  it('that fail take 100 to 200 ms; the first five delay no further attempt', async () => {
    const { attempt, asked } = makeThrottle()
    for (let failure = 1; failure <= 5; failure++) assert.deepEqual(await attempt('a', false), [0, 140])
    assert.deepEqual(await attempt('a', true), [0, 0])
    assert.deepEqual(new Set(asked), new Set([100]))
  })

  it('after five failures wait twice as long each time, up to fifteen seconds', async () => {
    const { attempt } = makeThrottle()
    for (let failure = 1; failure <= 6; failure++) await attempt('a', false)
    const waits: number[] = []
    for (let failure = 7; failure <= 14; failure++) waits.push((await attempt('a', false))[0])
    assert.deepEqual(waits, [500, 1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000])
  })

  it('are free again after one that succeeds, and do not delay another source', async () => {
    const { attempt } = makeThrottle()
    for (let failure = 1; failure <= 8; failure++) await attempt('a', false)
    assert.deepEqual(await attempt('b', false), [0, 140])
    const [checked] = await attempt('a', true)
    assert.ok(checked > 0)
    for (let failure = 1; failure <= 5; failure++) assert.deepEqual(await attempt('a', false), [0, 140])
    assert.deepEqual(await attempt('a', true), [0, 0])
  })

  it('are checked one after the other; the seventeenth that waits is refused with a time', async () => {
    const { clock, throttle } = makeThrottle()
    let running = 0
    let most = 0
    const check = async () => {
      most = Math.max(most, ++running)
      await clock.sleep(1_000, NEVER)
      running--
      return true
    }
    const waiting = Array.from({ length: 16 }, () => throttle.attempt('a', check, NEVER))
    await settle()
    const refused = assert.rejects(throttle.attempt('a', check, NEVER), { code: 'too-many-logins', retryAfterS: 1 })
    await clock.advance(139, settle)
    let isRefused = false
    void refused.then(() => (isRefused = true))
    await settle()
    assert.equal(isRefused, false, 'a refusal is delayed, too')
    await clock.advance(1, settle)
    await refused
    await clock.advance(16_000, settle)
    assert.deepEqual(
      await Promise.all(waiting),
      Array.from({ length: 16 }, () => true),
    )
    assert.equal(most, 1)
    const later = throttle.attempt('a', check, NEVER)
    await clock.advance(1_000, settle)
    assert.equal(await later, true, 'those that ended wait no more')
  })
})

describe('checks of all sources', () => {
  it('run two at a time, and at most 64 wait', async () => {
    const { clock, throttle } = makeThrottle()
    let running = 0
    let most = 0
    const check = async () => {
      most = Math.max(most, ++running)
      await clock.sleep(1_000, NEVER)
      running--
      return true
    }
    const all = Array.from({ length: 66 }, (_, index) => throttle.attempt(`source ${index}`, check, NEVER))
    await settle()
    const refused = assert.rejects(throttle.attempt('one more', check, NEVER), { retryAfterS: 5 })
    await clock.advance(140, settle)
    await refused
    await clock.advance(40_000, settle)
    assert.equal((await Promise.all(all)).length, 66)
    assert.equal(most, 2)
  })

  it('W-09: of sources with failures leave one place to those without, however many wait', async () => {
    const { clock, throttle, attempt } = makeThrottle()
    const guessers = Array.from({ length: 80 }, (_, index) => `guesser ${index}`)
    for (const name of guessers) await attempt(name, false)
    const slow = async () => {
      await clock.sleep(1_000, NEVER)
      return false
    }
    const guesses = Promise.allSettled(guessers.map((name) => throttle.attempt(name, slow, NEVER)))
    await clock.advance(140, settle)
    let isChecked = false
    const good = throttle.attempt('owner', async () => (isChecked = true), NEVER)
    await settle()
    assert.equal(isChecked, true, 'at once')
    assert.equal(await good, true)
    await clock.advance(100_000, settle)
    const refused = (await guesses).filter(({ status }) => status === 'rejected')
    assert.equal(refused.length, 80 - 65, 'one is checked and 64 wait')
  })

  it('that cannot be done are delayed and no failures', async () => {
    const { clock, throttle, attempt } = makeThrottle()
    for (let count = 1; count <= 10; count++) {
      const running = assert.rejects(
        throttle.attempt('a', () => Promise.reject(new Error('no thread')), NEVER),
        /no thread/,
      )
      await clock.advance(140, settle)
      await running
    }
    assert.deepEqual(await attempt('a', true), [0, 0])
  })
})

describe('sources', () => {
  it('are forgotten when there are a thousand: first those idle for ten minutes, then the oldest', async () => {
    const { clock, throttle, attempt } = makeThrottle()
    const fill = async (prefix: string, count: number) => {
      for (let index = 0; index < count; index++) await throttle.attempt(`${prefix}${index}`, async () => true, NEVER)
    }
    const wait = async (name: string) => (await attempt(name, true))[0]
    const fail = async (name: string) => {
      for (let failure = 1; failure <= 10; failure++) await attempt(name, false)
    }
    await fail('old')
    await fill('x', 998)
    await clock.advance(10 * MINUTE_MS - 20_000, settle)
    await fail('recent')
    await fill('y', 1)
    assert.equal((await wait('recent')) > 0, true, 'recent failures are known with a thousand sources')
    await clock.advance(30 * MINUTE_MS, settle)
    await fail('last')
    await fill('z', 999)
    assert.equal((await wait('last')) > 0, true, 'idle sources were forgotten, not this one')
    await fail('last')
    await fill('w', 1_000)
    assert.equal(await wait('last'), 0, 'of a thousand newer ones the oldest is forgotten')
  })
})

it('the time of a refusal is in whole seconds, at least one', () => {
  for (const [ms, seconds] of [
    [-5, 1],
    [0, 1],
    [1_000, 1],
    [1_001, 2],
    [15_000, 15],
  ] as const) {
    const error = new TooManyLogins(ms)
    assert.equal(error.retryAfterS, seconds)
    assert.equal(error.code, 'too-many-logins')
  }
})
