/** An invitation from one page to another: made, listed and revoked here, pasted and used there. */
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
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
  ;[here, there] = (await Promise.all(['here', 'there'].map((name) => startMember(scratch.path, name)))) as [
    Member,
    Member,
  ]
  mkdirSync(here.root)
  await here.daemon.addFolder('photos', here.root, { label: 'Photos' })
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await here?.[Symbol.asyncDispose]()
  await there?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const configOf = async ({ daemon }: Member) => (await daemon.get('/rest/config')) as Config

/** For the page: a camera whose picture is a canvas, and a reader that finds something else first. */
const fakeCamera = (text: string): string => `{
  const canvas = document.createElement('canvas')
  const pen = canvas.getContext('2d')
  setInterval(() => pen.fillRect(Math.random() * 9, 0, 9, 9), 50)
  const stream = canvas.captureStream(10)
  let reads = 0
  window.BarcodeDetector = class {
    static getSupportedFormats = async () => ['qr_code']
    detect = async () => [{ rawValue: reads++ === 0 ? 'https://example.org/' : ${JSON.stringify(text)} }]
  }
  window.camera = stream.getTracks()[0]
  Object.defineProperty(navigator, 'mediaDevices', { value: { getUserMedia: async () => stream } })
}`

test('an invitation is made, listed and revoked here, and pasted into the other page', { skip }, async () => {
  let invitation = ''
  await browser.visit({ url: `${here.daemon.url}/#/folders/photos` }, async ({ page }) => {
    await atRest(page)
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await page.getByRole('button', { name: 'Invite a device' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite a device' })
    assert.ok(await dialog.getByLabel('Photos').isChecked())
    await dialog.getByLabel('Folder type on the other device').selectOption({ label: 'Send and receive' })
    await dialog.getByLabel('Expires').selectOption({ label: 'in an hour' })
    await dialog.getByRole('button', { name: 'Create invitation' }).click()
    invitation = (await dialog.getByText(/^twinfold:/).textContent()) ?? ''
    assert.match(invitation, /^twinfold:\/\/join#1[\w-]+$/)
    await dialog.getByRole('img', { name: 'The invitation as a QR code' }).waitFor()
    await dialog.getByRole('button', { name: 'Copy' }).waitFor()
    assert.deepEqual(await accessibilityFindings(page), [])
    await here.daemon.post('/rest/twinfold/invitations', {})
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Invite a device' }).click()
    const second = dialog.getByRole('listitem').filter({ hasText: 'Without a folder' })
    await second.getByRole('button', { name: 'Revoke' }).click()
    await second.waitFor({ state: 'detached' })
    await dialog.getByRole('listitem').filter({ hasText: 'Photos' }).waitFor()
  })
  assert.equal(((await here.daemon.get('/rest/twinfold/invitations')) as readonly unknown[]).length, 1)

  const path = join(scratch.path, 'pictures')
  await browser.visit({ url: there.daemon.url, expected: [/400 \(Bad Request\)/] }, async ({ page }) => {
    await atRest(page)
    await page.getByRole('button', { name: 'I have an invitation' }).click()
    const dialog = page.getByRole('dialog', { name: 'Use an invitation' })
    await dialog.getByLabel('Invitation').fill('hello')
    await dialog.getByText('This is no invitation.').waitFor()
    await dialog.getByLabel('Invitation').fill(invitation.slice(0, -2))
    await dialog.getByText('copy all of it again').waitFor()
    assert.equal(await dialog.getByRole('button', { name: 'Scan the QR code' }).count(), 0, 'this browser reads none')
    await page.keyboard.press('Escape')
    await page.evaluate(fakeCamera(invitation))
    await page.getByRole('button', { name: 'I have an invitation' }).click()
    await dialog.getByRole('button', { name: 'Scan the QR code' }).click()
    await dialog.getByText(/invites this device:/).waitFor()
    assert.equal(await page.evaluate('camera.readyState'), 'ended')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Add device' }).first().click()
    await page.getByLabel('ID of the other device').fill(`For you: ${invitation}`)
    await dialog.getByText(/invites this device:/).waitFor()
    await dialog.getByText('Photos').waitFor()
    await dialog.getByLabel('Path').fill(path)
    assert.deepEqual(await accessibilityFindings(page), [])
    await dialog.getByRole('button', { name: 'Join' }).click()
    await page.getByRole('status').filter({ hasText: 'and its folders added.' }).waitFor()
    await eventually('the connection', async () => {
      const { devices } = await configOf(here)
      return devices.some(({ deviceID }) => deviceID === there.id) || undefined
    })
  })
  const [folder] = (await configOf(there)).folders
  assert.deepEqual([folder?.id, folder?.path, folder?.label], ['photos', path, 'Photos'])
})
