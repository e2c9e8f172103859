/** Two devices, two pages: they connect and share a folder, which is in sync on both. Only clicks and typing. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
let browser: Chromium
let anna: Member
let ben: Member

before(async () => {
  if (skip !== false) return
  anna = await startMember(scratch.path, 'anna')
  ben = await startMember(scratch.path, 'ben')
  for (const [member, name] of [
    [anna, 'Anna'],
    [ben, 'Ben'],
  ] as const) {
    await member.daemon.request('PATCH', `/rest/config/devices/${member.id}`, { name })
  }
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await anna?.[Symbol.asyncDispose]()
  await ben?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const at = ({ daemon }: Member, act: (page: Page) => Promise<void>) =>
  browser.visit({ url: `${daemon.url}/` }, ({ page }) => act(page))
const dialogOf = (page: Page) => page.getByRole('dialog')
const overallStatus = (page: Page) => page.getByRole('banner').getByRole('link').first()

test('a device is added by its ID; an invalid ID, or the own one, is reported while typing', { skip }, () =>
  at(anna, async (page) => {
    await page.getByRole('button', { name: 'Add device' }).first().click()
    const dialog = dialogOf(page)
    const field = dialog.getByLabel('ID of the other device')
    await field.fill('ABCDEFG-HIJKLMN')
    await dialog.getByText('That isn’t a valid device ID').waitFor()
    await field.fill(anna.id)
    await dialog.getByText('This is the ID of this device.').waitFor()
    await field.fill(ben.id.toLowerCase())
    await dialog.getByText('A valid ID.').waitFor()
    await dialog.getByLabel('Name').first().fill('Ben')
    await dialog.getByText('More', { exact: true }).click()
    await dialog.getByLabel('Addresses').fill(`tcp://127.0.0.1:${ben.port}`)
    await dialog.getByRole('button', { name: 'Add device' }).click()
    await dialog.waitFor({ state: 'detached' }) // the first steps stay in sight
    await page.getByRole('main').getByRole('link', { name: 'Ben' }).waitFor()
  }),
)

test('a device can be added before its ID was checked; an invalid ID is refused then, too', { skip }, () =>
  at(ben, async (page) => {
    // The check that the page makes by itself is not answered at all.
    let asked = 0
    await page.route('**/rest/svc/deviceid*', (route) => (asked++ % 2 === 0 ? undefined : route.continue()))
    const other = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'
    await page.getByRole('button', { name: 'Add device' }).first().click()
    const dialog = dialogOf(page)
    const [field, add] = [
      dialog.getByLabel('ID of the other device'),
      dialog.getByRole('button', { name: 'Add device' }),
    ]
    await field.fill(`${other}X`)
    await eventually('the check', () => asked === 1 || undefined)
    await add.click()
    await dialog.getByText('That isn’t a valid device ID').waitFor()
    await field.fill(other)
    await eventually('the check', () => asked === 3 || undefined)
    await add.click()
    await dialog.waitFor({ state: 'detached' })
    await ben.daemon.request('DELETE', `/rest/config/devices/${other}`)
  }),
)

test('the other side gets a request, and accepts it', { skip }, () =>
  at(ben, async (page) => {
    const request = page.getByRole('listitem').filter({ hasText: '“Anna” wants to connect' })
    await request.getByRole('button', { name: 'Accept' }).click()
    await dialogOf(page).getByRole('button', { name: 'Add device' }).click()
    await page.getByRole('heading', { name: 'Anna' }).waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await request.waitFor({ state: 'detached' })
  }),
)

test('a folder is added and offered to the other', { skip }, async () => {
  mkdirSync(anna.root)
  writeFileSync(join(anna.root, 'letter.txt'), 'Dear Ben')
  await eventually('a connection, which ends the first steps', async () => {
    const { connections } = (await anna.daemon.get('/rest/system/connections')) as {
      connections: Record<string, { connected: boolean }>
    }
    return connections[ben.id]?.connected === true || undefined
  })
  await at(anna, async (page) => {
    await page.getByRole('button', { name: 'Add folder' }).first().click()
    const dialog = dialogOf(page)
    await dialog.getByLabel('Name').first().fill('Letters')
    await dialog.getByLabel('Path', { exact: true }).fill(anna.root)
    await dialog.getByText('This directory exists').waitFor()
    await dialog.getByRole('checkbox', { name: 'Ben' }).check()
    await dialog.getByRole('button', { name: 'Add folder' }).click()
    await page.getByRole('heading', { name: 'Letters', level: 1 }).waitFor()
  })
})

test('the other accepts it, chooses the path, and both are up to date', { skip }, async () => {
  await at(ben, async (page) => {
    const offer = page.getByRole('listitem').filter({ hasText: 'Anna offers the folder “Letters”' })
    await offer.getByRole('button', { name: 'Accept' }).click()
    const dialog = dialogOf(page)
    await dialog.getByLabel('Path', { exact: true }).fill(ben.root)
    assert.ok(await dialog.getByRole('checkbox', { name: 'Anna' }).isChecked())
    await dialog.getByRole('button', { name: 'Add folder' }).click()
    await page.getByRole('heading', { name: 'Letters' }).waitFor()
    await eventually('the letter', () => readFileSync(join(ben.root, 'letter.txt'), 'utf8'))
    await overallStatus(page).filter({ hasText: 'Everything is up to date.' }).waitFor()
  })
  await at(anna, async (page) => overallStatus(page).filter({ hasText: 'Everything is up to date.' }).waitFor())
})
