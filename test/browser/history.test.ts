/** The timeline of a folder and of a file, and the rewind from it. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
const NAMES = ['Camera/1.jpg', 'Camera/2.jpg', 'Camera/3.jpg', 'notes.txt']
let browser: Chromium
let server: Member
let phone: Member

const scan = ({ daemon }: Member) => daemon.post('/rest/db/scan?folder=docs')

before(async () => {
  if (skip !== false) return
  const members = await Promise.all([startMember(scratch.path, 'server'), startMember(scratch.path, 'phone')])
  ;[server, phone] = members
  mkdirSync(join(phone.root, 'Camera'), { recursive: true })
  for (const name of NAMES) writeFileSync(join(phone.root, name), `content of ${name}`)
  await connect(server, phone, { fsWatcherEnabled: false, versioning: { type: 'trashcan', params: {} } })
  await scan(phone)
  await eventually('all files', async () => NAMES.every((name) => existsSync(join(server.root, name))) || undefined)
  await inSync(members)
  rmSync(join(phone.root, 'Camera'), { recursive: true })
  await scan(phone)
  await eventually('the deletion', async () => !existsSync(join(server.root, 'Camera')) || undefined, 60_000)
  await inSync(members)
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
  await phone?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

test('a deletion is one sentence, and is rewound from it on all devices', { skip }, async () => {
  await browser.visit({ url: `${server.daemon.url}/#/folders/docs/history` }, async ({ page }) => {
    const rows = page.getByRole('list', { name: 'History' }).getByRole('listitem')
    const deleted = rows.filter({ hasText: 'peer deleted 3 photos in Camera' })
    await deleted.waitFor()
    await rows.filter({ hasText: 'peer added 3 photos in Camera' }).waitFor()
    await deleted.getByRole('button', { name: 'Rewind to before this…' }).click()
    const dialog = page.getByRole('dialog', { name: /^Rewind/ })
    await dialog.getByText('4 items, 69 B: Camera, Camera/1.jpg, Camera/2.jpg, Camera/3.jpg').waitFor()
    await dialog.getByText('0 items, 0 B').first().waitFor()
    const directory = process.env['TWINFOLD_PICTURES']
    if (directory) await page.screenshot({ path: join(directory, 'rewind.png') })
    await dialog.getByRole('button', { name: 'Rewind', exact: true }).click()
    await dialog.getByText('items are as they were.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await rows.filter({ hasText: 'by a rewind' }).first().waitFor()
  })
  await eventually('the phone has them', async () => existsSync(join(phone.root, 'Camera/3.jpg')) || undefined, 60_000)
  assert.equal(readFileSync(join(phone.root, 'Camera/1.jpg'), 'utf8'), 'content of Camera/1.jpg')
})

test('the details of a file lead to its own history', { skip }, async () => {
  await browser.visit({ url: `${server.daemon.url}/#/folders/docs/files/notes.txt` }, async ({ page }) => {
    await page.getByRole('dialog').getByRole('button', { name: 'History' }).click()
    const rows = page.getByRole('list', { name: 'History' }).getByRole('listitem')
    await rows.filter({ hasText: 'peer added notes.txt' }).waitFor()
    assert.equal(await rows.count(), 1)
    await page.getByRole('link', { name: 'Show all' }).click()
    await rows.filter({ hasText: 'Camera' }).first().waitFor()
  })
})
