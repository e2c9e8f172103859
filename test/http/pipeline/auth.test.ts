import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GuiConfig } from '../../../src/core/config/config.ts'
import { fakeHash, fakeRest, KEY, LOCAL_ID, SHORT } from '../fakes.ts'
import { reportRow } from '../../support/effort.ts'

// Login, logout, sessions, and the catalogue rows W-09 and W-15.

const WITH_PASSWORD: Partial<GuiConfig> = { user: 'alice', password: fakeHash('s3cret') }
const LOGIN = '/rest/noauth/auth/password'
const basic = (bytes: Uint8Array | string) => ({ Authorization: `Basic ${Buffer.from(bytes).toString('base64')}` })
const credentials = (more: object = {}) => JSON.stringify({ username: 'alice', password: 's3cret', ...more })

function cookieOf(headers: Readonly<Record<string, string | readonly string[]>>): string {
  return [headers['set-cookie'] ?? []].flat().find((cookie) => cookie.startsWith('sessionid-')) ?? ''
}

test('login: 204 with a session cookie that is valid until logout', async () => {
  const { call, emitted } = fakeRest({ gui: WITH_PASSWORD })
  const login = await call({ method: 'POST', target: LOGIN, body: credentials(), remoteAddress: '192.0.2.1' })
  assert.deepEqual([login.status, login.body], [204, ''])
  const cookie = cookieOf(login.headers)
  assert.match(cookie, new RegExp(`^sessionid-${SHORT}=[2-9a-zA-Z]{64}; Path=/; HttpOnly; SameSite=Strict$`))
  assert.deepEqual(emitted, [
    { type: 'LoginAttempt', data: { success: true, username: 'alice', remoteAddress: '192.0.2.1' } },
  ])

  const Cookie = cookie.split(';')[0] ?? ''
  const page = await call({ target: '/meta.js', headers: { Cookie } })
  assert.equal(page.status, 200)
  assert.ok(page.body.includes(LOCAL_ID))
  assert.equal((await call({ target: '/rest/system/ping', headers: { Cookie } })).body, 'CSRF Error\n')
  const token = [page.headers['set-cookie'] ?? []].flat()[0]?.split(/[=;]/)[1] ?? ''
  const ping = {
    target: '/rest/system/ping',
    headers: { Cookie: `x=1; ${Cookie}; sessionid-${SHORT}=other`, [`X-CSRF-Token-${SHORT}`]: token },
  }
  assert.equal((await call(ping)).status, 200)

  const logout = await call({ method: 'POST', target: '/rest/noauth/auth/logout', headers: { Cookie } })
  assert.deepEqual(
    [logout.status, cookieOf(logout.headers)],
    [204, `sessionid-${SHORT}=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict`],
  )
  assert.equal((await call(ping)).status, 403)
  assert.equal((await call({ method: 'POST', target: '/rest/noauth/auth/logout' })).status, 204)
})

test('login: a bad body is 400, wrong credentials are 403 after a delay, none without a password', async () => {
  const { call, slept, emitted } = fakeRest({ gui: WITH_PASSWORD })
  for (const body of [
    '{bad',
    '',
    '[]',
    'null',
    '{"username":1}',
    '{"username":"alice","password":"s3cret","stayLoggedIn":"yes"}',
  ]) {
    const response = await call({ method: 'POST', target: LOGIN, body })
    assert.deepEqual([response.status, response.body], [400, 'Failed to parse username and password.\n'], body)
  }
  assert.equal(emitted.length, 0)
  const wrong = await call({ method: 'POST', target: LOGIN, body: credentials({ password: 'bad' }) })
  assert.deepEqual([wrong.status, wrong.body, cookieOf(wrong.headers)], [403, 'Forbidden\n', ''])
  assert.ok(slept.length === 1 && slept[0]! >= 100 && slept[0]! < 200)
  assert.deepEqual(
    emitted.map(({ data }) => Object(data).success),
    [false],
  )
  assert.equal((await call({ method: 'POST', target: LOGIN, body: 'x'.repeat(65_537) })).status, 413)
  const open = fakeRest()
  for (const target of [LOGIN, '/rest/noauth/auth/logout'])
    assert.equal((await open.call({ method: 'POST', target })).status, 404)
})

test('W-15: the session cookie is Secure over TLS and TLS proxies, and persistent only on request', async () => {
  const loginCookie = async (
    gui: Partial<GuiConfig>,
    headers: Record<string, string>,
    more: object = {},
    secure = false,
  ) =>
    cookieOf(
      (
        await fakeRest({ gui: { ...WITH_PASSWORD, ...gui } }).call({
          method: 'POST',
          target: LOGIN,
          body: credentials(more),
          headers,
          secure,
        })
      ).headers,
    )
  assert.ok(!(await loginCookie({}, {})).includes('Secure'))
  for (const headers of [
    { 'X-Forwarded-Proto': 'HTTPS' },
    { Forwarded: 'for=1.2.3.4;proto=https' },
    { Forwarded: 'for=x, proto="https"; by=y' },
  ]) {
    assert.ok((await loginCookie({}, headers)).endsWith('; Secure'), JSON.stringify(headers))
  }
  assert.ok((await loginCookie({ useTLS: true }, {})).endsWith('; Secure'))
  assert.ok((await loginCookie({}, {}, {}, true)).endsWith('; Secure'))
  assert.ok(!(await loginCookie({}, { Forwarded: 'proto=http' })).includes('Secure'))
  assert.ok(
    (await loginCookie({ sessionCookieDurationS: 604_800 }, {}, { stayLoggedIn: true })).includes('; Max-Age=604800;'),
  )
  assert.ok(
    (await loginCookie({ sessionCookieDurationS: -1 }, {}, { stayLoggedIn: true })).includes('; Max-Age=2147483647;'),
  )
  assert.ok((await loginCookie({ sessionCookiePath: '/sync' }, {})).includes('; Path=/sync;'))
  reportRow({ id: 'W-15', tried: 10 })
  const { call } = fakeRest({ gui: { ...WITH_PASSWORD, sessionCookiePath: '/sync', useTLS: true } })
  const Cookie = `sessionid-${SHORT}=a`
  const logout = cookieOf(
    (await call({ method: 'POST', target: '/rest/noauth/auth/logout', headers: { Cookie } })).headers,
  )
  assert.equal(logout, `sessionid-${SHORT}=; Path=/sync; Max-Age=0; HttpOnly; SameSite=Strict; Secure`)
  assert.ok((await loginCookie({ sessionCookiePath: '/;Domain=evil' }, {})).includes('; Path=/;'))
})

test('basic: UTF-8 first, then ISO-8859-1; success gives a session, and the CSRF check still holds', async () => {
  const { call } = fakeRest({ gui: { user: 'jürgen', password: fakeHash('pä:ß') } })
  for (const encoding of ['utf8', 'latin1'] as const) {
    const response = await call({ target: '/rest/system/ping', headers: basic(Buffer.from('jürgen:pä:ß', encoding)) })
    assert.deepEqual([response.status, response.body], [403, 'CSRF Error\n'], encoding)
    assert.match(cookieOf(response.headers), /^sessionid-/)
    assert.equal(response.headers['x-syncthing-id'], LOCAL_ID)
  }
  const page = await call({ target: '/', headers: basic('jürgen:pä:ß') })
  assert.equal([page.headers['set-cookie'] ?? []].flat().length, 2)
})

test('sessions last as long as the setting allows, from the last use on', async () => {
  const HOUR_S = 3_600
  for (const [sessionCookieDurationS, validS] of [
    [HOUR_S, HOUR_S],
    [90 * 24 * HOUR_S, 90 * 24 * HOUR_S],
    [0, 7 * 24 * HOUR_S],
    [-1, 2_147_483_647],
  ] as const) {
    const { call, time } = fakeRest({ gui: { ...WITH_PASSWORD, sessionCookieDurationS } })
    const body = credentials({ stayLoggedIn: true })
    const cookie = cookieOf((await call({ method: 'POST', target: LOGIN, body })).headers)
    const age = /; Max-Age=(\d+);/.exec(cookie)?.[1]
    assert.equal(age, sessionCookieDurationS === 0 ? undefined : `${validS}`)
    const isIn = async () =>
      (await call({ target: '/meta.js', headers: { Cookie: cookie.split(';')[0] ?? '' } })).status === 200
    time.nowMs += (validS - 1) * 1_000
    assert.equal(await isIn(), true, `${sessionCookieDurationS}`)
    time.nowMs += validS * 1_000
    assert.equal(await isIn(), false, `${sessionCookieDurationS}`)
  }
})

test('sessions of Basic authentication, one per request of a program, end no session of a browser', async () => {
  const { call, config } = fakeRest({ gui: WITH_PASSWORD })
  const login = await call({ method: 'POST', target: LOGIN, body: credentials() })
  const isIn = async (Cookie: string) => (await call({ target: '/meta.js', headers: { Cookie } })).status === 200
  const browser = cookieOf(login.headers).split(';')[0] ?? ''
  let last = ''
  for (let i = 0; i < 30; i++) {
    const page = await call({ target: '/', headers: basic('alice:s3cret') })
    last = cookieOf(page.headers).split(';')[0] ?? ''
  }
  assert.deepEqual([await isIn(browser), await isIn(last)], [true, true])
  const logout = await call({ method: 'POST', target: '/rest/noauth/auth/logout', headers: { Cookie: last } })
  assert.deepEqual([logout.status, await isIn(last)], [204, false])
  const page = await call({ target: '/', headers: basic('alice:s3cret') })
  await config.change((current) => ({ ...current, gui: { ...current.gui, password: fakeHash('other') } }))
  assert.equal(await isIn(cookieOf(page.headers).split(';')[0] ?? ''), false, 'another password ends them, too')
})

test('sessions: sliding expiry of seven days, at most 25, and a changed password ends them all', async () => {
  const { call, time, config } = fakeRest({ gui: WITH_PASSWORD })
  const login = async () =>
    cookieOf((await call({ method: 'POST', target: LOGIN, body: credentials() })).headers).split(';')[0] ?? ''
  const isIn = async (Cookie: string) => (await call({ target: '/meta.js', headers: { Cookie } })).status === 200
  const DAY_MS = 24 * 3_600_000
  const first = await login()
  time.nowMs += 6 * DAY_MS
  assert.equal(await isIn(first), true)
  time.nowMs += 6 * DAY_MS
  assert.equal(await isIn(first), true)
  time.nowMs += 7 * DAY_MS
  assert.equal(await isIn(first), false)

  const all = []
  for (let i = 0; i < 26; i++) all.push(await login())
  assert.equal(await isIn(all[0]!), false)
  assert.equal(await isIn(all[1]!), true)
  await config.change((current) => ({ ...current, gui: { ...current.gui, theme: 'dark' } }))
  assert.equal(await isIn(all[25]!), true)
  await config.change((current) => ({ ...current, gui: { ...current.gui, password: fakeHash('other') } }))
  assert.equal(await isIn(all[25]!), false)
})

test('a directory server that cannot be asked is no wrong password, and the reason is logged', async () => {
  const { call, logged } = fakeRest({ gui: { ...WITH_PASSWORD, authMode: 'ldap' } })
  assert.equal((await call({ method: 'POST', target: LOGIN, body: credentials() })).status, 503)
  assert.ok(logged.some((line) => line.includes('cannot check logins: the LDAP settings have no bindDN')))
  assert.equal((await call({ target: '/rest/system/ping', headers: { 'X-API-Key': KEY } })).status, 200)
})

test('W-09: guesses are throttled per source, no user name is revealed, API keys are not throttled', async () => {
  let checks = 0
  const seen: string[] = []
  const passwords = {
    hash: async (password: string) => fakeHash(password),
    verify: async (password: string, hash: string) => (checks++, seen.push(password), fakeHash(password) === hash),
  }
  const { call, time, emitted } = fakeRest({ gui: WITH_PASSWORD, deps: { passwords } })
  const guess = (username: string, password: string, remoteAddress: string) =>
    call({ method: 'POST', target: LOGIN, body: JSON.stringify({ username, password }), remoteAddress })
  const startMs = time.nowMs
  const tries = 60
  for (let i = 0; i < tries; i++) {
    const response = await guess(i % 2 === 0 ? 'alice' : 'mallory', `guess${i}`, '198.51.100.7')
    assert.deepEqual([response.status, response.body], [403, 'Forbidden\n'])
  }
  const seconds = (time.nowMs - startMs) / 1_000
  assert.equal(checks, tries) // a wrong user costs a password check too
  assert.ok(seconds > 600, `${seconds}`)

  // Another source is not throttled, and the key works from every source.
  const beforeMs = time.nowMs
  assert.equal((await guess('alice', 's3cret', '203.0.113.9')).status, 204)
  assert.equal(time.nowMs, beforeMs)
  const keyed = await call({
    target: '/rest/system/ping',
    headers: { 'X-API-Key': KEY },
    remoteAddress: '198.51.100.7',
  })
  assert.equal(keyed.status, 200)
  assert.equal(time.nowMs, beforeMs)
  // The owner can log in from the attacked source as well, only later.
  assert.equal((await guess('alice', 's3cret', '198.51.100.7')).status, 204)

  // In parallel: one check at a time per source, and the queue is bounded.
  checks = 0
  const flood = await Promise.all(Array.from({ length: 200 }, (_, i) => guess('alice', `p${i}`, '198.51.100.8')))
  assert.deepEqual(
    new Set(flood.map((response) => `${response.status} ${response.body}`)),
    new Set(['403 Forbidden\n', '429 too many logins are waiting; try again in 1 s\n']),
  )
  assert.ok(checks <= 16, `${checks}`)
  assert.equal(flood.filter((response) => response.status === 403).length, checks)
  assert.ok(emitted.length > 0 && !JSON.stringify(emitted).includes('guess'))
  console.log(
    JSON.stringify({
      id: 'W-09',
      tries,
      guessesPerSecond: Number((tries / seconds).toFixed(3)),
      parallelTried: 200,
      parallelChecked: checks,
      keyLockedOut: false,
    }),
  )
})
