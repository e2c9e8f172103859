/** The log page: switches, warnings, downloads, restart and shutdown. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFindings } from '../support/browser.ts'
import { browserStage } from '../support/browser-stage.ts'
import { freePort } from '../support/free-port.ts'
import { eventually } from '../support/scratch.ts'
import { atRest } from '../support/views.ts'

/** While a daemon is unreachable, the browser logs errors on its console. */
const AWAY = [/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|ERR_NETWORK/]

const stage = browserStage({
  daemon: async () => ({ guiAddress: `127.0.0.1:${await freePort()}` }),
})
const { skip } = stage

const url = () => `${stage.daemon.url}/#/log`
const lines = (page: Page) => page.getByRole('log').getByRole('listitem')
const line = (page: Page, text: string) => lines(page).filter({ hasText: text })
const logWarning = (text: string) => stage.daemon.post('/rest/system/error', text)

test('the log updates by itself, and can be filtered', { skip }, async () => {
  await stage.browser.visit({ url: url() }, async ({ page }) => {
    await line(page, 'GUI and API listening').waitFor()
    await logWarning('first of all')
    await line(page, 'first of all').waitFor()
    assert.equal(await line(page, 'first of all').count(), 1)
    assert.match(
      await line(page, 'first of all').innerText(),
      /\d\d:\d\d:\d\d\s+Warning\s+http\s+reported from outside: first of all/,
    )

    await page.getByRole('combobox', { name: 'Level' }).selectOption({ label: 'Warnings only' })
    await line(page, 'GUI and API listening').waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Level' }).selectOption({ label: 'All levels' })
    await page.getByRole('combobox', { name: 'Facility' }).selectOption('main')
    await line(page, 'first of all').waitFor({ state: 'detached' })
    await page.getByRole('combobox', { name: 'Facility' }).selectOption({ label: 'All facilities' })
    await page.getByRole('searchbox', { name: 'Search in the log' }).fill('FIRST OF')
    await page.getByText('1 line', { exact: true }).waitFor()
    await page.getByRole('searchbox', { name: 'Search in the log' }).fill('nowhere to be found')
    await page.getByText('No matching lines.').waitFor()
    await page.getByRole('searchbox', { name: 'Search in the log' }).fill('')
    await line(page, 'first of all').waitFor()
  })
})

test('the log can be paused, copied and cleared', { skip }, async () => {
  await stage.browser.visit(
    { url: url(), context: { permissions: ['clipboard-read', 'clipboard-write'] } },
    async ({ page }) => {
      await line(page, 'GUI and API listening').waitFor()
      await page.getByRole('button', { name: 'Pause', exact: true }).click()
      await logWarning('logged meanwhile')
      // Rates are requested every two seconds, the log every second: after two it would have been updated.
      for (let round = 0; round < 2; round++) await page.waitForResponse(/\/rest\/twinfold\/pulse/)
      assert.equal(await line(page, 'logged meanwhile').count(), 0)
      await page.getByRole('button', { name: 'Resume', exact: true }).click()
      await line(page, 'logged meanwhile').waitFor()
      assert.equal(await line(page, 'logged meanwhile').count(), 1)

      await page.getByRole('button', { name: 'Copy' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      assert.match(
        String(await page.evaluate('navigator.clipboard.readText()')),
        /Z WARNING http: reported from outside: logged meanwhile\n$/,
      )

      await page.getByRole('button', { name: 'Clear view' }).click()
      await line(page, 'logged meanwhile').waitFor({ state: 'detached' })
      await logWarning('logged afterwards')
      await line(page, 'logged afterwards').waitFor()
      assert.equal(await lines(page).count(), 1)
    },
  )
})

test('scrolling up stops following the end', { skip }, async () => {
  for (let count = 0; count < 60; count++) await logWarning(`line number ${count}`)
  await stage.browser.visit({ url: url(), context: { viewport: { width: 1000, height: 700 } } }, async ({ page }) => {
    await line(page, 'line number 59').waitFor()
    const log = page.getByRole('log')
    const isAtEnd = () =>
      log.evaluate(
        (box: { scrollHeight: number; scrollTop: number; clientHeight: number }) =>
          box.scrollHeight - box.scrollTop - box.clientHeight < 24,
      )
    await eventually('the end', async () => (await isAtEnd()) || undefined)
    await log.focus()
    await page.keyboard.press('Home')
    await page.getByRole('button', { name: 'Jump to newest' }).waitFor()
    await logWarning('a new line')
    await line(page, 'a new line').waitFor({ state: 'attached' })
    assert.equal(await isAtEnd(), false)
    await page.getByRole('button', { name: 'Jump to newest' }).click()
    await eventually('the end again', async () => (await isAtEnd()) || undefined)
  })
})

test('each of the eighteen facilities has a switch, and a switch works', { skip }, async () => {
  await stage.browser.visit({ url: url() }, async ({ page }) => {
    await page.getByRole('switch').first().waitFor()
    assert.equal(await page.getByRole('switch').count(), 18)
    await page.getByRole('switch', { name: /^http/ }).click()
    await page.getByRole('switch', { name: /^http/, checked: true }).waitFor()
    assert.deepEqual(((await stage.daemon.get('/rest/system/debug')) as { enabled: string[] }).enabled, ['http'])
    await page.getByText('1 on', { exact: true }).waitFor()
    await page.getByRole('switch', { name: /^http/ }).click()
    await page.getByRole('switch', { name: /^http/, checked: false }).waitFor()
    assert.deepEqual(((await stage.daemon.get('/rest/system/debug')) as { enabled: string[] }).enabled, [])
    assert.deepEqual(await accessibilityFindings(page), [])
  })
})

test('warnings are listed until they are cleared', { skip }, async () => {
  await logWarning('a warning')
  await stage.browser.visit({ url: url() }, async ({ page }) => {
    await page.getByRole('listitem').filter({ hasText: 'a warning' }).first().waitFor()
    await page.getByRole('button', { name: 'Clear warnings' }).click()
    await page.getByRole('heading', { name: 'Warnings' }).waitFor({ state: 'detached' })
    assert.deepEqual(await stage.daemon.get('/rest/system/error'), { errors: null })
  })
})

test('the log and the support bundle can be downloaded', { skip }, async () => {
  await stage.browser.visit({ url: url() }, async ({ page }) => {
    const download = async (item: string, confirm?: string) => {
      await page.getByRole('button', { name: 'Download' }).first().click()
      const waiting = page.waitForEvent('download')
      await page.getByRole('menuitem', { name: item }).click()
      if (confirm !== undefined) await page.getByRole('dialog').getByRole('button', { name: confirm }).click()
      const file = await waiting
      return { name: file.suggestedFilename(), content: readFileSync(await file.path()) }
    }
    await atRest(page)
    const text = await download('Log as text')
    assert.equal(text.name, 'twinfold-log.txt')
    assert.match(text.content.toString(), /main: Twinfold v/)
    const bundle = await download('Support bundle', 'Download')
    assert.match(bundle.name, /\.zip$/)
    assert.equal(bundle.content.subarray(0, 2).toString(), 'PK')
    await eventually(
      'what was opened for it to be closed again',
      async () =>
        ((await stage.daemon.get('/rest/config/gui')) as { debugging: boolean }).debugging === false || undefined,
    )
  })
})

test('it shows the version, and links for programs', { skip }, async () => {
  await stage.browser.visit({ url: url() }, async ({ page }) => {
    await page.getByText(/^Twinfold v\S+$/).waitFor()
    assert.equal(await page.getByRole('link', { name: 'REST interface' }).getAttribute('href'), '/api')
    assert.equal(await page.getByRole('link', { name: 'Metrics' }).getAttribute('href'), '/metrics')
  })
})

test('restart and shutdown need a confirmation; the page reconnects', { skip }, async () => {
  await stage.browser.visit({ url: url(), expected: AWAY }, async ({ page }) => {
    const choose = async (item: string) => {
      await page.getByRole('button', { name: 'Restart or shut down' }).click()
      await page.getByRole('menuitem', { name: item }).click()
    }
    const startTime = async () => ((await stage.daemon.get('/rest/system/status')) as { startTime: string }).startTime
    await atRest(page)
    await choose('Restart')
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const before = await startTime()
    await eventually(
      'another second for the start time',
      async () => Date.parse(before) < Date.now() - 1_000 || undefined,
    )
    await choose('Restart')
    await page.getByRole('dialog').getByRole('button', { name: 'Restart' }).click()
    await eventually('another start', async () => (await startTime()) !== before || undefined)
    await logWarning('after the restart')
    await line(page, 'after the restart').waitFor()

    await choose('Shut down')
    await page.getByRole('dialog').getByRole('button', { name: 'Shut down' }).click()
    assert.equal(await stage.daemon.ended(), 0)
    await page.getByRole('alert').filter({ hasText: 'responding' }).waitFor()
  })
})
