/** The tokens of the page. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CsrfTokens } from '../../../src/http/pipeline/csrf.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { fakeRest, SHORT } from '../fakes.ts'

const DAY_MS = 24 * 3_600_000

function setup(seed = 1) {
  const rest = fakeRest()
  const make = (each = seed) => new CsrfTokens({ ...rest.deps, random: new SimRandom(each) })
  return { ...rest, make }
}

test('loading the page any number of times invalidates no token of another page', async () => {
  const { call } = fakeRest()
  const name = `CSRF-Token-${SHORT}`
  const page = await call({ target: '/' })
  const token = new RegExp(`${name}=([^;]+)`).exec(String(page.headers['set-cookie']))?.[1] ?? ''
  for (let i = 0; i < 200; i++) await call({ target: '/' })
  assert.equal((await call({ target: '/rest/system/ping', headers: { [`X-${name}`]: token } })).status, 200)
})

test('a token is valid for thirty days, and none is issued in the future', () => {
  const { make, time } = setup()
  const tokens = make()
  const token = tokens.make()
  assert.equal(token.length, 64)
  time.nowMs += 30 * DAY_MS - 1_000
  assert.equal(tokens.isValid(token), true)
  time.nowMs += 1_000
  assert.equal(tokens.isValid(token), false)
  time.nowMs -= 31 * DAY_MS
  assert.equal(tokens.isValid(token), true, 'a clock may be set back by a day')
  time.nowMs -= 1_000
  assert.equal(tokens.isValid(token), false)
})

test('every changed, cut or foreign token is invalid', () => {
  const { make } = setup()
  const tokens = make()
  const token = tokens.make()
  assert.notEqual(tokens.make(), token)
  for (let i = 0; i < token.length; i++) {
    const other = token[i] === 'b' ? 'c' : 'b'
    assert.equal(tokens.isValid(token.slice(0, i) + other + token.slice(i + 1)), false, `character ${i}`)
    assert.equal(tokens.isValid(token.slice(0, i)), false, `length ${i}`)
  }
  for (const each of [`${token}a`, ` ${token}`, `${token}\n`, '', 'x'.repeat(64)]) {
    assert.equal(tokens.isValid(each), false, each)
  }
  assert.equal(make(2).isValid(token), false, 'another device')
})

test('the secret is saved: tokens outlast a restart, and an unusable stored one is replaced', async () => {
  const { make, kept } = setup()
  const first = make()
  await first.load()
  const token = first.make()
  const second = make(2)
  assert.equal(second.isValid(token), false)
  await second.load()
  assert.equal(second.isValid(token), true)
  kept.set('http/csrf-secret', new Uint8Array(3))
  const third = make(3)
  await third.load()
  assert.equal(third.isValid(token), false)
  const fourth = make(4)
  await fourth.load()
  assert.equal(fourth.isValid(third.make()), true)
})

test('without storage the tokens are valid for this process', async () => {
  const { deps, logged } = setup()
  const refuse = () => Promise.reject(new Error('full'))
  const tokens = new CsrfTokens({ ...deps, keyValue: { get: refuse, set: refuse } })
  await tokens.load()
  assert.equal(tokens.isValid(tokens.make()), true)
  assert.deepEqual(logged, [])
})
