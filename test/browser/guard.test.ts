/** A mass deletion by another device: it is held, the page says so, and its buttons decide. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
const NAMES = Array.from({ length: 25 }, (_, i) => `file-${i}.txt`)
let browser: Chromium
let server: Member
let phone: Member

const filesOf = ({ root }: Member) => readdirSync(root).filter((name) => name.endsWith('.txt')).length
const has = (member: Member, count: number) =>
  eventually(`${count} files`, async () => filesOf(member) === count || undefined, 60_000)

before(async () => {
  if (skip !== false) return
  const members = await Promise.all([startMember(scratch.path, 'server'), startMember(scratch.path, 'phone')])
  ;[server, phone] = members
  mkdirSync(phone.root, { recursive: true })
  for (const name of NAMES) writeFileSync(join(phone.root, name), `content of ${name}`)
  await connect(server, phone, { fsWatcherEnabled: false })
  await server.daemon.request('PATCH', '/rest/twinfold/settings', { folders: { docs: { guard: true } } })
  await phone.daemon.post('/rest/db/scan?folder=docs')
  await has(server, NAMES.length)
  await inSync(members)
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await server?.[Symbol.asyncDispose]()
  await phone?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

async function deleteAll(): Promise<void> {
  for (const name of NAMES) rmSync(join(phone.root, name))
  await phone.daemon.post('/rest/db/scan?folder=docs')
}

test(
  'a loss by another device is brought back there; the next one becomes old versions and is rewound',
  { skip },
  async () => {
    await deleteAll()
    await browser.visit({ url: `${server.daemon.url}/#/attention` }, async ({ page }) => {
      await page.getByText('The loss of 25 files is held').first().waitFor()
      await page.getByText(/deleted or emptied 25 files/).waitFor()
      const directory = process.env['TWINFOLD_PICTURES']
      if (directory) await page.screenshot({ path: join(directory, 'guard.png') })
      assert.equal(filesOf(server), NAMES.length)
      await page.getByRole('button', { name: 'Delete 25 files here too' }).click()
      const question = page.getByRole('dialog').filter({ hasText: 'Delete 25 files here too?' })
      await question.getByRole('button', { name: 'Cancel' }).click()
      assert.equal(filesOf(server), NAMES.length)
      await page.getByRole('button', { name: 'Bring them back on 1 device' }).click()
      await has(phone, NAMES.length)
      await page.getByText(/deleted or emptied 25 files/).waitFor({ state: 'detached' })
      await inSync([server, phone])
      const versioning = { type: 'trashcan', params: {} }
      await server.daemon.request('PATCH', '/rest/config/folders/docs', { versioning })
      await deleteAll()
      await has(server, 0)
      await page.getByText('They are old versions here and can be restored.').waitFor()
      await page.getByRole('button', { name: 'Rewind the folder to before it' }).click()
      await has(server, NAMES.length)
      await has(phone, NAMES.length)
      await page.getByRole('button', { name: 'Dismiss' }).click()
      await page.getByText(/deleted or emptied 25 files/).waitFor({ state: 'detached' })
    })
    assert.equal(existsSync(join(server.root, '.stfolder')), true)
  },
)
