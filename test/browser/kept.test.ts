/** Files that another device deleted: the tab that lists them, its two actions, and the settings. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { FOLDER_EXTENSIONS } from '../../src/core/config/extensions.ts'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
const NAMES = ['summer/beach.jpg', 'summer/dunes.jpg', 'notes.txt']
let browser: Chromium
let server: Member
let phone: Member

before(async () => {
  if (skip !== false) return
  const members = await Promise.all([startMember(scratch.path, 'server'), startMember(scratch.path, 'phone')])
  ;[server, phone] = members
  mkdirSync(join(phone.root, 'summer'), { recursive: true })
  for (const name of NAMES) writeFileSync(join(phone.root, name), `content of ${name}`)
  await connect(server, phone, { fsWatcherEnabled: false })
  await phone.daemon.post('/rest/db/scan?folder=docs')
  await eventually('all files', async () => NAMES.every((name) => existsSync(join(server.root, name))) || undefined)
  await inSync(members)
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
  await phone?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const at = (path: string) => ({ url: `${server.daemon.url}/#/${path}` })
const hasToast = (page: Page, text: string) => page.getByRole('status').filter({ hasText: text }).waitFor()
const picture = async (page: Page, name: string) => {
  const directory = process.env['TWINFOLD_PICTURES']
  if (directory) await page.screenshot({ path: join(directory, `${name}.png`) })
}
const settings = () => server.daemon.get('/rest/twinfold/settings')

test('the dialog of a folder has its own settings, and shows what shared patterns change', { skip }, async () => {
  writeFileSync(join(server.root, '.stglobalignore'), '*.txt\n')
  await browser.visit(at('folders/docs/settings'), async ({ page }) => {
    await page.getByRole('button', { name: 'Edit' }).first().click()
    await page.locator('summary').filter({ hasText: 'Deletions and shared ignores' }).click()
    await page.getByRole('checkbox', { name: 'Keep files that other devices delete' }).check()
    await page.getByRole('checkbox', { name: 'Use the shared ignore patterns' }).check()
    await page.getByText('Items that become ignored here: 1. Ignored items that all devices get: 0.').waitFor()
    await picture(page, 'dialog')
    await page.getByRole('checkbox', { name: 'Use the shared ignore patterns' }).uncheck()
    await page.locator('summary').filter({ hasText: 'Downloading' }).click()
    await page.getByLabel('Priority').fill('101')
    await page.getByRole('checkbox', { name: 'Pause on battery' }).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('At most 100.').waitFor()
    await page.getByLabel('Priority').fill('-7')
    await page.getByText('At most 100.').waitFor({ state: 'detached' })
    assert.equal(await page.locator('details[open]').filter({ hasText: 'Downloading' }).count(), 1)
    await picture(page, 'priority')
    await page.getByRole('button', { name: 'Save' }).click()
    await hasToast(page, 'saved')
    await page.getByRole('button', { name: 'Edit' }).first().click()
    await page.locator('summary').filter({ hasText: 'Downloading' }).click()
    assert.equal(await page.getByLabel('Priority').inputValue(), '-7')
    assert.equal(await page.getByRole('checkbox', { name: 'Pause on battery' }).isChecked(), true)
  })
  const { folders } = (await settings()) as { readonly folders: unknown }
  assert.deepEqual(folders, { docs: { ...FOLDER_EXTENSIONS, collect: true, priority: -7, pauseOnBattery: true } })
})

test('kept files are listed, brought back on all devices and deleted here after a question', { skip }, async () => {
  for (const name of ['summer', 'notes.txt']) rmSync(join(phone.root, name), { recursive: true })
  await phone.daemon.post('/rest/db/scan?folder=docs')
  await browser.visit(at('folders/docs/kept'), async ({ page }) => {
    const table = page.getByRole('table', { name: 'Kept' })
    await table.getByText('notes.txt').waitFor()
    await table.getByText('beach.jpg').waitFor()
    await page.getByRole('link', { name: /^Kept/ }).filter({ hasText: '3' }).waitFor()
    await page.getByRole('checkbox', { name: 'summer/beach.jpg' }).check()
    await picture(page, 'kept')
    await page.getByRole('button', { name: 'Bring back everywhere' }).click()
    await hasToast(page, '1 file is coming back on all devices.')
    await table.getByText('beach.jpg').waitFor({ state: 'detached' })
    await eventually(
      'the phone has it',
      async () => existsSync(join(phone.root, 'summer/beach.jpg')) || undefined,
      60_000,
    )
    await page.getByRole('checkbox', { name: 'notes.txt' }).check()
    await page.getByRole('button', { name: 'Delete here' }).click()
    const question = page.getByRole('dialog').filter({ hasText: 'Delete 1 kept file?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    assert.equal(existsSync(join(server.root, 'notes.txt')), true)
    await page.getByRole('button', { name: 'Delete here' }).click()
    await question.getByRole('button', { name: 'Delete here' }).click()
    await hasToast(page, '1 file deleted.')
    await table.getByText('notes.txt').waitFor({ state: 'detached' })
  })
  assert.equal(existsSync(join(server.root, 'notes.txt')), false)
  assert.equal(existsSync(join(server.root, 'summer/dunes.jpg')), true)
})
