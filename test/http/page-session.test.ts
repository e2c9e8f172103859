import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { GuiConfig } from '../../src/core/config/config.ts'
import { fakeHash, fakeRest, SHORT, type FakeOptions } from './fakes.ts'

// The web page in a browser: a session and a CSRF token, never the key.

const WITH_PASSWORD: Partial<GuiConfig> = { user: 'alice', password: fakeHash('s3cret'), debugging: true }
const PAGES = [
  '/rest/svc/lang',
  '/qr/?text=hello',
  '/rest/system/browse?current=%2F',
  '/rest/events?timeout=0',
  '/rest/events/disk?timeout=0',
  '/rest/debug/support',
  '/rest/twinfold/summary',
  '/rest/twinfold/tree?folder=share',
  '/rest/twinfold/waiting?folder=share',
  '/rest/twinfold/why?folder=share&file=a',
  '/rest/twinfold/search?folder=share&text=a',
  '/rest/twinfold/conflicts?folder=share',
  '/rest/twinfold/conflict-counts',
]
const PREVIEW = { method: 'POST', target: '/rest/twinfold/ignore-preview?folder=share', body: '{"lines":["*.tmp"]}' }

function cookies(headers: Readonly<Record<string, string | readonly string[]>>): string[] {
  return [headers['set-cookie'] ?? []].flat().map((cookie) => cookie.split(';')[0] ?? '')
}

/** A browser with cookies that sends the token of one of them. */
async function browser(fake: FakeOptions, login: boolean) {
  const { call } = fakeRest(fake)
  const session = login
    ? cookies(
        (
          await call({
            method: 'POST',
            target: '/rest/noauth/auth/password',
            body: '{"username":"alice","password":"s3cret"}',
          })
        ).headers,
      )
    : []
  const page = await call({ target: '/', headers: { Cookie: session.join('; ') } })
  const token = cookies(page.headers).find((each) => each.startsWith(`CSRF-Token-${SHORT}=`)) ?? ''
  const headers = {
    Cookie: [...session, token].join('; '),
    [`X-CSRF-Token-${SHORT}`]: token.slice(token.indexOf('=') + 1),
  }
  return {
    headers,
    call,
    request: (options: Parameters<typeof call>[0]) => call({ ...options, headers: { ...headers, ...options.headers } }),
  }
}

for (const [what, gui, login] of [
  ['a password', WITH_PASSWORD, true],
  ['no password', { debugging: true }, false],
] as const) {
  test(`the page needs no key: ${what}`, async () => {
    const { request, call, headers } = await browser({ gui }, login)
    for (const target of PAGES) {
      const reply = await request({ target })
      assert.equal(reply.status, 200, `${target}: ${reply.body.slice(0, 100)}`)
    }
    assert.equal((await request(PREVIEW)).status, 200)
    assert.equal(
      (await call({ ...PREVIEW, headers: { Cookie: headers.Cookie } })).status,
      403,
      'a cookie alone changes nothing',
    )
  })
}

test('without a session the page can only log in', async () => {
  const { call } = fakeRest({ gui: WITH_PASSWORD })
  for (const target of PAGES.filter((each) => each !== '/rest/svc/lang')) {
    const { status } = await call({ target })
    assert.ok(status === 401 || status === 403, `${target}: ${status}`)
  }
  const { request } = await browser({ gui: WITH_PASSWORD }, true)
  assert.equal((await request({ method: 'POST', target: '/rest/noauth/auth/logout' })).status, 204)
  for (const target of PAGES.filter((each) => each !== '/rest/svc/lang'))
    assert.ok((await request({ target })).status >= 401, target)
})
