import assert from 'node:assert/strict'
import { test } from 'node:test'
import { file } from '../../db/records.ts'
import { fakeHash, KEY, WITH_PASSWORD, SHORT } from '../fakes.ts'
import { basic, fakeDrive } from './drive-fakes.ts'

// Who may read the drive: the rules of the rest of the interface, with Basic authentication and without cookies.

const LOOK = { method: 'PROPFIND', target: '/dav/share/', headers: { Depth: '0' } }
const as = (headers: Readonly<Record<string, string>>) => ({ ...LOOK, headers: { ...LOOK.headers, ...headers } })
const GUI = { user: 'alice', password: fakeHash('s3cret') }

/** Counts full checks of passwords. */
function countingPasswords() {
  const checks = { count: 0 }
  const passwords = {
    hash: async (password: string) => fakeHash(password),
    verify: async (password: string, hash: string) => (checks.count++, fakeHash(password) === hash),
  }
  return { checks, deps: { passwords } }
}

test('without credentials: a challenge for any method and path, whatever the page is told to send', async () => {
  const { call } = await fakeDrive({ gui: { ...GUI, sendBasicAuthPrompt: false } })
  for (const method of ['PROPFIND', 'GET', 'HEAD', 'PUT', 'DELETE']) {
    for (const target of ['/dav', '/dav/', '/dav/share/x', '/dav/none']) {
      const reply = await call({ method, target })
      assert.equal(reply.status, 401, `${method} ${target}`)
      assert.match(String(reply.headers['www-authenticate']), /^Basic realm="/)
      assert.equal(reply.headers['set-cookie'], undefined)
    }
  }
})

test('the user and password of the page, or an API key as password, and nothing else', async () => {
  const { call } = await fakeDrive({ gui: GUI })
  const statusOf = async (headers: Readonly<Record<string, string>>) => (await call(as(headers))).status
  assert.equal(await statusOf(basic('alice', 's3cret')), 207)
  assert.equal(await statusOf(basic('anybody', KEY)), 207)
  assert.equal(await statusOf(basic('', KEY)), 207)
  assert.equal(await statusOf({ 'X-API-Key': KEY }), 207)
  for (const wrong of [basic('alice', 'other'), basic('bob', 's3cret'), basic(KEY, ''), basic('alice', '')]) {
    assert.equal(await statusOf(wrong), 401)
  }
  assert.equal(await statusOf({ 'X-API-Key': `${KEY}x` }), 401)
})

test('an API key as password is no key elsewhere', async () => {
  const { call } = await fakeDrive({ gui: GUI })
  const reply = await call({ target: '/rest/system/status', headers: basic('alice', KEY) })
  assert.equal(reply.status, 403)
})

test('a client that sends its password each time is checked in full once, and is one login', async () => {
  const { checks, deps } = countingPasswords()
  const { call, emitted, config, time } = await fakeDrive({ gui: GUI, deps })
  for (let count = 0; count < 20; count++) {
    const reply = await call(as(basic('alice', 's3cret')))
    assert.deepEqual([reply.status, reply.headers['set-cookie']], [207, undefined])
  }
  assert.equal(checks.count, 1)
  assert.equal(emitted.filter(({ type }) => type === 'LoginAttempt').length, 1)
  assert.equal((await call(as(basic('alice', 's3cre')))).status, 401)
  assert.equal((await call(as(basic('alicf', 's3cret')))).status, 401)
  time.nowMs += 10 * 60_000
  const before = checks.count
  assert.equal((await call(as(basic('alice', 's3cret')))).status, 207)
  assert.equal(checks.count, before + 1, 'after ten minutes it is checked again')
  await config.change((current) => ({ ...current, gui: { ...current.gui, password: fakeHash('new') } }))
  assert.equal((await call(as(basic('alice', 's3cret')))).status, 401)
})

test('guesses are slowed down as at the login page, with a known password, too', async () => {
  const { call, slept, emitted } = await fakeDrive({ gui: GUI })
  assert.equal((await call(as(basic('alice', 's3cret')))).status, 207)
  for (let count = 0; count < 12; count++) await call(as(basic('alice', `guess ${count}`)))
  assert.ok(Math.max(...slept) >= 15_000, `waited ${Math.max(...slept)} ms`) // at most 40
  assert.equal(emitted.filter(({ type }) => type === 'LoginAttempt').length, 13)
  slept.length = 0
  assert.equal((await call(as(basic('alice', 's3cret')))).status, 207)
  assert.ok(
    slept.some((delayMs) => delayMs >= 10_000),
    'a right guess waits for those before it',
  )
})

test('more attempts of one client at once than the queue holds are 429', async () => {
  const { call } = await fakeDrive({ gui: GUI })
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, count) => call(as(basic('alice', `guess ${count}`)))),
  )
  assert.deepEqual(new Set(replies.map(({ status }) => status)), new Set([401, 429]))
})

test('the host must be this one, as everywhere', async () => {
  const { call } = await fakeDrive()
  for (const method of ['PROPFIND', 'GET', 'OPTIONS']) {
    const reply = await call({ ...LOOK, method, headers: { ...LOOK.headers, Host: 'evil.example' } })
    assert.deepEqual([reply.status, reply.body], [403, 'Host check error\n'])
  }
})

test('a page of another site reads nothing, with a session, with Basic or without a password', async () => {
  const open = await fakeDrive({ items: [file('a')] })
  const locked = await fakeDrive({ items: [file('a')], gui: WITH_PASSWORD })
  for (const { call } of [open, locked]) {
    for (const site of ['cross-site', 'same-site']) {
      for (const method of ['GET', 'PROPFIND']) {
        for (const credentials of [{}, basic('alice', 's3cret')]) {
          const headers = { Depth: '1', 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': 'image', ...credentials }
          const reply = await call({ method, target: '/dav/share/', headers })
          assert.equal(reply.status, 403)
          assert.equal(reply.headers['www-authenticate'], undefined, 'no password is asked for')
          assert.equal(reply.headers['access-control-allow-origin'], undefined)
        }
      }
    }
  }
  const { headers } = await open.call({ ...LOOK, headers: { ...LOOK.headers, Origin: 'http://evil.example' } })
  assert.equal(headers['access-control-allow-origin'], undefined)
  assert.equal(headers['cross-origin-resource-policy'], 'same-origin')
})

test('a session of the page may read, and is not needed', async () => {
  const { call } = await fakeDrive({ gui: GUI })
  const body = JSON.stringify({ username: 'alice', password: 's3cret' })
  const login = await call({ method: 'POST', target: '/rest/noauth/auth/password', body })
  const Cookie = String([login.headers['set-cookie']].flat()[0]).split(';')[0] ?? ''
  assert.match(Cookie, new RegExp(`^sessionid-${SHORT}=`))
  assert.equal((await call(as({ Cookie }))).status, 207)
})

test('requests are counted under one path', async () => {
  const { ask, send } = await fakeDrive({ items: [file('a')] })
  for (const target of ['/dav/', '/dav/share/', '/dav/share/a']) await ask('PROPFIND', target, { Depth: '0' })
  assert.match((await send('GET', '/metrics')).body, /path="\/dav"|\/dav/)
})
