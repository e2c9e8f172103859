/** The start page without a session: it loads, has a heading, and sends no request to other hosts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserStage } from '../support/browser-stage.ts'
import { eventually } from '../support/scratch.ts'

const FIRST_PAINT_MS = `performance.getEntriesByName('first-contentful-paint')[0]?.startTime`

const stage = browserStage()
const { skip } = stage

test('the start page has a heading, a policy, and no errors', { skip }, async () => {
  const reply = await fetch(`${stage.daemon.url}/`)
  assert.match(reply.headers.get('content-security-policy') ?? '', /default-src 'self'/)
  assert.doesNotMatch(reply.headers.get('content-security-policy') ?? '', /unsafe/)
  await reply.arrayBuffer()
  await stage.browser.visit({ url: `${stage.daemon.url}/` }, async ({ page }) => {
    await page.getByRole('heading').first().waitFor()
    assert.match(await page.title(), /Twinfold/)
    const firstPaintMs = await eventually('the first paint', () => page.evaluate<number | undefined>(FIRST_PAINT_MS))
    console.log(JSON.stringify({ page: 'start', firstPaintMs: Math.round(firstPaintMs) }))
  })
})

test('the collector records errors, blocked requests and foreign requests', { skip }, async () => {
  const broken = (script: string) =>
    stage.browser.visit({ url: `${stage.daemon.url}/` }, async ({ page, problems }) => {
      await page.evaluate(script)
      for (let wait = 0; wait < 100 && problems.length === 0; wait++) await page.waitForTimeout(20)
    })
  await assert.rejects(broken(`console.error('oh')`), /console: oh/)
  await assert.rejects(broken(`void setTimeout(() => { throw new Error('thrown') })`), /script: .*thrown/)
  await assert.rejects(broken(`document.body.innerHTML += '<img src=x onerror=alert(1)>'`), /CSP: |console: /)
  await assert.rejects(
    broken(`void fetch('http://elsewhere.invalid/').catch(() => {})`),
    /Content Security Policy|CSP: connect-src/,
  )
  await assert.rejects(
    broken(`void (location.href = 'http://elsewhere.invalid/')`),
    /foreign request: http:\/\/elsewhere/,
  )
  await assert.rejects(broken(`alert(2)`), /SCRIPT RAN/)
})
