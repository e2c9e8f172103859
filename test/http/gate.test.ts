import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeRest, KEY, LOCAL_ID, SHORT, WITH_PASSWORD } from './fakes.ts'

// The order of the checks of every request, and the catalogue rows W-01 to W-04.

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const
const NO_AUTH = new Set([
  '/',
  '/index.html',
  '/rest/svc/lang',
  '/rest/noauth/health',
  '/rest/noauth/auth/password',
  '/rest/noauth/auth/logout',
])

function concrete(path: string): string {
  return path.replace(':id', path.includes('devices') ? LOCAL_ID : 'share')
}

test('W-01: without key or token every route and method is refused with no side effect', async () => {
  const rest = fakeRest()
  const other = fakeRest()
  const foreignToken = cookieOf((await other.call({ target: '/' })).headers['set-cookie'], `CSRF-Token-${SHORT}`)
  const before = rest.config.current
  const attempts: [name: string, headers: Record<string, string>, body: string][] = [
    ['nothing', {}, ''],
    ['form', { 'Content-Type': 'application/x-www-form-urlencoded', Origin: 'http://evil.example' }, 'folder=share'],
    ['text', { 'Content-Type': 'text/plain', Origin: 'null' }, '{"ignore":[]}'],
    ['token of another session', { [`X-CSRF-Token-${SHORT}`]: foreignToken }, '{}'],
    ['token in the cookie alone', { Cookie: `CSRF-Token-${SHORT}=${foreignToken}` }, '{}'],
  ]
  let tried = 0
  let passed = 0
  for (const path of new Set((await rest.routes()).map((route) => route.path))) {
    if (!path.startsWith('/rest') || NO_AUTH.has(path)) continue
    for (const method of METHODS) {
      for (const [name, headers, body] of attempts) {
        tried++
        const response = await rest.call({ method, target: concrete(path), headers, body })
        if (response.status !== 403 || response.body !== 'CSRF Error\n') passed++
        assert.deepEqual([response.status, response.body], [403, 'CSRF Error\n'], `${method} ${path} ${name}`)
        assert.equal(response.headers['x-syncthing-id'], LOCAL_ID)
        assert.equal(response.headers['cache-control'], undefined)
        assert.equal(response.headers['access-control-allow-origin'], undefined)
      }
    }
  }
  assert.deepEqual(rest.calls, [])
  assert.equal(rest.config.current, before)
  console.log(JSON.stringify({ id: 'W-01', tried, blocked: tried - passed, sideEffects: rest.calls.length }))
})

test('W-01: a cookie is set outside /rest, its token passes in the header, and only there', async () => {
  const { call } = fakeRest()
  const page = await call({ target: '/' })
  const token = cookieOf(page.headers['set-cookie'], `CSRF-Token-${SHORT}`)
  assert.match(token, /^[\w-]{64}$/)
  assert.deepEqual(page.headers['set-cookie'], [`CSRF-Token-${SHORT}=${token}; Path=/; SameSite=Lax`])
  const again = await call({ target: '/', headers: { Cookie: `other=1; CSRF-Token-${SHORT}=${token}` } })
  assert.equal(again.headers['set-cookie'], undefined)
  const target = '/rest/system/ping'
  assert.equal((await call({ target, headers: { [`X-CSRF-Token-${SHORT}`]: token } })).status, 200)
  assert.equal((await call({ target, headers: { Cookie: `CSRF-Token-${SHORT}=${token}` } })).status, 403)
  assert.equal((await call({ target, headers: { 'X-CSRF-Token-ABCDEFG': token } })).status, 403)
  assert.equal((await call({ target: `${target}?X-CSRF-Token-${SHORT}=${token}` })).status, 403)
})

test('CORS: OPTIONS on any path is 204 without authentication, after the host check', async () => {
  const { call } = fakeRest({ gui: WITH_PASSWORD })
  for (const target of ['/rest/db/scan', '/rest/nope', '/', '*', '/rest/system/debug?x=1']) {
    const response = await call({ method: 'OPTIONS', target, headers: { Origin: 'http://evil.example' } })
    assert.deepEqual([response.status, response.body], [204, ''])
    assert.deepEqual(response.headers, {
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-allow-headers': 'Content-Type, X-API-Key',
      'access-control-max-age': '600',
    })
  }
  assert.equal((await call({ method: 'OPTIONS', target: '/', headers: { Host: 'evil.example' } })).status, 403)
})

test('refusals: status, body and headers of each', async () => {
  const open = fakeRest()
  const locked = fakeRest({ gui: WITH_PASSWORD })
  const prompting = fakeRest({ gui: { ...WITH_PASSWORD, sendBasicAuthPrompt: true } })
  const target = '/rest/system/ping'

  const noKey = await open.call({ target })
  assert.deepEqual([noKey.status, noKey.body, noKey.headers['x-syncthing-version']], [403, 'CSRF Error\n', 'v1.0.0'])
  const nothing = await locked.call({ target })
  assert.deepEqual(
    [nothing.status, nothing.body, nothing.headers['x-syncthing-version'], nothing.headers['x-syncthing-id']],
    [403, 'Forbidden\n', undefined, undefined],
  )
  const prompt = await prompting.call({ target })
  assert.deepEqual([prompt.status, prompt.body], [401, 'Not Authorized\n'])
  assert.equal(prompt.headers['www-authenticate'], `Basic realm="Authorization Required (${SHORT})"`)
  for (const path of ['/rest/nope', '/rest/', '/rest']) {
    assert.equal((await open.call({ target: path })).status, 403, path)
    assert.equal((await locked.call({ target: path })).status, 403, path)
  }
  assert.equal((await open.send('GET', '/rest/nope')).status, 404)
})

test('headers: frames are refused unless allowed; the key makes the reply readable from other origins', async () => {
  const response = await fakeRest().send('GET', '/rest/system/ping')
  assert.equal(response.headers['x-frame-options'], 'SAMEORIGIN')
  assert.equal(response.headers['x-xss-protection'], '1; mode=block')
  assert.equal(response.headers['x-content-type-options'], 'nosniff')
  assert.equal(response.headers['access-control-allow-origin'], '*')
  assert.equal(response.headers['cache-control'], 'max-age=0, no-cache, no-store')
  assert.equal(response.headers['pragma'], 'no-cache')
  assert.equal(response.headers['expires'], new Date(1_795_000_000_000).toUTCString())
  const framed = await fakeRest({ gui: { insecureAllowFrameLoading: true } }).send('GET', '/rest/system/ping')
  assert.equal(framed.headers['x-frame-options'], undefined)
})

test('W-02: only exact secrets pass', async () => {
  const { call, deps } = fakeRest({ gui: WITH_PASSWORD })
  const target = '/rest/system/ping'
  const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`
  const wrong: Record<string, string>[] = [
    {},
    { 'X-API-Key': '' },
    { 'X-API-Key': KEY.slice(0, -1) },
    { 'X-API-Key': `${KEY}x` },
    { 'X-API-Key': ` ${KEY} x` },
    { 'X-API-Key': KEY.toUpperCase() },
    { 'X-API-Key': KEY.repeat(2) },
    { 'X-API-Key': '\0'.repeat(KEY.length) },
    { 'API-Key': KEY },
    { Cookie: `X-API-Key=${KEY}` },
    { Authorization: `Bearer${KEY}` },
    { Authorization: `Bearer  ${KEY}` },
    { Authorization: `Token ${KEY}` },
    { Authorization: `Basic ${KEY}` },
    { Authorization: basic('alice:wrong') },
    { Authorization: basic('alice') },
    { Authorization: basic(':') },
    { Authorization: basic('alice:') },
    { Authorization: basic('ALICE:s3cret') },
    { Authorization: basic(':s3cret') },
    { Authorization: 'Basic' },
    { Authorization: 'Basic ====' },
    { Authorization: basic('alice:s3cret ') },
    { Cookie: `sessionid-${SHORT}=` },
    { Cookie: `sessionid-${SHORT}=${'a'.repeat(64)}` },
    { Cookie: `sessionid-${SHORT}=__proto__` },
    { Cookie: `sessionid-${SHORT}=a; sessionid-${SHORT}=b` },
    { Authorization: basic(`alice:${WITH_PASSWORD.password}`) },
  ]
  let bypasses = 0
  for (const headers of wrong) {
    const response = await call({ target, headers })
    if (response.status === 200) bypasses++
    assert.deepEqual([response.status, response.body], [403, 'Forbidden\n'], JSON.stringify(headers))
  }
  for (const query of [`?X-API-Key=${KEY}`, `?apikey=${KEY}`, `?api_key=${KEY}`, `?key=${KEY}`]) {
    assert.equal((await call({ target: target + query })).status, 403)
  }
  assert.equal((await call({ target, headers: { 'X-API-Key': KEY } })).status, 200)

  const empty = fakeRest({ gui: { apiKey: '' }, deps: { clock: deps.clock } })
  for (const headers of [{}, { 'X-API-Key': '' }, { Authorization: 'Bearer ' }]) {
    assert.equal((await empty.call({ target, headers })).status, 403)
  }
  console.log(JSON.stringify({ id: 'W-02', tried: wrong.length + 7, bypasses }))
})

function cookieOf(cookies: string | readonly string[] | undefined, name: string): string {
  const cookie = [cookies ?? []].flat().find((one) => one.startsWith(`${name}=`)) ?? ''
  return cookie.slice(name.length + 1).split(';')[0] ?? ''
}
