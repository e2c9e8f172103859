/** Pending requests on the overview, and the inbox. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
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
let host: Member
let peer: Member

before(async () => {
  if (skip !== false) return
  host = await startMember(scratch.path, 'host')
  peer = await startMember(scratch.path, 'peer')
  await peer.daemon.request('PATCH', `/rest/config/devices/${peer.id}`, { name: 'Peer' })
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await host?.[Symbol.asyncDispose]()
  await peer?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const onPage = (act: (page: Page) => Promise<void>) =>
  browser.visit({ url: `${host.daemon.url}/` }, ({ page }) => act(page))
const configOf = async ({ daemon }: Member) => (await daemon.get('/rest/config')) as Config
const requestRow = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text })

/** The peer offers a folder of this id, new each time. */
async function offer(id: string, label: string): Promise<void> {
  const root = join(scratch.path, `peer-${id}`)
  mkdirSync(root)
  await peer.daemon.addFolder(id, root, { label, devices: [{ deviceID: host.id }] })
}

test('a new device shows the welcome and its own ID', { skip }, () =>
  onPage(async (page) => {
    await page.getByRole('heading', { name: /^Welcome/ }).waitFor()
    await page.getByText(host.id, { exact: true }).waitFor()
    await page.getByText(`tcp://127.0.0.1:${host.port}`).waitFor()
    const picture = page.getByRole('img', { name: 'The ID of this device as a QR code' })
    await picture.evaluate('(image) => image.decode()')
    await atRest(page)
    assert.deepEqual(await accessibilityFindings(page), [])
  }),
)

test('the rates of the top bar open the plot, from anywhere', { skip }, () =>
  onPage(async (page) => {
    await page.getByRole('link', { name: 'Log', exact: true }).click()
    await page.getByRole('link', { name: /^Receiving/ }).click()
    await page.getByRole('img', { name: /^Throughput: receiving/ }).waitFor()
    await page.locator('.plot canvas').waitFor()
    await eventually(
      'the focus at the plot',
      async () => (await page.locator('.overview-plot:focus').count()) === 1 || undefined,
    )
  }),
)

test('a pending device is ignored for good', { skip }, () =>
  onPage(async (page) => {
    await peer.daemon.post('/rest/config/devices', {
      deviceID: host.id,
      name: 'host',
      addresses: [`tcp://127.0.0.1:${host.port}`],
    })
    await requestRow(page, '“Peer” wants to connect').getByRole('button', { name: 'Ignore' }).click()
    await requestRow(page, '“Peer” wants to connect').waitFor({ state: 'detached' })
    assert.deepEqual(
      (await configOf(host)).remoteIgnoredDevices.map(({ deviceID, name }) => [deviceID, name]),
      [[peer.id, 'Peer']],
    )
  }),
)

test('an offered folder is dismissed until the next offer, or ignored for good', { skip }, async () => {
  await host.daemon.post('/rest/config/devices', {
    deviceID: peer.id,
    name: 'Peer',
    addresses: [`tcp://127.0.0.1:${peer.port}`],
  })
  await onPage(async (page) => {
    await offer('later', 'Later')
    await requestRow(page, 'Peer offers the folder “Later”').getByRole('button', { name: 'Not now' }).click()
    await requestRow(page, '“Later”').waitFor({ state: 'detached' })
    await offer('never', 'Never')
    // It was offered again together with the other.
    await requestRow(page, 'Peer offers the folder “Later”').waitFor()
    await requestRow(page, 'Peer offers the folder “Never”').getByRole('button', { name: 'Ignore' }).click()
    await requestRow(page, '“Never”').waitFor({ state: 'detached' })
    const device = (await configOf(host)).devices.find(({ deviceID }) => deviceID === peer.id)
    assert.deepEqual(
      device?.ignoredFolders.map(({ id, label }) => [id, label]),
      [['never', 'Never']],
    )
  })
})

test('an existing folder is shared with the device that offers it', { skip }, async () => {
  const root = join(scratch.path, 'host-both')
  mkdirSync(root)
  await host.daemon.addFolder('both', root, { label: 'Both' })
  await onPage(async (page) => {
    await offer('both', 'Both')
    await requestRow(page, 'Peer wants to share your folder “Both”')
      .getByRole('button', { name: 'Share with Peer' })
      .click()
    await requestRow(page, 'wants to share your folder “Both”').waitFor({ state: 'detached' })
    const folder = (await configOf(host)).folders.find(({ id }) => id === 'both')
    assert.ok(folder?.devices.some(({ deviceID }) => deviceID === peer.id))
  })
})

test(
  'a folder that downloads shows how far it is, and its row leads to exactly what is missing',
  { skip },
  async () => {
    await host.daemon.request('PATCH', '/rest/config/options', { limitBandwidthInLan: true, maxRecvKbps: 200 })
    await onPage(async (page) => {
      writeFileSync(join(scratch.path, 'peer-both', 'large.bin'), randomBytes(4_000_000))
      await peer.daemon.post('/rest/db/scan?folder=both')
      const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Both', exact: true }) })
      await row.getByText(/ left · .*\/s · .* left$/).waitFor()
      await row.getByRole('progressbar', { name: /^Downloading \d+%$/ }).waitFor()
      await page
        .getByRole('banner')
        .getByText(/Downloading 1 item to Both/)
        .waitFor()
      assert.equal(await row.getByRole('link', { name: /^Downloading/ }).getAttribute('href'), '#/folders/both/waiting')
      await host.daemon.request('PATCH', '/rest/config/options', { maxRecvKbps: 0 })
      await row.getByText('Up to date').waitFor()
      assert.equal(await row.getByRole('progressbar').count(), 0)
    })
  },
)

test('a stopped folder is in the headline and the inbox with its remedy, until its cause is gone', { skip }, () =>
  onPage(async (page) => {
    const marker = join(scratch.path, 'host-both', '.stfolder')
    await eventually(
      'the marker',
      async () =>
        ((await host.daemon.get('/rest/db/status?folder=both')) as { state: string }).state === 'idle' || undefined,
    )
    rmSync(marker, { recursive: true })
    await host.daemon.request('POST', '/rest/db/scan?folder=both')
    await page.getByRole('banner').getByRole('link', { name: '1 folder needs attention' }).click()
    await page.waitForURL(/#\/attention$/)
    const entry = page
      .getByRole('listitem')
      .filter({ hasText: 'The folder marker is missing' })
      .filter({ hasText: /1 of 1 known file is in .*host-both/ })
    await entry.getByRole('link', { name: 'Both' }).waitFor()
    await page
      .getByRole('navigation')
      .getByRole('link', { name: /^Attention/ })
      .getByText(/^\d+$/)
      .waitFor()
    await entry.getByRole('button', { name: 'Create the marker' }).click()
    await entry.waitFor({ state: 'detached' })
    assert.ok(existsSync(marker))
  }),
)
