import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fakeRest, KEY, WITH_PASSWORD } from './fakes.ts'

/** Forms of a path; `{}` is the path itself. */
const TRICKS = [
  '//{}',
  '/./{}',
  '/../{}',
  '/x/../{}',
  '/%2e/{}',
  '/%2e%2e/{}',
  '/%2E%2E/{}',
  '/%2f{}',
  '/%5c{}',
  '/%5c..%5c{}',
  '/%00{}',
  '/%00/{}',
  '/rest/noauth/../../{}',
  '/rest/noauth/..%2f..%2f{}',
  '/rest/noauth/%2e%2e/%2e%2e/{}',
  '/rest/noauth%2f..%2f..%2f{}',
  '/rest/noauth;/../../{}',
  '/assets/../{}',
  '/assets/..%2f{}',
  '/assets/%2e%2e%2f{}',
  '/assets/..;/{}',
  '/vendor/../{}',
  '/theme-assets/..%2f{}',
  '/syncthing/%2e%2e/{}',
  '/index.html/../{}',
  '/{}/',
  '/{}//',
  '/{}/.',
  '/{}/..',
  '/{};x',
  '/{};',
  '/{}%00',
  '/{}%20',
  '/{}%2f',
  '/{}.json',
  '/{}%23',
  '/{}#',
  '/%252e%252e/{}',
  '/%25%32%66{}',
  '/%c0%ae%c0%ae/{}',
  '/%c0%af{}',
  '/%e0%80%af{}',
  '/\\{}',
  '/{}\\',
  '/{}?/../rest/noauth/health',
  '//localhost/{}',
]

test('W-04: no form of a path bypasses authentication', async () => {
  const rest = fakeRest({ gui: WITH_PASSWORD })
  const open = fakeRest()
  const secret = ['rest/system/ping', 'rest/config', 'rest/system/config', 'rest/db/scan', 'rest/config/folders/share']
  const upper = (path: string) => path.toUpperCase()
  const mixed = (path: string) => path.replace('rest', 'ReSt')
  const paths = secret.flatMap((path) =>
    TRICKS.flatMap((trick) => [
      trick.replace('{}', path),
      trick.replace('{}', upper(path)),
      trick.replace('{}', mixed(path)),
    ]),
  )
  const before = rest.config.current
  let bypasses = 0
  for (const target of paths) {
    for (const method of ['GET', 'POST']) {
      const response = await rest.call({ method, target })
      if (response.status === 200) bypasses++
      assert.ok([301, 307, 400, 403, 404, 405].includes(response.status), `${method} ${target} → ${response.status}`)
      assert.ok(!response.body.includes('pong') && !response.body.includes(KEY), target)
      // With no password set the CSRF check must hold on the same paths.
      const unlocked = await open.call({ method, target })
      if (unlocked.status === 200) bypasses++
      assert.notEqual(unlocked.status, 200, `${method} ${target}`)
    }
  }
  assert.deepEqual(rest.calls, [])
  assert.deepEqual(open.calls, [])
  assert.equal(rest.config.current, before)
  console.log(JSON.stringify({ id: 'W-04', paths: paths.length, bypasses }))
})

test('W-04: no redirect leads to another host, and none carries raw control characters', async () => {
  const { send } = fakeRest()
  for (const target of [
    '//evil.example',
    '//evil.example/..',
    '///evil.example//x',
    '/%5cevil.example//x',
    '/a//%0d%0aSet-Cookie:x',
    '/\\evil.example/../x/',
    '/./http://evil',
  ]) {
    const response = await send('GET', target)
    if (response.status !== 301) continue
    assert.match(String(response.headers['location']), /^\/(?![/\\])[\x21-\x7e]*$/, target)
  }
})

test('no-auth paths: exact ones and plain prefixes pass authentication, and nothing else', async () => {
  const { call } = fakeRest({ gui: WITH_PASSWORD })
  const passing = [
    '/',
    '/index.html',
    '/modal.html',
    '/rest/svc/lang',
    '/assets/x',
    '/syncthing/x',
    '/vendor/x',
    '/theme-assets/x',
    '/rest/noauth',
    '/rest/noauthXX',
    '/rest/noauth/health',
  ]
  for (const target of passing) assert.notEqual((await call({ target })).status, 403, target)
  for (const target of [
    '/meta.js',
    '/metrics',
    '/themes.json',
    '/rest/svc/language',
    '/rest/svc/deviceid',
    '/assets',
    '/other',
  ]) {
    assert.equal((await call({ target })).status, 403, target)
  }
})
