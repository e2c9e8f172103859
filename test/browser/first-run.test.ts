/** From a new home to the first file on another device, by the first steps; each shows what blocks it. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Config } from '../../src/core/config/config.ts'
import { accessibilityFindings, Chromium, missingBrowser } from '../support/browser.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { atRest } from '../support/views.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
let browser: Chromium
let here: Member
let there: Member

before(async () => {
  if (skip !== false) return
  here = await startMember(scratch.path, 'here')
  there = await startMember(scratch.path, 'there')
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await here?.[Symbol.asyncDispose]()
  await there?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const step = (page: Page, name: string) =>
  page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: false }) })
const isDone = (page: Page, name: string) =>
  step(page, name)
    .filter({ hasText: /\(done\)/ })
    .waitFor()

test('the first steps lead to the first file, and show what blocks each of them', { skip }, async () => {
  const root = join(scratch.path, 'Shared')
  mkdirSync(root)
  const expected = [/status of 403/] // logged for requests between the new password and the login
  await browser.visit({ url: `${here.daemon.url}/`, expected }, async ({ page }) => {
    await atRest(page)
    await page.getByRole('heading', { name: 'Welcome.' }).waitFor()
    assert.deepEqual(await accessibilityFindings(page), [])

    const login = step(page, 'Name this device')
    await login.getByLabel('Name of this device').fill('Desk')
    await login.getByLabel('User').fill('anna')
    await login.getByRole('button', { name: 'Save' }).click()
    await login.getByText('A user requires a password.').waitFor()
    await login.getByLabel('Password').fill('abc')
    await login.getByText('Weak password: easy to guess.').waitFor()
    await login.getByLabel('Password').fill('open sesame')
    await login.getByRole('button', { name: 'Save' }).click()
    await isDone(page, 'Name this device')

    await page.getByRole('button', { name: 'Add folder' }).click()
    await addFolder(page, root)
    await isDone(page, 'Choose a folder') // the guide is still there
    await page.getByText('2 of 7 steps done').waitFor()

    const network = step(page, 'Add your other device')
    assert.equal(await network.getByRole('button').first().innerText(), 'Local only')
    await network.getByRole('button', { name: 'Keep all off' }).click()
    await page.getByRole('button', { name: 'Add device' }).first().click()
    assert.equal(await page.getByRole('dialog').getByRole('checkbox', { name: 'Shared' }).isChecked(), true)
    const invite = `Name: Attic\nID: ${there.id}\nAddress: tcp://127.0.0.1:${there.port}`
    await page.getByLabel('ID of the other device').fill(invite)
    await page.getByText('A valid ID.').waitFor()
    assert.equal(await page.getByLabel('Addresses').inputValue(), `dynamic\ntcp://127.0.0.1:${there.port}`)
    assert.deepEqual(await accessibilityFindings(page), [])
    await page.getByRole('dialog').getByRole('button', { name: 'Add device' }).click()
    await isDone(page, 'Add your other device') // the guide is still there
    await page.goto(`${here.daemon.url}/#/devices/${there.id}`)
    await page.getByRole('heading', { name: 'Attic', level: 1 }).waitFor()
    await page.getByText('Accept this device on the other one').waitFor()
    await page.getByText('The other device has not accepted this device yet.').waitFor()
    await page.getByText('reached; it has not accepted this device yet').waitFor()
    assert.deepEqual(await accessibilityFindings(page), [])
    await page.getByRole('link', { name: 'Overview' }).click()
    await isDone(page, 'The other device is reached')
    await step(page, 'It has accepted this device').getByText('Accept this device on the other one').waitFor()

    await accept()
    await isDone(page, 'It has accepted this device')
    await step(page, 'A folder is shared on both').getByText('Attic has not accepted Shared yet').waitFor()
    await there.daemon.addFolder('shared', there.root, { devices: [{ deviceID: here.id }] })
    await isDone(page, 'A folder is shared on both')
    await step(page, 'The first file is on both').getByText('The folder is empty. Put a file into').waitFor()
    writeFileSync(join(root, 'hello.txt'), 'hello')
    await here.daemon.post('/rest/db/scan?folder=shared')
    await page.getByRole('heading', { name: 'All done' }).waitFor()
    await page.getByRole('main').getByRole('button', { name: 'Close' }).click()
    await page.getByRole('heading', { name: 'All done' }).waitFor({ state: 'detached' })
  })
})

/** With the directory from the list, and patterns from a template. */
async function addFolder(page: Page, root: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('Shared')
  await dialog.getByLabel('Path', { exact: true }).fill(`${scratch.path}/`)
  await dialog.getByRole('button', { name: 'Browse' }).click()
  await dialog.getByRole('button', { name: 'Shared', exact: true }).waitFor()
  await page.keyboard.press('Escape') // the innermost part first
  await dialog.getByRole('button', { name: 'Shared', exact: true }).waitFor({ state: 'detached' })
  assert.equal(await dialog.isVisible(), true)
  await dialog.getByRole('button', { name: 'Browse' }).click()
  await dialog.getByRole('button', { name: 'Shared', exact: true }).waitFor()
  assert.deepEqual(await page.evaluate(ESCAPE_TWICE), [true, false], 'the part that is gone takes no second Escape')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Add folder' }).click()
  await dialog.getByText('What you typed before is still here.').waitFor()
  assert.equal(await dialog.getByLabel('Name', { exact: true }).inputValue(), 'Shared')
  assert.equal(await dialog.getByLabel('Path', { exact: true }).inputValue(), `${scratch.path}/`)
  await dialog.getByRole('button', { name: 'Browse' }).click()
  await dialog.getByRole('button', { name: 'Shared', exact: true }).click()
  assert.equal(await dialog.getByLabel('Path', { exact: true }).inputValue(), `${root}/`)
  await dialog.getByText(/free/).first().waitFor()
  await dialog.getByLabel('macOS and Windows litter').check()
  assert.deepEqual(await accessibilityFindings(page), [])
  await dialog.getByText('More', { exact: true }).click()
  await dialog.getByLabel('Folder ID').fill('shared')
  await dialog.getByRole('button', { name: 'Add folder' }).click()
  await dialog.waitFor({ state: 'detached' })
  const { ignore } = (await here.daemon.get('/rest/db/ignores?folder=shared')) as { ignore: readonly string[] }
  assert.ok(ignore.includes('(?d).DS_Store'))
  const { folders } = (await here.daemon.get('/rest/config')) as Config
  assert.equal(folders.find(({ id }) => id === 'shared')?.path, root)
}

/** Both before the next frame: whether the page took them, so that the browser does not close the dialog. */
const ESCAPE_TWICE = `(async () => {
  const dialog = document.querySelector('dialog')
  const press = () => !dialog.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', cancelable: true }))
  const first = press()
  for (let i = 0; i < 2; i++) await Promise.resolve() // the page is drawn again in a microtask
  return [first, press()]
})()`

async function accept(): Promise<void> {
  await eventually(
    'the request',
    async () => here.id in ((await there.daemon.get('/rest/cluster/pending/devices')) as object) || undefined,
  )
  const addresses = [`tcp://127.0.0.1:${here.port}`]
  await there.daemon.post('/rest/config/devices', { deviceID: here.id, name: 'desk', addresses })
}

test('without a password the overview says so until the notice is dismissed', { skip }, () =>
  browser.visit({ url: `${there.daemon.url}/` }, async ({ page }) => {
    await atRest(page)
    const notice = page.getByRole('status').filter({ hasText: 'No password is set' })
    await notice.getByRole('link', { name: 'Set a password' }).waitFor()
    await notice.getByRole('button', { name: 'Hide this notice' }).click()
    await notice.waitFor({ state: 'detached' })
    await page.reload()
    await atRest(page)
    assert.equal(await notice.count(), 0)
  }),
)
