import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatMs, formatNs } from '../../src/http/views/times.ts'
import { fakeRest } from './fakes.ts'

// Conventions of all routes, and the replies of single ones.

test('wrong method: 405 with a sorted Allow that always has OPTIONS, for every route', async () => {
  const { routes: all, send } = fakeRest()
  const byPath = Map.groupBy(await all(), (route) => route.path)
  for (const [path, routes] of byPath) {
    const methods = routes.map((route) => route.method as string)
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'BREW']) {
      if (methods.includes(method)) continue
      const response = await send(method, path.replace(':id', 'x'))
      assert.deepEqual([response.status, response.body], [405, 'Method Not Allowed\n'], `${method} ${path}`)
      assert.equal(response.headers['allow'], [...methods, 'OPTIONS'].sort().join(', '))
    }
  }
})

test('every route has a summary of one sentence, and none is declared twice', async () => {
  const routes = await fakeRest().routes()
  for (const route of routes) assert.match(route.summary, /^[A-Z].*\.$/, route.path)
  assert.equal(new Set(routes.map((route) => `${route.method} ${route.path}`)).size, routes.length)
})

test('unknown path: 404 as text; an invalid escape: 400', async () => {
  const { send } = fakeRest()
  for (const path of [
    '/rest/nope',
    '/rest/',
    '/nope',
    '/rest/db',
    '/rest/config/folders/a%2fb',
    '/rest/config/folders/a/b',
    '/rest/db/scan%00',
    '/rest/config/folders/:id/x',
  ]) {
    const response = await send('GET', path)
    assert.deepEqual(
      [response.status, response.body, response.headers['content-type']],
      [404, '404 page not found\n', 'text/plain; charset=utf-8'],
      path,
    )
  }
  for (const path of ['/rest/%zz', '/%', '/rest/%ff', 'rest/system/ping', ''])
    assert.equal((await send('GET', path)).status, 400, path)
})

test('canonical paths: GET is redirected with 301 and a page, other methods with 307 and none', async () => {
  const { send, calls } = fakeRest()
  const moves: [method: string, from: string, to: string][] = [
    ['POST', '/rest/db/scan/?folder=x', '/rest/db/scan?folder=x'],
    ['GET', '/rest/system/ping/', '/rest/system/ping'],
    ['GET', '/rest/System/PING?a=b', '/rest/system/ping?a=b'],
    ['GET', '/rest//system/ping', '/rest/system/ping'],
    ['GET', '/rest/db/../system/ping', '/rest/system/ping'],
    ['GET', '/rest/./system/ping', '/rest/system/ping'],
    ['GET', '/rest/%2e/system/ping', '/rest/system/ping'],
    ['PATCH', '/rest/CONFIG/folders/ShaRe/', '/rest/config/folders/ShaRe'],
    ['GET', '/rest', '/rest/'],
    ['GET', '//', '/'],
    ['DELETE', '/a//b%20c', '/a/b%20c'],
  ]
  for (const [method, from, to] of moves) {
    const response = await send(method, from)
    assert.deepEqual([response.status, response.headers['location']], [method === 'GET' ? 301 : 307, to], from)
    assert.equal(
      response.body,
      method === 'GET' ? `<a href="${to.replace('&', '&#38;')}">Moved Permanently</a>.\n\n` : '',
    )
  }
  assert.equal((await send('GET', '/rest/db/scan/')).status, 404)
  assert.equal((await send('GET', '/rest/system/%70ing')).status, 200)
  assert.deepEqual(calls, [])
})

test('JSON out: two spaces, a newline at the end, <, > and & escaped, the rest raw UTF-8', async () => {
  const { send } = fakeRest({ hub: { ignores: async () => ({ ignore: ['<a>&ü\u2028'], expanded: [], error: null }) } })
  const response = await send('GET', '/rest/db/ignores?folder=share')
  assert.equal(
    response.body,
    '{\n  "error": null,\n  "expanded": [],\n  "ignore": [\n    "\\u003ca\\u003e\\u0026ü\\u2028"\n  ]\n}\n',
  )
  assert.equal(response.headers['content-type'], 'application/json; charset=utf-8')
})

test('times: RFC 3339 with the fraction trimmed, and never is the year 1', () => {
  assert.equal(formatMs(Date.UTC(2026, 0, 2, 3, 4, 5)), '2026-01-02T03:04:05Z')
  assert.equal(formatMs(1_120), '1970-01-01T00:00:01.12Z')
  assert.equal(formatMs(0), '0001-01-01T00:00:00Z')
  assert.equal(formatNs(10, 0), '1970-01-01T00:00:10Z')
  assert.equal(formatNs(10, 5), '1970-01-01T00:00:10.000000005Z')
  assert.equal(formatNs(10, 120_000_000), '1970-01-01T00:00:10.12Z')
  assert.equal(formatNs(-1, 500_000_000), '1969-12-31T23:59:59.5Z')
  assert.equal(formatNs(1e18, 0), '0001-01-01T00:00:00Z')
})

test('the start page runs no script, and a policy forbids any', async () => {
  const response = await fakeRest().send('GET', '/')
  assert.match(String(response.headers['content-security-policy']), /^default-src 'self'/)
  assert.ok(!response.body.includes('<script'))
})
