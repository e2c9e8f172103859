/** What holds for every route and every reply, so that a new route inherits it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { GuiConfig } from '../../src/core/config/config.ts'
import { fakeHash, fakeRest, KEY, LOCAL_ID } from './fakes.ts'

const WITH_PASSWORD: Partial<GuiConfig> = { user: 'alice', password: fakeHash('s3cret'), metricsWithoutAuth: false }
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const
const MORE_PATHS = ['/nothing', '/rest', '/rest/nothing', '/assets/nothing.js', '//', '/%', '/REST/system/ping']

type Rest = ReturnType<typeof fakeRest>

async function* requestsOf(rest: Rest): AsyncGenerator<{ readonly method: string; readonly target: string }> {
  const paths = new Set([...(await rest.routes()).map(({ path }) => path), ...MORE_PATHS])
  for (const path of paths) {
    const plain = path.replace(':id', path.includes('devices') ? LOCAL_ID : 'share')
    const target = path.endsWith('/events/stream') ? `${plain}?follow=false` : plain
    for (const method of METHODS) yield { method, target }
  }
}

test('every reply, whatever its status, is protected from other sites', async () => {
  const statuses = new Set<number>()
  for (const gui of [{}, WITH_PASSWORD, { ...WITH_PASSWORD, useTLS: true }]) {
    const rest = fakeRest({ gui })
    for await (const request of requestsOf(rest)) {
      for (const headers of [{}, { 'X-API-Key': KEY }]) {
        const { status, headers: got } = await rest.call({ ...request, headers })
        const name = `${request.method} ${request.target} ${status}`
        statuses.add(status)
        assert.equal(got['x-content-type-options'], 'nosniff', name)
        assert.equal(got['x-frame-options'], 'SAMEORIGIN', name)
        assert.equal(got['cross-origin-resource-policy'], 'same-origin', name)
        assert.equal(
          got['access-control-allow-origin'],
          'X-API-Key' in headers ? allowed(request.target) : undefined,
          name,
        )
        for (const cookie of [got['set-cookie'] ?? []].flat()) {
          assert.match(cookie, /; Path=\/[^;]*; .*SameSite=(Strict|Lax)/, name)
          assert.equal(cookie.includes('; Secure'), 'useTLS' in gui, name)
          assert.equal(cookie.includes('; HttpOnly'), cookie.startsWith('sessionid-'), name)
        }
      }
    }
  }
  for (const status of [200, 301, 400, 403, 404, 405]) assert.ok(statuses.has(status), `${status} was seen`)
})

/** A path that is no path is refused before the key is looked at. */
function allowed(target: string): string | undefined {
  return target === '/%' ? undefined : '*'
}

test('what a page of another site loads is refused before any work; a link to here is not', async () => {
  const rest = fakeRest()
  const open = new Set(['/', '/index.html', '/rest/svc/lang'])
  for await (const { method, target } of requestsOf(rest)) {
    if (open.has(target) || target === '//' || /^\/(rest\/noauth|assets)/.test(target) || target === '/%') continue
    for (const site of ['cross-site', 'same-site']) {
      for (const dest of ['image', 'script', 'iframe', 'empty']) {
        const headers = { 'Sec-Fetch-Site': site, 'Sec-Fetch-Dest': dest }
        assert.equal((await rest.call({ method, target, headers })).status, 403, `${method} ${target} ${dest}`)
      }
    }
  }
  assert.deepEqual(rest.calls, [])
  const image = (headers: Record<string, string>) => rest.call({ target: '/qr/?text=a', headers })
  assert.equal((await image({ 'Sec-Fetch-Site': 'same-origin', 'Sec-Fetch-Dest': 'image' })).status, 200)
  assert.equal((await image({ 'Sec-Fetch-Site': 'none', 'Sec-Fetch-Dest': 'document' })).status, 200)
  assert.equal((await image({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'document' })).status, 200)
  const cross = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'empty', 'X-API-Key': KEY }
  assert.equal((await rest.call({ target: '/rest/system/ping', headers: cross })).status, 200, 'programs with the key')
})

test('no route keeps anything in memory of a request without a login', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const rest = fakeRest({ gui: WITH_PASSWORD })
  const big = 'n'.repeat(40_000)
  const headers = {
    Authorization: `Basic ${Buffer.from(`${'n'.repeat(10_000)}:x`).toString('base64')}`,
    Cookie: `sessionid-x=${big}; CSRF-Token-x=${big}`,
    'X-Forwarded-For': `${big}, 192.0.2.7`,
    'User-Agent': big,
    Origin: big,
  }
  const body = JSON.stringify({ username: big, password: big })
  const round = async () => {
    for await (const { method, target } of requestsOf(rest)) {
      await rest.call({ method, target: `${target}?text=${big}`, headers, ...(method === 'GET' ? {} : { body }) })
    }
  }
  await round() // loads what is loaded on first use
  rest.emitted.length = rest.logged.length = 0
  collect()
  const before = process.memoryUsage().heapUsed
  await round()
  collect()
  const attempts = rest.emitted.length
  assert.ok(attempts > 100, `${attempts} attempts have an event`)
  const keptBytes = (process.memoryUsage().heapUsed - before) / attempts
  assert.ok(keptBytes < 5_000, `${Math.round(keptBytes)} bytes of heap for each attempt`)
  for (const text of [...rest.logged, ...rest.emitted.map((event) => JSON.stringify(event))]) {
    assert.ok(text.length < 1_000, text.slice(0, 100))
  }
})

test('user names in events are cut, Basic credentials of any size are refused, and neither passes', async () => {
  const checked: string[] = []
  const passwords = {
    hash: async (password: string) => fakeHash(password),
    verify: async (password: string) => (checked.push(password), true),
  }
  const { call, emitted, slept } = fakeRest({ gui: WITH_PASSWORD, deps: { passwords } })
  const login = { method: 'POST', target: '/rest/noauth/auth/password' }
  const long = await call({ ...login, body: JSON.stringify({ username: 'é'.repeat(2_000), password: 's3cret' }) })
  assert.equal(long.status, 403)
  assert.equal(Object(emitted[0]?.data).username, 'é'.repeat(256))
  const password = await call({ ...login, body: JSON.stringify({ username: 'alice', password: 'x'.repeat(1_025) }) })
  assert.equal(password.status, 403)
  assert.deepEqual(checked, [], 'no check costs more than one of a real password')
  assert.equal(slept.length, 2, 'both are delayed as any other wrong one')
  const Authorization = `Basic ${Buffer.from(`${'n'.repeat(740_000)}:x`).toString('base64')}`
  assert.equal((await call({ target: '/rest/system/ping', headers: { Authorization } })).status, 403)
  assert.equal(emitted.length, 2, 'no event for what is not even decoded')
})

test('attempts that are refused because too many wait have no event and no log line', async () => {
  const { call, emitted, logged } = fakeRest({ gui: WITH_PASSWORD })
  const body = '{"username":"alice","password":"wrong"}'
  const replies = await Promise.all(
    Array.from({ length: 100 }, () => call({ method: 'POST', target: '/rest/noauth/auth/password', body })),
  )
  const checked = replies.filter(({ status }) => status === 403).length
  assert.ok(checked <= 16, `${checked} were checked`)
  assert.deepEqual([emitted.length, logged.length], [checked, checked])
})
