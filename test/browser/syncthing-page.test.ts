/** The pages of Syncthing 1.29 and 2.1 on our REST interface. */
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { pageOf } from '../support/page-of.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, link, Network } from '../support/sync-pair.ts'
import { missingSyncthing } from '../support/syncthing.ts'

/** 2.1 comes from a path in the environment; built without its page, it takes that from STGUIASSETS. */
const PROGRAMS: readonly (readonly [version: string, program: string | undefined])[] = [
  ['1.29', ''],
  ['2.1', process.env['SYNCTHING2_BIN']],
]
const ASSETS = 'STGUIASSETS'
/** As with Syncthing itself: Debian's does not upgrade itself, a paused folder has no completion, a file is missing. */
const EXPECTED = [
  /501 \(Not Implemented\) .*\/rest\/system\/upgrade\)$/,
  /404 \(Not Found\) .*\/rest\/db\/completion\?/,
  /404 \(Not Found\) .*\/vendor\/bootstrap\/fonts\//,
]
const assets = process.env[ASSETS]
const LABEL = 'Shared things'

for (const [version, program] of PROGRAMS) {
  test(`the page of Syncthing ${version} shows and controls a Twinfold without an error`, async (t) => {
    process.env['TWINFOLD_SYNCTHING'] = program ?? ''
    const missing = program === undefined ? 'SYNCTHING2_BIN names no program' : missingSyncthing()
    const skipped = missingBrowser() ?? missing
    if (skipped !== undefined) return t.skip(`not run: ${skipped}`)
    using scratch = scratchDirectory()
    await using network = await Network.open(scratch.path)
    if (version === '2.1' && assets !== undefined) process.env[ASSETS] = assets
    else delete process.env[ASSETS]
    const theirs = await network.add('syncthing', 'theirs')
    delete process.env[ASSETS]
    const ours = await network.add('twinfold', 'ours')
    const sides = { page: join(theirs.home, 'gui.sock'), replies: join(ours.home, 'gui.sock') }
    if (!(await hasPage(sides.page))) return t.skip('not run: the program has no page, and STGUIASSETS names none')
    await link([[ours, theirs]])
    await ours.request('PATCH', `/rest/config/folders/${FOLDER}`, { label: LABEL })
    await using served = await pageOf(sides)
    await using browser = await Chromium.start()
    await browser.visit({ url: `${served.url}/`, expected: EXPECTED }, async ({ page }) => {
      await page.getByRole('heading', { name: LABEL }).waitFor()
      await page.getByRole('heading', { name: 'theirs' }).waitFor()
      await rescan(page, ours.root)
      await pauseAndResume(page, async () => await ours.get(`/rest/config/folders/${FOLDER}`))
      await openDialogs(page)
    })
  })
}

/** The first button with this text; its icon is no text. */
async function press(page: Page, text: string): Promise<void> {
  const button = page.locator('button:visible', { hasText: new RegExp(`^\\s*${text}\\s*$`) })
  await button.first().click()
}

async function rescan(page: Page, root: string): Promise<void> {
  await page.getByRole('heading', { name: LABEL }).click()
  await page.getByText(root).first().waitFor()
  writeFileSync(join(root, 'new-file'), 'found by the scan')
  await press(page, 'Rescan All')
  await page.getByText('~17 B').first().waitFor()
}

async function pauseAndResume(page: Page, folder: () => Promise<unknown>): Promise<void> {
  const isPaused = async (): Promise<unknown> => Reflect.get(Object(await folder()), 'paused')
  await press(page, 'Pause All')
  await eventually('the folder is paused', async () => ((await isPaused()) === true ? true : undefined))
  await press(page, 'Resume All')
  await eventually('the folder is resumed', async () => ((await isPaused()) === false ? true : undefined))
  await page.getByText('Up to Date').first().waitFor()
}

/** Each dialog requests what it shows. */
async function openDialogs(page: Page): Promise<void> {
  for (const name of ['Settings', 'Show ID', 'Logs']) {
    await page.locator('a.dropdown-toggle:visible', { hasText: 'Actions' }).click()
    await page.locator('.dropdown-menu a:visible', { hasText: name }).first().click()
    const dialog = page.locator('.modal.in')
    await dialog.waitFor()
    await dialog.locator('.modal-footer button:visible', { hasText: 'Close' }).last().click()
    await dialog.waitFor({ state: 'hidden' })
  }
}

async function hasPage(socketPath: string): Promise<boolean> {
  return await new Promise((resolve, reject) => {
    const asked = request({ socketPath, path: '/' }, (reply) => {
      let bytes = 0
      reply.on('data', (part: Buffer) => (bytes += part.length))
      reply.on('end', () => resolve(reply.statusCode === 200 && bytes > 0))
    })
    asked.on('error', reject)
    asked.end()
  })
}
