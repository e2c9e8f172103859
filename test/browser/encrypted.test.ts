/** Sharing with an untrusted device, step by step, and the reason where the settings of two devices contradict. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { DeviceConfig, FolderConfig } from '../../src/core/config/config.ts'
import { accessibilityFindings, Chromium, missingBrowser } from '../support/browser.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { atRest } from '../support/views.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
let browser: Chromium
let anna: Member
let nas: Member

before(async () => {
  if (skip !== false) return
  anna = await startMember(scratch.path, 'anna')
  nas = await startMember(scratch.path, 'nas')
  for (const [member, peer, name] of [
    [anna, nas, 'Nas'],
    [nas, anna, 'Anna'],
  ] as const) {
    const device = { deviceID: peer.id, name, addresses: [`tcp://127.0.0.1:${peer.port}`] }
    await member.daemon.post('/rest/config/devices', device)
  }
  mkdirSync(anna.root)
  mkdirSync(nas.root)
  writeFileSync(join(anna.root, 'letter.txt'), 'Dear Ben')
  await anna.daemon.addFolder('letters', anna.root, { label: 'Letters' })
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await anna?.[Symbol.asyncDispose]()
  await nas?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const at = ({ daemon }: Member, place: string, act: (page: Page) => Promise<void>) =>
  browser.visit({ url: `${daemon.url}/#/${place}` }, async ({ page }) => {
    await atRest(page)
    await act(page)
  })
const folder = async () => (await anna.daemon.get('/rest/config/folders/letters')) as FolderConfig
const picture = async (page: Page, name: string) => {
  const directory = process.env['TWINFOLD_PICTURES']
  if (directory !== undefined) await page.screenshot({ path: join(directory, `${name}.png`) })
}

test('a device that has the folder in readable form is refused with that reason', { skip }, async () => {
  const path = (name: string) => join(scratch.path, `${name}-notes`)
  const share = (peer: Member) => ({ label: 'Notes', devices: [{ deviceID: peer.id }] })
  await anna.daemon.addFolder('notes', path('anna'), share(nas))
  await nas.daemon.addFolder('notes', path('nas'), share(anna))
  await eventually('both share it', async () => {
    const reply = await anna.daemon.get(`/rest/db/completion?folder=notes&device=${nas.id}`)
    return (reply as { readonly remoteState: string }).remoteState === 'valid' || undefined
  })
  const refused = (reason: string) =>
    at(anna, 'folders/notes', async (page) => {
      await page.getByRole('button', { name: 'Actions' }).click()
      await page.getByRole('menuitem', { name: 'Share encrypted' }).click()
      const dialog = page.getByRole('dialog', { name: 'Share Notes with an untrusted device' })
      await dialog.getByText(reason).waitFor()
      assert.deepEqual(await accessibilityFindings(page), [])
      await dialog.getByRole('button', { name: 'Share encrypted' }).click()
      await dialog.locator('select:focus').waitFor()
      assert.equal(await dialog.getByLabel('Encrypt for Nas').count(), 0, 'no password is made')
    })
  await refused('This folder is shared with Nas in readable form: a password would hide nothing of that copy')
  await anna.daemon.request('PATCH', '/rest/config/folders/notes', { devices: [] })
  await eventually('the offer', async () => {
    const offers = (await anna.daemon.get(`/rest/cluster/pending/folders?device=${nas.id}`)) as object
    return 'notes' in offers || undefined
  })
  await refused('Nas has this folder in readable form: a password would hide nothing of that copy')
  for (const { daemon } of [anna, nas]) await daemon.request('DELETE', '/rest/config/folders/notes')
})

test(
  'a folder is shared with an untrusted device: its password is rated, shown with a QR code and saved',
  { skip },
  () =>
    at(anna, 'folders/letters', async (page) => {
      await page.getByRole('button', { name: 'Actions' }).click()
      await page.getByRole('menuitem', { name: 'Share encrypted' }).click()
      const dialog = page.getByRole('dialog', { name: 'Share Letters with an untrusted device' })
      const field = dialog.getByLabel('Encrypt for Nas')
      const made = await field.inputValue()
      assert.match(made, /^(?:[a-z2-9]{5}-){4}[a-z2-9]{5}$/)
      await dialog.getByText('Strong password.').waitFor()
      await field.fill('secret')
      await dialog.getByText('Weak password').waitFor()
      await field.fill(made)
      await dialog.getByText('It can see how many files there are').waitFor()
      await dialog.getByText('It cannot see names, directories, contents').waitFor()
      await picture(page, 'share-encrypted')
      assert.deepEqual(await accessibilityFindings(page), [])

      await dialog.getByRole('button', { name: 'Print or save the password' }).click()
      const sheet = page.getByRole('dialog', { name: 'Password of Letters' })
      await sheet.getByText(made).waitFor()
      await sheet.locator('svg.qr path[d^="M"]').waitFor()
      await picture(page, 'password-sheet')
      assert.deepEqual(await accessibilityFindings(page), [])
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        sheet.getByRole('button', { name: 'Save the password' }).click(),
      ])
      const text = readFileSync((await download.path()) ?? '', 'utf8')
      assert.ok(text.startsWith(`${made}\n`) && text.includes('--folder-id letters'), text)
      await sheet.getByRole('button', { name: 'Close' }).last().click()

      await dialog.getByRole('button', { name: 'Share encrypted' }).click()
      await dialog.getByText('Save the password first').waitFor()
      await dialog.getByLabel('I have saved the password').check()
      await dialog.getByRole('button', { name: 'Share encrypted' }).click()
      await dialog.waitFor({ state: 'detached' })
      const { devices } = await folder()
      assert.equal(devices.find(({ deviceID }) => deviceID === nas.id)?.encryptionPassword, made)
      const device = (await anna.daemon.get(`/rest/config/devices/${nas.id}`)) as DeviceConfig
      assert.equal(device.untrusted, true)
      await page.getByText('Encrypted for', { exact: true }).waitFor()
    }),
)

test('the other device accepts it as an encrypted one, and both show the state', { skip }, async () => {
  await at(nas, '', async (page) => {
    const offer = page.getByRole('listitem').filter({ hasText: 'Anna offers the folder' })
    await offer.getByRole('button', { name: 'Accept' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('Anna offers this folder encrypted').waitFor()
    await dialog.getByLabel('Path', { exact: true }).fill(nas.root)
    await dialog.getByRole('button', { name: 'Add folder' }).click()
    await page.getByRole('heading', { name: 'Letters' }).waitFor()
    await page.getByText('Stored here encrypted, for other devices').waitFor()
    assert.equal(await page.getByRole('link', { name: 'Ignores' }).count(), 0)
  })
  await at(anna, 'folders/letters', async (page) => {
    await page.locator('.folder-reader').filter({ hasText: 'Nas' }).getByText('Up to date').waitFor()
    await picture(page, 'encrypted-for')
  })
})

test(
  'another password is shown as the reason, on the folder and on the device, with the remedy',
  { skip },
  async () => {
    const { devices } = await folder()
    const changed = devices.map((device) =>
      device.deviceID === nas.id ? { ...device, encryptionPassword: 'other' } : device,
    )
    await anna.daemon.request('PATCH', '/rest/config/folders/letters', { devices: changed })
    await eventually('the reason', async () => {
      const found = (await anna.daemon.get('/rest/twinfold/disagreements')) as readonly { readonly code: string }[]
      return found[0]?.code === 'other-password' || undefined
    })
    for (const place of ['folders/letters', `devices/${nas.id}`]) {
      await at(anna, place, async (page) => {
        const alert = page.getByRole('alert').filter({ hasText: 'Not exchanged with Nas' })
        await alert.getByText('The devices use different passwords. Set the same one everywhere.').waitFor()
        await page.getByRole('banner').getByText('Nas does not exchange data').first().waitFor()
        await picture(page, place.startsWith('folders') ? 'disagreement-folder' : 'disagreement-device')
        assert.deepEqual(await accessibilityFindings(page), [])
      })
    }
  },
)
