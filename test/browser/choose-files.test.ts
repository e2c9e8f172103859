/** What of a folder is kept on this device: a folder with nothing yet, check boxes in the tree, and a preview. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFindings, Chromium, missingBrowser } from '../support/browser.ts'
import { addPeer, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { atRest } from '../support/views.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
const root = join(scratch.path, 'host-photos')
const peerRoot = join(scratch.path, 'peer-photos')
/** A directory for pictures of the page, to look at. */
const pictures = process.env['TWINFOLD_PICTURES']
let browser: Chromium
let host: Member
let peer: Member

const FILES = { '2023/old.jpg': 'o'.repeat(3_000), '2024/beach.jpg': 'b'.repeat(2_000), '2024/raw/beach.raw': 'r' }

before(async () => {
  if (skip !== false) return
  ;[host, peer, browser] = await Promise.all([
    startMember(scratch.path, 'host'),
    startMember(scratch.path, 'peer'),
    Chromium.start(),
  ])
  for (const [name, content] of Object.entries(FILES)) {
    mkdirSync(dirname(join(peerRoot, name)), { recursive: true })
    writeFileSync(join(peerRoot, name), content)
  }
  await addPeer(host, peer)
  await addPeer(peer, host)
  await peer.daemon.addFolder('photos', peerRoot, { label: 'Photos', devices: [{ deviceID: host.id }] })
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await host?.[Symbol.asyncDispose]()
  await peer?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const onPage = (place: string, act: (page: Page) => Promise<void>) =>
  browser.visit({ url: `${host.daemon.url}/#/${place}` }, ({ page }) => act(page))
const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name })
const box = (page: Page, name: string) => page.getByRole('checkbox', { name: `Keep ${name} on this device` })
const status = (page: Page) => page.getByRole('toolbar', { name: 'Choose files' }).getByRole('status')

async function picture(page: Page, name: string): Promise<void> {
  if (pictures !== undefined) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true })
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  await eventually(what, () => isSo() || undefined)
}

test('an offered folder is added with nothing yet: all names are shown, and no file is fetched', { skip }, () =>
  onPage('', async (page) => {
    const offer = page.getByRole('listitem').filter({ hasText: 'offers the folder “Photos”' })
    await offer.getByRole('button', { name: 'Accept' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add folder' })
    await dialog.getByLabel('Path', { exact: true }).fill(root)
    await dialog.getByRole('checkbox', { name: 'Nothing yet' }).check()
    await atRest(page)
    await picture(page, 'choose-add')
    await dialog.getByRole('button', { name: 'Add folder' }).click()
    await row(page, '2024').filter({ hasText: 'Not kept here' }).waitFor()
    await row(page, '2023').filter({ hasText: 'Not kept here' }).waitFor()
    assert.ok(!existsSync(join(root, '2024')))
    assert.match(readFileSync(join(root, '.stignore'), 'utf8'), /^\/\*$/m)
  }),
)

test('check boxes keep and drop; nothing changes before it is applied', { skip }, () =>
  onPage('folders/photos', async (page) => {
    await page.getByRole('button', { name: 'Choose files' }).click()
    await page.getByText('Checked files and directories are kept on this device.', { exact: false }).waitFor()
    await page.getByRole('button', { name: 'Expand 2024' }).click()
    await box(page, '2024').check()
    await status(page).getByText('Fetches 2 files, 2.00 kB. Available on peer.').waitFor()
    await box(page, '2024/raw').uncheck()
    await status(page).getByText('Fetches 1 file').waitFor()
    await box(page, '2024').and(page.locator(':indeterminate')).waitFor()
    await atRest(page)
    assert.deepEqual(await accessibilityFindings(page), [])
    await picture(page, 'choose-boxes')
    assert.ok(!existsSync(join(root, '2024')))
    await page.getByRole('button', { name: 'Apply' }).click()
    await until('the chosen file', () => existsSync(join(root, '2024/beach.jpg')))
    assert.ok(!existsSync(join(root, '2024/raw')) && !existsSync(join(root, '2023')))
    await row(page, 'beach.jpg').filter({ hasText: 'Up to date' }).waitFor()
    await picture(page, 'choose-applied')
    await box(page, '2024').check() // kept in part: as a whole
    await box(page, '2024').uncheck()
    await status(page).getByText('Frees 1 file, 2.00 kB. Available on peer.').waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    await until('it is gone here', () => !existsSync(join(root, '2024')))
    for (const name of Object.keys(FILES)) assert.ok(existsSync(join(peerRoot, name)), name)
    await box(page, 'everything').check()
    await status(page).getByText('Fetches 3 files, 5.00 kB. Available on peer.').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Checked files and directories are kept', { exact: false }).waitFor()
    assert.equal(await box(page, 'everything').isChecked(), false)
  }),
)

test('there are no check boxes before it is known what is kept', { skip }, () =>
  onPage('folders/photos', async (page) => {
    const { promise: mayReply, resolve: reply } = Promise.withResolvers<void>()
    await page.route('**/rest/twinfold/selection?*', async (route) => {
      await mayReply
      await route.continue()
    })
    await page.goto(`${host.daemon.url}/?held#/folders/photos?choose=on`)
    await row(page, '2024').waitFor()
    assert.equal(await page.getByRole('checkbox', { name: /^Keep / }).count(), 0)
    reply()
    await box(page, '2024').waitFor()
    assert.equal(await box(page, '2024').isChecked(), false)
  }),
)

test('the only copy is dropped after a warning alone', { skip }, () =>
  onPage('folders/photos?choose=on', async (page) => {
    await peer.daemon.request('PATCH', '/rest/config/folders/photos', { paused: true })
    mkdirSync(join(root, 'mine'))
    writeFileSync(join(root, 'mine/diary.txt'), 'dear')
    await host.daemon.post('/rest/db/scan?folder=photos')
    // It is kept because it was made here, which the page may get to know after its name.
    await box(page, 'mine').and(page.locator(':checked')).uncheck()
    await status(page).getByText('1 file is only on this device: mine/diary.txt').waitFor()
    await page.getByRole('button', { name: 'Apply' }).click()
    const question = page.getByRole('dialog', { name: '1 file is only on this device: mine/diary.txt' })
    await question.waitFor()
    await picture(page, 'choose-loss')
    await question.getByRole('button', { name: 'Cancel' }).click()
    assert.ok(existsSync(join(root, 'mine/diary.txt')))
    await page.getByRole('button', { name: 'Apply' }).click()
    await question.getByRole('button', { name: 'Remove anyway' }).click()
    await until('it is gone', () => !existsSync(join(root, 'mine/diary.txt')))
  }),
)
