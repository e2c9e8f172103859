/** Everything by keyboard: the commands, the navigation keys, and where they do not act. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFindings } from '../support/browser.ts'
import { browserStage } from '../support/browser-stage.ts'
import { eventually } from '../support/scratch.ts'
import { atRest } from '../support/views.ts'

const stage = browserStage({
  prepare: async (daemon, directory) => {
    for (const label of ['Photos', 'Music']) {
      mkdirSync(join(directory, label))
      await daemon.addFolder(label.toLowerCase(), join(directory, label), { label })
    }
    mkdirSync(join(directory, 'Photos', 'cats'))
    writeFileSync(join(directory, 'Photos', 'cats', 'tiger.jpg'), 'a cat')
    await daemon.post('/rest/db/scan?folder=photos')
  },
})
const { skip } = stage

const field = (page: Page) => page.getByRole('combobox', { name: 'What do you want to do?' })
const options = (page: Page) => page.getByRole('dialog').getByRole('option')

async function command(page: Page, typed: string, expected: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await field(page).fill(typed)
  await options(page).first().filter({ hasText: expected }).waitFor()
  await page.keyboard.press('Enter')
  await field(page).waitFor({ state: 'detached' })
}

const isPaused = async (id: string) =>
  ((await stage.daemon.get(`/rest/config/folders/${id}`)) as { paused: boolean }).paused

test('commands work: pause, resume, rescan, go, debug, theme', { skip }, async () => {
  await stage.browser.visit({ url: `${stage.daemon.url}/` }, async ({ page }) => {
    await atRest(page)
    await command(page, 'pau pho', 'Pause Photos')
    await eventually('the folder to be paused', async () => (await isPaused('photos')) || undefined)
    await page.getByRole('main').getByText('Paused').first().waitFor()
    await command(page, 'RESUME', 'Resume Photos')
    await eventually('the folder to go on', async () => !(await isPaused('photos')) || undefined)
    await command(page, 'rescan mus', 'Rescan Music')
    await page.getByRole('status').filter({ hasText: 'Music was scanned.' }).waitFor()
    await command(page, 'debug scanner', 'Enable debug scanner')
    await page.getByRole('status').filter({ hasText: 'Debug logging enabled for scanner' }).waitFor()
    assert.deepEqual(((await stage.daemon.get('/rest/system/debug')) as { enabled: string[] }).enabled, ['scanner'])
    await command(page, 'debug scanner', 'Disable debug scanner')
    await command(page, 'theme dark', 'Theme: Dark')
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
    await command(page, 'music', 'Music')
    await page.waitForURL(/#\/folders\/music$/)
    await command(page, 'add a folder', 'Add a folder')
    await page.getByRole('dialog').getByRole('heading').first().waitFor()
  })
})

test('arrow keys navigate the list of commands, and screen readers can read it', { skip }, async () => {
  await stage.browser.visit({ url: `${stage.daemon.url}/` }, async ({ page }) => {
    await atRest(page)
    await page.getByRole('button', { name: 'Commands' }).click()
    await field(page).waitFor()
    const chosen = async () => {
      const id = await field(page).getAttribute('aria-activedescendant')
      const selected = page.getByRole('dialog').getByRole('option', { selected: true })
      assert.equal(await selected.count(), 1)
      assert.equal(await selected.getAttribute('id'), id)
      return (await selected.innerText()).split('\n')[0]
    }
    assert.equal(await page.getByText('did not start').count(), 0)
    assert.equal(await chosen(), 'Overview')
    await page.keyboard.press('ArrowDown')
    assert.equal(await chosen(), 'Attention')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowUp')
    assert.notEqual(await chosen(), 'Overview')
    assert.deepEqual(await accessibilityFindings(page), [])
    await field(page).fill('there is no such thing')
    await page.getByText('No matches.').waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await field(page).waitFor({ state: 'detached' })
    assert.equal(await page.evaluate('document.activeElement.ariaLabel'), 'Commands')
  })
})

test(
  'a list of commands that has been used takes no more keys: none is done twice, and it opens again at once',
  { skip },
  async () => {
    await stage.browser.visit({ url: `${stage.daemon.url}/` }, async ({ page }) => {
      await atRest(page)
      await page.keyboard.press('Control+k')
      await field(page).fill('add a folder')
      await options(page).first().filter({ hasText: 'Add a folder' }).waitFor()
      // All in one task of the page: its field has the focus until the next frame.
      await page.evaluate(`{
      const field = document.activeElement
      for (const key of [{ key: 'Enter' }, { key: 'Enter' }, { key: 'k', ctrlKey: true }]) {
        field.dispatchEvent(new KeyboardEvent('keydown', { ...key, bubbles: true, cancelable: true }))
      }
    }`)
      await field(page).waitFor()
      await page.keyboard.press('Escape')
      // A closed dialog is not shown, and a moment later not there.
      await page.locator('dialog:not([open])').waitFor({ state: 'detached' })
      assert.equal(await page.locator('dialog').count(), 1, 'the dialog of a new folder, once')
    })
  },
)

test('keys navigate, search and help, but not while typing', { skip }, async () => {
  await stage.browser.visit({ url: `${stage.daemon.url}/` }, async ({ page }) => {
    await atRest(page)
    for (const [keys, address] of [
      ['gf', /#\/folders$/],
      ['gd', /#\/devices$/],
      ['gc', /#\/changes$/],
      ['gs', /#\/settings/],
      ['go', /#\/$/],
      ['gl', /#\/log$/],
    ] as const) {
      for (const key of keys) await page.keyboard.press(key)
      await page.waitForURL(address)
    }
    const search = page.getByRole('searchbox', { name: 'Search in the log' })
    await search.waitFor()
    await page.keyboard.press('/')
    assert.equal(await search.evaluate((element) => element.matches(':focus')), true)
    await page.keyboard.type('gf?/')
    assert.equal(await search.inputValue(), 'gf?/')
    assert.match(page.url(), /#\/log\?search=gf/)
    await search.blur()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Open the commands').waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('f')
    assert.match(page.url(), /#\/log\?/, 'a dialog has the keys to itself')
    assert.deepEqual(await accessibilityFindings(page), [])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})

test('another language changes the texts and nothing else', { skip }, async () => {
  await stage.browser.visit({ url: `${stage.daemon.url}/#/log` }, async ({ page }) => {
    await page.getByRole('searchbox', { name: 'Search in the log' }).fill('GUI')
    await command(page, 'deutsch', 'Language: Deutsch')
    await page.getByRole('heading', { name: 'Protokoll', exact: true }).waitFor()
    assert.equal(await page.locator('html').getAttribute('lang'), 'de')
    assert.equal(await page.getByRole('searchbox', { name: 'Im Protokoll suchen' }).inputValue(), 'GUI')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Was möchten Sie tun?' }).fill('中文')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '日志', exact: true }).waitFor()
    assert.equal(await page.getByRole('searchbox').inputValue(), 'GUI')
  })
})

test('files of all folders, settings and conflicts are found, and open', { skip }, async () => {
  await stage.browser.visit({ url: `${stage.daemon.url}/` }, async ({ page }) => {
    await atRest(page)
    await command(page, 'tiger', 'cats/tiger.jpg')
    await page.getByRole('dialog', { name: 'tiger.jpg' }).waitFor()
    await page.waitForURL(/#\/folders\/photos\/files\/cats%2Ftiger\.jpg$/)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await command(page, 'reconnection', 'Reconnection interval')
    await page.waitForURL(/#\/settings\/connections$/)
    await page.locator('input:focus').waitFor()
    await command(page, 'conflicts', 'Conflicts')
    await page.waitForURL(/#\/conflicts$/)
    await page.route('**/rest/twinfold/find?*', async (route) => {
      if (new URL(route.request().url()).searchParams.has('from')) return // like a request that takes long
      const reply = await route.fetch()
      const found = (await reply.json()) as object
      await route.fulfill({ response: reply, json: { ...found, truncated: true, next: 'photos/cats' } })
    })
    await page.keyboard.press('Control+k')
    await field(page).fill('tiger')
    await options(page).filter({ hasText: 'cats/tiger.jpg' }).waitFor()
    await page.getByRole('status').filter({ hasText: 'Searching file names …' }).waitFor()
  })
})

test('a folder is paused for a time by a command, and resumed by undo', { skip }, async () => {
  await stage.browser.visit({ url: `${stage.daemon.url}/#/folders/photos` }, async ({ page }) => {
    await atRest(page)
    await command(page, 'pause photos 90 min', 'Pause Photos for')
    await eventually('the pause', async () => (await isPaused('photos')) || undefined)
    await page.getByText('resumes in 2 hours').waitFor()
    const { pauses } = (await stage.daemon.get('/rest/twinfold/summary')) as { pauses: readonly { id: string }[] }
    assert.deepEqual(
      pauses.map(({ id }) => id),
      ['photos'],
    )
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('status').filter({ hasText: 'Undone.' }).waitFor()
    assert.equal(await isPaused('photos'), false)
    await command(page, 'pause photos', 'Pause Photos')
    await page.getByRole('status').filter({ hasText: 'Photos paused.' }).waitFor()
    await page.keyboard.press('Control+z')
    await eventually('the undo by key', async () => !(await isPaused('photos')) || undefined)
  })
})

test('a removed folder comes back by undo, with its settings', { skip }, async () => {
  await stage.daemon.request('PATCH', '/rest/config/folders/music', { rescanIntervalS: 777 })
  await stage.browser.visit({ url: `${stage.daemon.url}/#/folders/music` }, async ({ page }) => {
    await atRest(page)
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.waitForURL(/#\/folders$/)
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('main').getByText('Music', { exact: true }).waitFor()
    const { rescanIntervalS } = (await stage.daemon.get('/rest/config/folders/music')) as { rescanIntervalS: number }
    assert.equal(rescanIntervalS, 777)
  })
})
