/** Our page beside a real Syncthing: a device and a folder added by clicks, and equal files on both disks. */
import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { socketProxy } from '../support/socket-proxy.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { FOLDER, Network } from '../support/sync-pair.ts'
import { missingSyncthing } from '../support/syncthing.ts'

const skip = missingBrowser() ?? missingSyncthing() ?? false

test('a real Syncthing is added, gets a folder, and both disks get in sync', { skip }, async () => {
  using scratch = scratchDirectory()
  await using network = await Network.open(scratch.path)
  const [ours, theirs] = await Promise.all([network.add('twinfold', 'ours'), network.add('syncthing', 'theirs')])
  await using door = await socketProxy(join(ours.home, 'gui.sock'))
  await using browser = await Chromium.start()
  writeFileSync(join(ours.root, 'from-us.txt'), 'hello Syncthing')
  await theirs.introduce(ours)
  await browser.visit({ url: `${door.url}/` }, async ({ page }) => {
    await page.getByRole('button', { name: 'Add device' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('ID of the other device').fill(theirs.id)
    await dialog.getByText('A valid ID.').waitFor()
    await dialog.getByLabel('Name').first().fill('Old friend')
    await dialog.getByText('More', { exact: true }).click()
    await dialog.getByLabel('Addresses').fill(theirs.address)
    await dialog.getByRole('button', { name: 'Add device' }).click()
    await page.getByRole('main').getByRole('link', { name: 'Old friend' }).first().waitFor()

    await page.getByRole('link', { name: 'Folders', exact: true }).click()
    await page.getByRole('button', { name: 'Add folder' }).first().click()
    await dialog.getByLabel('Name').first().fill('Shared')
    await dialog.getByLabel('Path', { exact: true }).fill(ours.root)
    await dialog.getByRole('checkbox', { name: 'Old friend' }).check()
    await dialog.getByText('More', { exact: true }).click()
    await dialog.getByLabel('Folder ID').fill(FOLDER)
    await dialog.getByRole('button', { name: 'Add folder' }).click()
    await page.getByRole('heading', { name: 'Shared' }).waitFor()

    await theirs.share([ours])
    await eventually('our file at theirs', () => readFileSync(join(theirs.root, 'from-us.txt'), 'utf8'), 60_000)
    writeFileSync(join(theirs.root, 'from-them.txt'), 'hello Twinfold')
    await theirs.scan()
    await page.getByRole('main').getByText('from-them.txt').first().waitFor()
    await page.getByRole('banner').getByRole('link').first().filter({ hasText: 'Everything is up to date.' }).waitFor()
  })
  assert.equal(
    await eventually('their file at ours', () => readFileSync(join(ours.root, 'from-them.txt'), 'utf8'), 60_000),
    'hello Twinfold',
  )
  assert.equal(readFileSync(join(theirs.root, 'from-us.txt'), 'utf8'), 'hello Syncthing')
})
