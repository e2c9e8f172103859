/** The daemon restarts, is updated, moves, or requires a login: the page reconnects, and keeps all input. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { freePort } from '../support/free-port.ts'
import { startDaemon, type Daemon } from '../support/daemon.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { atRest } from '../support/views.ts'

const skip = missingBrowser() ?? false
/** While a daemon is unreachable, or rejects the token, the browser logs errors on its console. */
const AWAY = [/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|ERR_NETWORK|ERR_FAILED|status of 403/]
const scratch = scratchDirectory()
const home = join(scratch.path, 'home')
let browser: Chromium
let daemon: Daemon
let address: string

before(async () => {
  if (skip !== false) return
  address = `127.0.0.1:${await freePort()}`
  daemon = await startDaemon({ home, guiAddress: address })
  mkdirSync(join(scratch.path, 'Photos'))
  await daemon.addFolder('photos', join(scratch.path, 'Photos'), { label: 'Photos' })
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await daemon?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const lost = (page: Page) => page.getByRole('alert').filter({ hasText: 'responding' })
const rename = (label: string) => daemon.request('PATCH', '/rest/config/folders/photos', { label })
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search in the log' })

test('the page reconnects to a daemon that is killed and started again, and input stays', { skip }, async () => {
  await browser.visit({ url: `http://${address}/#/log`, expected: AWAY }, async ({ page }) => {
    await search(page).fill('typed before')
    await page.getByRole('switch', { name: /^http/ }).waitFor() // loaded before the daemon is gone
    await page.evaluate('window.isTheSame = true')
    await daemon.signal('SIGKILL')
    await lost(page).waitFor()
    await eventually('the sign in the title', async () => (await page.title()).includes('‖') || undefined)
    await page.getByRole('switch', { name: /^http/ }).click()
    await page.getByRole('status').filter({ hasText: 'Action failed: Twinfold isn’t responding' }).waitFor()
    daemon = await startDaemon({ home, guiAddress: address })
    await lost(page).waitFor({ state: 'detached' })
    assert.equal(await search(page).inputValue(), 'typed before')
    assert.equal(await page.evaluate('window.isTheSame'), true)
    await rename('Pictures')
    await page.goto(`http://${address}/#/folders`)
    await page.getByRole('main').getByText('Pictures', { exact: true }).waitFor()
  })
})

test('an invalid token is renewed without a message', { skip }, async () => {
  await browser.visit({ url: `http://${address}/#/folders`, expected: AWAY }, async ({ page }) => {
    await page.getByRole('main').getByText('Pictures', { exact: true }).waitFor()
    await page.evaluate('window.isTheSame = true')
    await page.context().clearCookies()
    await rename('Photos')
    await page.getByRole('main').getByText('Photos', { exact: true }).waitFor()
    await rename('Photographs')
    await page.getByRole('main').getByText('Photographs', { exact: true }).waitFor()
    assert.equal(await page.evaluate('window.isTheSame'), true)
  })
})

test('a hidden page is up to date as soon as it is visible', { skip }, async () => {
  await browser.visit({ url: `http://${address}/#/folders` }, async ({ page }) => {
    await page.getByRole('main').getByText('Photographs', { exact: true }).waitFor()
    const seen = (state: string) =>
      page.evaluate(
        `Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true }); ` +
          `document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await seen('hidden')
    await rename('Photos')
    await rename('Photos again')
    await seen('visible')
    await page.getByRole('main').getByText('Photos again', { exact: true }).waitFor()
  })
})

test('when a password becomes required, the login appears above the page and input stays', { skip }, async () => {
  await browser.visit({ url: `http://${address}/#/log`, expected: AWAY }, async ({ page }) => {
    await search(page).fill('typed before the login')
    await daemon.request('PATCH', '/rest/config/gui', { user: 'me', password: 'secret' })
    const login = page.getByRole('dialog', { name: 'Log in again' })
    await login.waitFor()
    await page.keyboard.press('Escape')
    assert.equal(await login.isVisible(), true, 'Escape is no way in')
    await login.getByRole('textbox').first().fill('me')
    await login.locator('input[type=password]').fill('secret')
    await page.keyboard.press('Enter')
    await login.waitFor({ state: 'detached' })
    assert.equal(await search(page).inputValue(), 'typed before the login')
    await page.getByRole('button', { name: 'Log out' }).click()
    await search(page).waitFor({ state: 'detached' })
    assert.equal(await page.getByText('Photos again').count(), 0)
  })
  await daemon.request('PATCH', '/rest/config/gui', { user: '', password: '' })
})

test('a file that could not be loaded is loaded when the daemon is back', { skip }, async () => {
  await browser.visit({ url: `http://${address}/#/log`, expected: AWAY }, async ({ page }) => {
    await search(page).waitFor()
    const [drawing, failed] = ['**/assets/uPlot*.js', () => page.waitForEvent('requestfailed')]
    await page.route(drawing, (route) => route.abort())
    await Promise.all([failed(), page.goto(`http://${address}/#/`)])
    await failed() // a second attempt
    await page.unroute(drawing)
    await page.locator('.plot-place canvas').waitFor()
  })
})

test('the page keeps nothing in memory for each round of events', { skip }, async () => {
  await browser.visit({ url: `http://${address}/#/folders` }, async ({ page }) => {
    const promises = await promiseCounter(page)
    const round = async (label: string) => {
      await rename(label)
      await page.getByRole('main').getByText(label, { exact: true }).waitFor()
    }
    for (let i = 0; i < 10; i++) await round(`Early ${i}`)
    const early = await promises()
    for (let i = 0; i < 30; i++) await round(`Late ${i}`)
    const more = (await promises()) - early
    assert.ok(more < 15, `${more} more promises after 30 rounds`)
  })
})

/** Counts the promises of the page that are still referenced. */
async function promiseCounter(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  const { result } = await session.send('Runtime.evaluate', { expression: 'Promise.prototype' })
  return async () => {
    const { objects } = await session.send('Runtime.queryObjects', { prototypeObjectId: result.objectId ?? '' })
    const { result: length } = await session.send('Runtime.callFunctionOn', {
      objectId: objects.objectId ?? '',
      functionDeclaration: 'function () { return this.length }',
    })
    await session.send('Runtime.releaseObject', { objectId: objects.objectId ?? '' })
    return Number(length.value)
  }
}

test('a page whose address is changed links to the new address', { skip }, async () => {
  const [first, second] = [`127.0.0.1:${await freePort()}`, `127.0.0.1:${await freePort()}`]
  await daemon.request('PATCH', '/rest/config/gui', { address: first })
  await daemon.signal('SIGTERM')
  daemon = await startDaemon({ home, guiAddress: undefined })
  await browser.visit(
    { url: `http://${first}/#/folders`, expected: [...AWAY, /foreign request/] },
    async ({ page }) => {
      await atRest(page)
      // The events of the start have arrived by then, so that the next event is the new address.
      for (let round = 0; round < 3; round++) await page.waitForResponse(/\/rest\/twinfold\/pulse/)
      // A slow page loads nothing from the old address any more.
      await page.route(/\/rest\/config/, (route) => route.abort())
      await daemon.request('PATCH', '/rest/config/gui', { address: second })
      await page.getByRole('alert').getByRole('link', { name: 'Open the new address' }).click()
      await page.waitForURL(`http://${second}/**`)
      await page.getByRole('main').waitFor()
    },
  )
})
