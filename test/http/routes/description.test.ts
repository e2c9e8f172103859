import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openApi } from '../../../src/rest/openapi.ts'
import { ROUTES } from '../../../src/rest/routes.ts'
import { fakeRest } from '../fakes.ts'

// The description of the interface: a document for programs and a page for browsers.

test('the document is served with the key, and to browsers beside the page', async () => {
  const rest = fakeRest()
  const withKey = await rest.send('GET', '/rest/openapi.json')
  assert.equal(withKey.status, 200)
  assert.equal(withKey.headers['content-type'], 'application/json; charset=utf-8')
  assert.deepEqual(JSON.parse(withKey.body), JSON.parse(JSON.stringify(openApi('v1.0.0'))))
  assert.equal((await rest.call({ method: 'GET', target: '/rest/openapi.json' })).status, 403)
  const browser = await rest.call({ method: 'GET', target: '/api/openapi.json' })
  assert.equal(browser.body, withKey.body)
})

test('the page shows every route and loads no external resource, no script and no inline style', async () => {
  const rest = fakeRest()
  const page = await rest.call({ method: 'GET', target: '/api' })
  assert.equal(page.status, 200)
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8')
  assert.match(String(page.headers['content-security-policy']), /default-src 'self'; script-src 'none'/)
  assert.doesNotMatch(page.body, /<script|<style|\s(style|on[a-z]+)=|="javascript:/i)
  const links = [...page.body.matchAll(/(?:href|src)="([^"]*)"/g)].map((match) => match[1]!)
  for (const link of links) assert.match(link, /^(#[A-Za-z]+|\/api\/[a-z.]+|\/|\/api|\/manual|\/assets\/icon\.svg)$/)
  for (const link of links.filter((one) => one.startsWith('#')))
    assert.ok(page.body.includes(`id="${link.slice(1)}"`), link)
  const shown = [...page.body.matchAll(/<b class="[a-z]+">([A-Z]+)<\/b> <code>([^<]+)<\/code>/g)].map(
    (match) => `${match[1]} ${match[2]}`,
  )
  assert.deepEqual(
    shown.sort(),
    Object.keys(ROUTES)
      .map((name) => name.replace(':id', '{id}'))
      .sort(),
  )
  const style = await rest.call({ method: 'GET', target: '/api/style.css' })
  assert.equal(style.headers['content-type'], 'text/css; charset=utf-8')
  assert.doesNotMatch(style.body, /url\(|@import/)
})

test('the page requires authentication', async () => {
  const rest = fakeRest({ gui: { user: 'a', password: 'b' } })
  for (const target of ['/api', '/api/openapi.json']) {
    assert.equal((await rest.call({ method: 'GET', target })).status, 403, target)
  }
})
