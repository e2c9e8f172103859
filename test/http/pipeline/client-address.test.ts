/** Who a request comes from, and how its logins are counted. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GuiConfig } from '../../../src/core/config/config.ts'
import { parseTrustedProxies, type TrustedProxies } from '../../../src/core/network/trusted-proxies.ts'
import { sourceOf } from '../../../src/http/pipeline/client-address.ts'
import { fakeHash, fakeRest, type FakeOptions } from '../fakes.ts'

const WITH_PASSWORD: Partial<GuiConfig> = { user: 'alice', password: fakeHash('s3cret') }
const LOGIN = { method: 'POST', target: '/rest/noauth/auth/password' }
const credentials = (more: object = {}) => JSON.stringify({ username: 'alice', password: 's3cret', ...more })

function trusting(...names: string[]): { readonly trustedProxies: TrustedProxies } {
  const trustedProxies = parseTrustedProxies(names)
  assert.ok(typeof trustedProxies === 'object')
  return { trustedProxies }
}

async function attemptOf(
  options: FakeOptions['options'],
  remoteAddress: string,
  forwarded: string,
  unixSocket = false,
): Promise<unknown> {
  const { call, emitted } = fakeRest({ gui: WITH_PASSWORD, ...(options && { options }) })
  const headers = { 'X-Forwarded-For': forwarded }
  await call({ ...LOGIN, body: credentials(), headers, remoteAddress, unixSocket })
  const { success: _success, username: _username, ...address } = Object(emitted[0]?.data)
  return address
}

test('W-09: X-Forwarded-For is believed from configured proxies only, on this machine, too', async () => {
  const client = '203.0.113.5'
  for (const peer of ['127.0.0.1', '127.8.9.1', '::1', '10.0.0.1', '192.168.1.9', '198.51.100.1', 'fe80::1']) {
    assert.deepEqual(await attemptOf({}, peer, client), { remoteAddress: peer })
  }
  assert.deepEqual(await attemptOf({}, '', client, true), { remoteAddress: '' })
  const options = trusting('10.0.0.1', '192.168.1.0/24', '2001:db8::/32', '::1', 'unix')
  for (const proxy of ['10.0.0.1', '::ffff:10.0.0.1', '192.168.1.77', '2001:db8:7::1', '::1']) {
    assert.deepEqual(await attemptOf(options, proxy, client), { remoteAddress: client, proxy })
  }
  assert.deepEqual(await attemptOf(options, '', client, true), { remoteAddress: client, proxy: '' })
  for (const peer of ['10.0.0.2', '192.168.2.1', '2001:db9::1', '127.0.0.1']) {
    assert.deepEqual(await attemptOf(options, peer, client), { remoteAddress: peer })
  }
  assert.deepEqual(await attemptOf(trusting('127.0.0.0/8'), '', client, true), { remoteAddress: '' })
  for (const wrong of ['10.0.0.1/33', 'a.example', '/8', '10.0.0.0/8/8', 'UNIX', 'loopback'])
    assert.equal(parseTrustedProxies(['127.0.0.1', wrong]), wrong)
})

test('W-09: a login through an unknown proxy is reported once, and not for a wrong password', async () => {
  const { call, logged, send } = fakeRest({ gui: WITH_PASSWORD, options: trusting('10.0.0.1') })
  const login = (remoteAddress: string, password: string, unixSocket = false) =>
    call({
      ...LOGIN,
      body: credentials({ password }),
      headers: { 'X-Forwarded-For': '203.0.113.5' },
      remoteAddress,
      unixSocket,
    })
  const warnings = async () => JSON.parse((await send('GET', '/rest/twinfold/warnings')).body)
  const lines = () => logged.filter((line) => line.includes('--trusted-proxies'))
  await login('127.0.0.1', 'wrong')
  await login('10.0.0.1', 's3cret')
  await call({ ...LOGIN, body: credentials(), remoteAddress: '127.0.0.1' })
  assert.deepEqual([await warnings(), lines()], [[], []])
  for (const peer of ['127.0.0.1', '192.0.2.1', '127.0.0.1']) assert.equal((await login(peer, 's3cret')).status, 204)
  const [warning, ...others] = await warnings()
  assert.deepEqual([warning.code, others], ['proxy-not-trusted', []])
  assert.match(warning.message, /the proxy at 127\.0\.0\.1 count/)
  assert.deepEqual(lines(), [`WARN ${warning.message}; ${warning.remedy}`])
  const summary = JSON.parse((await send('GET', '/rest/twinfold/summary')).body)
  assert.deepEqual([summary.system.trustedProxies, summary.warnings], [['10.0.0.1'], [warning]])

  const socket = fakeRest({ gui: WITH_PASSWORD })
  const headers = { 'X-Forwarded-For': '203.0.113.5' }
  await socket.call({ ...LOGIN, body: credentials(), headers, remoteAddress: '', unixSocket: true })
  assert.match(socket.logged.join('\n'), /the proxy on the UNIX socket .*--trusted-proxies=unix$/)
})

test('of the entries the last one that is no proxy is the client: it can send any others before', async () => {
  const proxy = '127.0.0.1'
  const options = trusting('10.0.0.0/8', '127.0.0.1')
  const cases: [forwarded: string, client: string][] = [
    ['198.51.100.1, 203.0.113.5', '203.0.113.5'],
    ['198.51.100.1, 203.0.113.5, 10.1.1.1', '203.0.113.5'],
    ['198.51.100.1, 203.0.113.5, 10.1.1.1, 127.0.0.1', '203.0.113.5'],
    ['10.2.2.2, 10.1.1.1', '10.2.2.2'],
    ['203.0.113.5,10.1.1.1', '203.0.113.5'],
    ['198.51.100.1, evil, 10.1.1.1', '10.1.1.1'],
    [`198.51.100.1${', 10.1.1.1'.repeat(5_000)}`, '10.1.1.1'],
    ['2001:db8::1', '2001:db8::1'],
  ]
  for (const [forwarded, client] of cases) {
    assert.deepEqual(
      await attemptOf(options, proxy, forwarded),
      { remoteAddress: client, proxy },
      forwarded.slice(0, 80),
    )
  }
  for (const forwarded of ['x\ny', '', ',', 'localhost', '203.0.113.5:80', '[::1]', 'unknown', '127.0.0.1']) {
    assert.deepEqual(await attemptOf(options, proxy, forwarded), { remoteAddress: proxy }, forwarded)
  }
})

test('attempts are counted by IPv4 address and by IPv6 network of 64 bits', () => {
  assert.equal(sourceOf('2001:db8:1:2::1'), sourceOf('2001:db8:1:2:ffff::9'))
  assert.notEqual(sourceOf('2001:db8:1:2::1'), sourceOf('2001:db8:1:3::1'))
  assert.equal(sourceOf('::ffff:192.0.2.1'), sourceOf('192.0.2.1'))
  assert.notEqual(sourceOf('192.0.2.1'), sourceOf('192.0.2.2'))
  assert.notEqual(sourceOf('0.0.0.1'), sourceOf('::1:0:0:0:0'))
  assert.equal(sourceOf('a name'), 'a name')
})

test('behind a proxy one client does not lock out the others, wherever it claims to come from', async () => {
  const { call, time } = fakeRest({ gui: WITH_PASSWORD, options: trusting('127.0.0.1') })
  const login = (forwarded: string, password: string) =>
    call({ ...LOGIN, body: credentials({ password }), headers: { 'X-Forwarded-For': forwarded } })
  const flood = await Promise.all(Array.from({ length: 40 }, (_, i) => login(`192.0.2.${i}, 198.51.100.7`, `p${i}`)))
  const refused = flood.filter(({ status }) => status === 429)
  assert.ok(refused.length > 10, `${refused.length} of 40 refused`)
  for (const { headers } of refused) assert.match(String(headers['retry-after']), /^[1-9]\d?$/)
  const beforeMs = time.nowMs
  assert.equal((await login('192.0.2.1, 203.0.113.9', 's3cret')).status, 204)
  assert.equal(time.nowMs, beforeMs, 'not even delayed')
})

test('W-09: without configured proxies a client of this machine is one source, whatever it claims', async () => {
  const { call } = fakeRest({ gui: WITH_PASSWORD })
  const guesses = Array.from({ length: 40 }, (_, i) =>
    call({ ...LOGIN, body: credentials({ password: `p${i}` }), headers: { 'X-Forwarded-For': `192.0.2.${i}` } }),
  )
  const refused = (await Promise.all(guesses)).filter(({ status }) => status === 429)
  assert.ok(refused.length > 10, `${refused.length} of 40 refused`)
})

test('one IPv6 network is one source, however many addresses it uses', async () => {
  const { call } = fakeRest({ gui: WITH_PASSWORD })
  const flood = await Promise.all(
    Array.from({ length: 40 }, (_, i) =>
      call({ ...LOGIN, body: credentials({ password: 'x' }), remoteAddress: `2001:db8:5:5::${i.toString(16)}` }),
    ),
  )
  assert.ok(flood.filter(({ status }) => status === 429).length > 10)
})
