import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../src/core/errors.ts'
import { LoginThrottle } from '../../src/http/pipeline/login-throttle.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { fakeHash, fakeRest, KEY } from './fakes.ts'

// Logins that cannot be checked: the reply has the reason, and they are not failed attempts.

const REASON = 'passwords cannot be checked or set: the package bcryptjs is missing; reinstall Twinfold'
const LOGIN = { method: 'POST', target: '/rest/noauth/auth/password', body: '{"username":"alice","password":"s3cret"}' }
const BASIC = { Authorization: `Basic ${Buffer.from('alice:s3cret').toString('base64')}` }

function setup() {
  const fault = { on: true }
  const result = <T>(value: T): Promise<T> =>
    fault.on ? Promise.reject(new TwinfoldError('password-unavailable', REASON)) : Promise.resolve(value)
  const passwords = {
    hash: (password: string) => result(fakeHash(password)),
    verify: (password: string, hash: string) => result(fakeHash(password) === hash),
  }
  return { fault, passwords }
}

test('a login that cannot be checked is 503 with the reason, and not a failed attempt', async () => {
  const { fault, passwords } = setup()
  const { call, emitted, logged, slept } = fakeRest({
    gui: { user: 'alice', password: fakeHash('s3cret') },
    deps: { passwords },
  })
  for (let i = 0; i < 20; i++) {
    const login = await call(LOGIN)
    assert.deepEqual([login.status, login.body], [503, `${REASON}\n`])
  }
  const basic = await call({ target: '/rest/system/ping', headers: BASIC })
  assert.deepEqual([basic.status, basic.body, basic.headers['set-cookie']], [503, `${REASON}\n`, undefined])
  assert.deepEqual([emitted, logged.filter((line) => /Wrong credentials/.test(line))], [[], []])
  assert.equal((await call({ target: '/rest/system/ping', headers: { 'X-API-Key': KEY } })).status, 200)

  fault.on = false
  slept.length = 0
  assert.equal((await call(LOGIN)).status, 204)
  assert.deepEqual(slept, [], 'an unchecked attempt delays no later one')
})

test('a password that cannot be hashed is refused with the reason, not as a wrong password', async () => {
  const { passwords } = setup()
  const { send, config } = fakeRest({ deps: { passwords } })
  const before = config.current
  for (const [method, path] of [
    ['PATCH', '/rest/config/gui'],
    ['PUT', '/rest/config/gui'],
  ] as const) {
    const result = await send(method, path, '{"user":"alice","password":"s3cret"}')
    assert.deepEqual([result.status, result.body], [503, `${REASON}\n`])
  }
  assert.equal(config.current, before)
})

test('at most 64 checks of all sources are queued; the next is refused with a reason', async () => {
  const clock = new SimClock()
  const throttle = new LoginThrottle(clock, new SimRandom(1))
  const { signal } = new AbortController()
  const gate = Promise.withResolvers<boolean>()
  let checks = 0
  const attempts = Array.from({ length: 100 }, (_, i) =>
    throttle.attempt(`source ${i}`, () => (checks++, gate.promise), signal),
  )
  const settled = Promise.allSettled(attempts)
  await clock.advance(1_000, () => new Promise((resolve) => setImmediate(resolve)))
  gate.resolve(true)
  const results = await settled
  const refused = results.filter((result) => result.status === 'rejected')
  assert.deepEqual([checks, refused.length], [66, 34])
  for (const { reason } of refused) assert.match(String(reason), /too many logins are waiting/)
})
