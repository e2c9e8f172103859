/** The page of a device: its connection, its missing items, its shared folders, and its removal. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import type { Config } from '../../src/core/config/config.ts'
import { accessibilityFindings, Chromium, missingBrowser } from '../support/browser.ts'
import { connect, inSync, startMember, type Member } from '../support/daemon-pair.ts'
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
  mkdirSync(here.root)
  writeFileSync(join(here.root, 'first.txt'), 'one')
  await connect(here, there, { label: 'Docs' })
  await inSync([here, there])
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await here?.[Symbol.asyncDispose]()
  await there?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const onPage = (act: (page: Page) => Promise<void>) =>
  browser.visit({ url: `${here.daemon.url}/#/devices/${there.id}` }, async ({ page }) => {
    await page.getByRole('heading', { name: 'peer', level: 1 }).waitFor()
    await act(page)
  })
const configOf = async ({ daemon }: Member) => (await daemon.get('/rest/config')) as Config
const main = (page: Page) => page.getByRole('main')

test('it shows the connection and that the device is up to date', { skip }, () =>
  onPage(async (page) => {
    await main(page).getByText('Connected · LAN · up to date').waitFor()
    for (const fact of [/LAN · TCP · (outgoing|incoming)/, /127\.0\.0\.1:\d+/, /TLS 1\.3 · AES/, /received, .* sent/])
      await main(page).getByText(fact).first().waitFor()
    await main(page).getByText(there.id, { exact: true }).waitFor()
    await main(page).getByText('Up to date', { exact: true }).waitFor()
    await main(page)
      .getByRole('img', { name: /^Throughput: receiving .*, maximum .*; sending / })
      .waitFor()
    await atRest(page)
    assert.deepEqual(await accessibilityFindings(page), [])
  }),
)

test('what is loaded later moves nothing that can be clicked', { skip }, () =>
  onPage(async (page) => {
    await main(page).getByRole('heading', { name: 'Over time' }).waitFor()
    const headings = await main(page).getByRole('heading', { level: 2 }).allTextContents()
    assert.equal(headings.at(-1), 'Over time')
  }),
)

test('it is paused and resumed', { skip }, () =>
  onPage(async (page) => {
    await page.getByRole('button', { name: 'Pause' }).click()
    await main(page).getByText('Paused', { exact: true }).waitFor()
    assert.equal((await configOf(here)).devices.find(({ deviceID }) => deviceID === there.id)?.paused, true)
    await page.getByRole('button', { name: 'Resume' }).click()
    await main(page).getByText('Connected · LAN · up to date').waitFor()
  }),
)

test('missing items are counted, and the number opens their list', { skip }, async () => {
  await there.daemon.post(`/rest/system/pause?device=${here.id}`)
  await onPage(async (page) => {
    await main(page)
      .getByText(/^Offline, last seen/)
      .waitFor()
    writeFileSync(join(here.root, 'second.txt'), 'twenty bytes of text')
    await here.daemon.post('/rest/db/scan?folder=docs')
    await page.getByRole('button', { name: '1 item behind, 20 B' }).click()
    const dialog = page.getByRole('dialog', { name: 'Items of Docs missing on peer' })
    await dialog.getByRole('row', { name: /second\.txt 20 B/ }).waitFor()
    assert.equal(await dialog.getByRole('row').count(), 2) // the head and the file
    await dialog.getByRole('button', { name: 'Close' }).click()
    await there.daemon.post(`/rest/system/resume?device=${here.id}`)
    await main(page).getByText('Up to date', { exact: true }).waitFor()
  })
})

test('a folder is shared by a dialog and unshared by its box', { skip }, async () => {
  const root = join(scratch.path, 'more')
  mkdirSync(root)
  await here.daemon.addFolder('more', root, { label: 'More' })
  const isShared = async () =>
    (await configOf(here)).folders
      .find(({ id }) => id === 'more')
      ?.devices.some(({ deviceID }) => deviceID === there.id)
  await onPage(async (page) => {
    const box = page.getByRole('checkbox', { name: 'Share More' })
    await page.getByRole('button', { name: 'Share another…' }).click()
    const choice = page.getByRole('dialog', { name: 'Share folders with peer' })
    await choice.getByRole('checkbox', { name: 'More' }).check()
    await choice.getByRole('button', { name: 'Share 1 folder' }).click()
    await main(page).getByText('Not accepted on that device yet').waitFor()
    assert.equal(await isShared(), true)
    await eventually(
      'the offer',
      async () => 'more' in ((await there.daemon.get('/rest/cluster/pending/folders')) as object) || undefined,
    )
    await box.click()
    const dialog = page.getByRole('dialog', { name: 'Stop sharing More with peer?' })
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    assert.equal(await box.isChecked(), true)
    await box.click()
    await dialog.getByRole('button', { name: 'Stop sharing' }).click()
    await eventually('the end of sharing', async () => (await isShared()) === false || undefined)
    await box.waitFor({ state: 'detached' })
  })
})

test('it is removed after a confirmation that names what is kept', { skip }, () =>
  onPage(async (page) => {
    await page.getByRole('button', { name: 'Remove' }).click()
    const dialog = page.getByRole('dialog', { name: 'Remove peer?' })
    await dialog.getByText('1 folder is no longer shared with it. Both devices keep their files').waitFor()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.waitForURL(/#\/devices$/)
    await main(page).getByText('No other device yet.').waitFor()
    assert.equal(
      (await configOf(here)).devices.some(({ deviceID }) => deviceID === there.id),
      false,
    )
  }),
)

test('an unknown device is reported as unknown', { skip }, () =>
  browser.visit({ url: `${here.daemon.url}/#/devices/UNKNOWN` }, ({ page }) =>
    main(page).getByText('Unknown device.').waitFor(),
  ),
)
