import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { startDaemon, type Daemon } from '../support/daemon.ts'
import type { DrivenPage } from '../support/driven-page.ts'
import { loopbackOnly } from '../support/loopback.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const INSIDE = 'TWINFOLD_TEST_INSIDE'
const LIMIT_MS = 280_000

/** A browser beside Chromium. */
export interface DrivenBrowser extends AsyncDisposable {
  /** Opens a page of its own. */
  visit<T>(url: string, act: (page: DrivenPage) => Promise<T>): Promise<T>
}

/** The test file runs alone in a network of nothing but loopback. */
export const isAlone = process.env[INSIDE] !== undefined

/** Runs the test file once more, alone in a network of nothing but loopback. */
export function runAlone(file: string): void {
  const [program, ...args] = loopbackOnly()
  const { NODE_TEST_CONTEXT: _ours, ...env } = process.env
  const result = spawnSync(program!, [...args, process.execPath, '--test', file], {
    env: { ...env, [INSIDE]: 'true' },
    encoding: 'utf8',
    timeout: LIMIT_MS,
  })
  console.log(result.stdout)
  assert.equal(result.status, 0, `${result.stdout}\n${result.stderr}`)
  assert.match(result.stdout, /pass [1-9]/)
}

/** The main paths, each as a test, in a browser that gets a directory of its own. */
export function mainPaths(start: (directory: string) => Promise<DrivenBrowser>): void {
  const scratch = scratchDirectory()
  let daemon: Daemon
  let browser: DrivenBrowser

  before(async () => {
    daemon = await startDaemon({ home: join(scratch.path, 'home') })
    const photos = join(scratch.path, 'Photos')
    mkdirSync(join(photos, 'cats'), { recursive: true })
    writeFileSync(join(photos, 'cats', 'tiger.jpg'), 'a cat')
    await daemon.addFolder('photos', photos, { label: 'Photos' })
    await daemon.post('/rest/db/scan?folder=photos')
    browser = await start(join(scratch.path, 'browser'))
  })

  after(async () => {
    await browser?.[Symbol.asyncDispose]()
    await daemon?.[Symbol.asyncDispose]()
    scratch[Symbol.dispose]()
  })

  const at = (place: string, act: (page: DrivenPage) => Promise<void>) =>
    browser.visit(`${daemon.url}/#/${place}`, async (page) => {
      await page.until('the page', `document.querySelector('main h1') !== null && !document.querySelector('.skeleton')`)
      await act(page)
    })
  const isPaused = async () => ((await daemon.get('/rest/config/folders/photos')) as { paused: boolean }).paused

  test('every main page opens by its link, without serious findings of axe', () =>
    at('', async (page) => {
      for (const name of ['Attention', 'Folders', 'Devices', 'Changes', 'Log', 'Settings', 'Overview']) {
        await page.click('nav a span', name) // beside it may be a count
        await page.until(
          name,
          `document.querySelector('nav a[aria-current]')?.textContent.includes('${name}') === true`,
        )
        assert.deepEqual(await page.accessibilityFindings(), [], name)
      }
    }))

  test('a folder is added by its dialog', () =>
    at('folders', async (page) => {
      await page.click('button', 'Add folder')
      await page.fill('Name', 'Letters')
      await page.fill('Path', join(scratch.path, 'Letters'))
      await page.untilText('it will be created')
      await page.click('dialog button', 'Add folder')
      await page.until('the page of the folder', `document.querySelector('main h1')?.textContent === 'Letters'`)
      await page.untilNoDialog()
    }))

  test('the tree is walked by keys; the opened file has an address, and Back closes it', () =>
    at('folders/photos/files', async (page) => {
      await page.until('the tree', `document.querySelector('tr[data-index="0"]') !== null`)
      await page.evaluate(`document.querySelector('tr[data-index="0"]').focus()`)
      await page.press('ArrowRight')
      await page.untilText('tiger.jpg')
      await page.press('ArrowDown')
      await page.press('Enter')
      await page.until('the details', `document.querySelector('dialog[open]') !== null`)
      await page.until('the address', `location.hash.includes('tiger.jpg')`)
      await page.goBack()
      await page.untilNoDialog()
      assert.equal(await page.evaluate(`location.hash`), '#/folders/photos/files?open=cats')
    }))

  test('a command pauses the folder, and its toast undoes it', () =>
    at('', async (page) => {
      await page.press('Control+k')
      await page.until('the commands', `document.querySelector('dialog[open] input') !== null`)
      await page.type('pause photos')
      await page.until(
        'the command',
        `document.querySelector('[role="option"]')?.textContent.includes('Photos') === true`,
      )
      await page.press('Enter')
      await eventually('the pause', async () => (await isPaused()) || undefined)
      await page.click('.toast button', 'Undo')
      await eventually('the undo', async () => !(await isPaused()) || undefined)
    }))

  test('a setting is saved, and kept over a reload', () =>
    at('settings/general', async (page) => {
      await page.fill('Name of this device', 'fox')
      await page.click('button', 'Save')
      await page.untilText('Saved')
      await page.reload()
      await page.until(
        'the name',
        `[...document.querySelectorAll('main input')].some((input) => input.value === 'fox')`,
      )
    }))
}
