/** The overview: the overall status, and live updates without a reload. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { startDaemon, type Daemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { atRest } from '../support/views.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
const OTHER = 'P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2'
let browser: Chromium
let daemon: Daemon
let address: string

before(async () => {
  if (skip !== false) return
  address = `127.0.0.1:${await freePort()}` // the daemon comes back where it was
  daemon = await startDaemon({ home: join(scratch.path, 'home'), guiAddress: address })
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await daemon?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const overallStatus = (page: Page) => page.getByRole('banner').getByRole('link').first()
const showsStatus = (page: Page, text: string | RegExp) => overallStatus(page).filter({ hasText: text }).waitFor()
const url = () => `http://${address}/`

test('a new device shows the first steps, and folders appear as they are added', { skip }, async () => {
  await browser.visit({ url: url() }, async ({ page }) => {
    await showsStatus(page, 'Nothing to synchronize yet. Add a folder to begin.')
    const root = join(scratch.path, 'Photos')
    mkdirSync(root)
    writeFileSync(join(root, 'one.txt'), 'x')
    await daemon.addFolder('photos', root, { label: 'Photos' })
    await daemon.post('/rest/db/scan?folder=photos')
    await page.getByRole('main').getByText('Photos', { exact: true }).waitFor()
    await page.getByRole('main').getByText('1 file', { exact: false }).first().waitFor()
    await showsStatus(page, 'No other device yet.')
    await daemon.request('PATCH', '/rest/config/folders/photos', { paused: true })
    await showsStatus(page, 'All folders are paused.')
    await daemon.request('PATCH', '/rest/config/folders/photos', { paused: false })
    await showsStatus(page, 'No other device yet.')
  })
})

test('the row of a folder counts the devices it is shared with', { skip }, async () => {
  await browser.visit({ url: url() }, async ({ page }) => {
    await daemon.post('/rest/config/devices', { deviceID: OTHER, name: 'tablet', addresses: [] })
    await daemon.request('PATCH', '/rest/config/folders/photos', { devices: [{ deviceID: OTHER }] })
    const row = page.getByRole('table', { name: 'Folders' }).getByRole('row').filter({ hasText: 'Photos' })
    await row.getByText('1 device', { exact: true }).waitFor()
    await daemon.request('DELETE', `/rest/config/devices/${OTHER}`)
    await row.getByText('1 device', { exact: true }).waitFor({ state: 'detached' })
  })
})

test('the daemon stops and starts again: the page shows it, and reconnects without a reload', { skip }, async () => {
  const expected = [/net::ERR_|status of 403/] // logged for failed requests
  await browser.visit({ url: url(), expected }, async ({ page }) => {
    await atRest(page)
    await page.evaluate('window.isTheSame = true')
    await daemon.signal('SIGTERM')
    await page.getByRole('alert').filter({ hasText: 'responding' }).waitFor()
    daemon = await startDaemon({ home: join(scratch.path, 'home'), guiAddress: address })
    await page.getByRole('alert').filter({ hasText: 'responding' }).waitFor({ state: 'detached' })
    await daemon.request('PATCH', '/rest/config/folders/photos', { label: 'Pictures' })
    await page.getByRole('main').getByText('Pictures', { exact: true }).waitFor()
    assert.equal(await page.evaluate('window.isTheSame'), true)
  })
})

test('a change that requires a restart is shown, and takes effect by a click', { skip }, async () => {
  const expected = [
    /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|ERR_SOCKET|status of 403/,
  ]
  await browser.visit({ url: url(), expected }, async ({ page }) => {
    await atRest(page)
    await page.evaluate('window.isTheSame = true')
    await daemon.request('PATCH', '/rest/config/options', { databaseTuning: 'small' })
    const notice = page.getByRole('status').filter({ hasText: 'takes effect after a restart' })
    await notice.getByRole('button', { name: 'Restart' }).click()
    await notice.waitFor({ state: 'detached' })
    await eventually(
      'the restart',
      async () =>
        !((await daemon.get('/rest/config/restart-required')) as { requiresRestart: boolean }).requiresRestart ||
        undefined,
    )
    assert.equal(await page.evaluate('window.isTheSame'), true)
  })
})

test('the language is the one of the browser, until the user chooses another', { skip }, async () => {
  await browser.visit({ url: url(), context: { locale: 'de-DE' } }, async ({ page }) => {
    await page.getByRole('link', { name: 'Übersicht' }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'de')
    await page.getByRole('button', { name: 'Sprache' }).click()
    await page.getByRole('menuitemradio', { name: 'Français' }).click()
    await page.getByRole('link', { name: 'Aperçu' }).waitFor()
    await page.reload()
    await page.getByRole('link', { name: 'Aperçu' }).waitFor()
  })
})

test('the theme follows the system, until the user chooses one', { skip }, async () => {
  const ink = (page: Page) => page.evaluate('getComputedStyle(document.body).color')
  await browser.visit({ url: url(), context: { colorScheme: 'light' } }, async ({ page }) => {
    await atRest(page)
    const light = await ink(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    const dark = await ink(page)
    assert.notEqual(light, dark)
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitemradio', { name: 'Light' }).click()
    assert.equal(await ink(page), light)
    await page.reload()
    await atRest(page)
    assert.equal(await ink(page), light)
  })
})

test('everything is reachable by keyboard: the first stop skips to the content', { skip }, async () => {
  await browser.visit({ url: url() }, async ({ page }) => {
    await atRest(page)
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to content')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'MAIN')
    await page.getByRole('link', { name: 'Devices' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/devices$/)
  })
})
