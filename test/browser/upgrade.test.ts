/** A newer release on the page: what changed, the command, and that it can be dismissed. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFindings } from '../support/browser.ts'
import { browserStage } from '../support/browser-stage.ts'
import { NpmRegistry } from '../support/npm-registry.ts'
import { atRest } from '../support/views.ts'

const EVIL = 'Faster.\n\n- <img src=x onerror="document.title=\'hacked\'">\n- [x](javascript:alert(1))'
let registry: NpmRegistry | undefined
const stage = browserStage({
  daemon: async () => ({ env: { STNOUPGRADE: '0' } }),
  prepare: async (daemon) => {
    registry = await NpmRegistry.start()
    await daemon.request('PATCH', '/rest/config/options', { releasesURL: registry.source })
  },
})
after(() => registry?.[Symbol.asyncDispose]())
const { skip } = stage
const there = () => registry ?? assert.fail('the stage is set when the first test begins')
const noticeOf = (page: Page) => page.getByRole('region', { name: 'New version' })

/** Makes the daemon check now. */
async function look(latest: string): Promise<void> {
  there().release(latest, {
    twinfold: {
      changes: [
        { version: latest, text: EVIL },
        { version: '98.0.0', text: 'Earlier.' },
      ],
    },
  })
  // Switched off, the daemon discards its result, and checks again when switched on.
  for (const autoUpgradeIntervalH of [0, 12])
    await stage.daemon.request('PATCH', '/rest/config/options', { autoUpgradeIntervalH })
}

const visit = (act: (page: Page) => Promise<void>, locale = 'en-US') =>
  stage.browser.visit(
    { url: `${stage.daemon.url}/`, context: { locale, permissions: ['clipboard-read', 'clipboard-write'] } },
    async ({ page }) => {
      await atRest(page)
      await act(page)
    },
  )

test('with checks off there is no notice, and no request is sent', { skip }, () =>
  visit(async (page) => {
    await page.getByText('This device', { exact: true }).first().waitFor()
    assert.equal(await noticeOf(page).count(), 0)
    assert.deepEqual(there().requests, [])
  }),
)

test('a newer release: version, what changed as plain text, the command to copy', { skip }, async () => {
  await look('99.0.0')
  await stage.daemon.get('/rest/system/upgrade')
  await visit(async (page) => {
    const notice = noticeOf(page)
    await notice.getByText(/Twinfold v99\.0\.0 is available\. The running version is v\d/).waitFor()
    await notice.getByText('It is a new major version. Read what changed before you upgrade.').waitFor()
    await notice.getByText('What changed', { exact: true }).click()
    await notice.getByText('<img src=x onerror=').waitFor()
    await notice.getByText('Earlier.').waitFor()
    assert.equal(await notice.locator('img, a, script').count(), 0)
    await notice.getByRole('button', { name: 'Copy command' }).click()
    await notice.getByRole('button', { name: 'Copied' }).waitFor()
    assert.match(await page.evaluate('navigator.clipboard.readText()'), /^git -C .* pull --ff-only$/)
    assert.notEqual(await page.title(), 'hacked')
    assert.deepEqual(await accessibilityFindings(page), [])
  })
})

test('it is shown in the language of the page', { skip }, () =>
  visit(async (page) => {
    await page.getByText('Twinfold v99.0.0 ist verfügbar.').waitFor()
    await page.getByRole('button', { name: 'Befehl kopieren' }).waitFor()
  }, 'de-DE'),
)

test('dismissed, it stays hidden until the next version', { skip }, () =>
  visit(async (page) => {
    await noticeOf(page).getByRole('button', { name: 'Hide until the next version' }).click()
    await noticeOf(page).waitFor({ state: 'detached' })
    await page.reload()
    await atRest(page)
    await page.getByText('This device', { exact: true }).first().waitFor()
    assert.equal(await noticeOf(page).count(), 0)
    await look('99.1.0')
    await stage.daemon.get('/rest/system/upgrade')
    await page.reload()
    await noticeOf(page).getByText('Twinfold v99.1.0 is available.').waitFor()
  }),
)
