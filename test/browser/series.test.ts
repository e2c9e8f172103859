/** Figures over time that the daemon kept over a restart: on the overview, of a device and of a folder. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { makeBook, observe } from '../../src/core/series/book.ts'
import { encodeBook } from '../../src/core/series/encode.ts'
import { mountPointOf } from '../../src/platform/mounts.ts'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { accessibilityFindings, Chromium, missingBrowser } from '../support/browser.ts'
import { SERVER } from '../support/config.ts'
import { startDaemon, type Daemon } from '../support/daemon.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { atRest } from '../support/views.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
const home = join(scratch.path, 'home')
const HOUR_MS = 3_600_000
const DAYS = 20
let browser: Chromium
let daemon: Daemon

/** Twenty days until now: connected for the last ten of them, with traffic, a backlog, and a disk that fills up. */
async function plant(): Promise<void> {
  const path = await mountPointOf(nodeDisk, home)
  const { freeBytes } = await nodeDisk.space(home)
  const book = makeBook()
  const nowMs = Date.now()
  for (let hours = DAYS * 24; hours >= 1; hours--) {
    const isConnected = hours <= 10 * 24
    const inBytes = isConnected ? 3.6e9 : 0
    observe(book, {
      nowMs: nowMs - hours * HOUR_MS,
      elapsedMs: HOUR_MS,
      inBytes,
      outBytes: 1e6,
      devices: [{ id: SERVER, isConnected, inBytes, outBytes: 1e6 }],
      folders: [{ id: 'docs', behind: hours }],
      // At this rate it is full after 40 days.
      disks: [{ path, freeBytes: freeBytes * (1 + hours / 24 / 40) }],
    })
  }
  writeFileSync(join(home, 'twinfold-series'), encodeBook(book))
}

before(async () => {
  if (skip !== false) return
  {
    await using first = await startDaemon({ home })
    mkdirSync(join(scratch.path, 'docs'))
    await first.post('/rest/config/devices', { deviceID: SERVER, name: 'nas', addresses: ['tcp://127.0.0.1:1'] })
    await first.addFolder('docs', join(scratch.path, 'docs'), { devices: [{ deviceID: SERVER }] })
  }
  await plant()
  daemon = await startDaemon({ home })
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await daemon?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const main = (page: Page) => page.getByRole('main')

test('the overview shows what was transferred before, and when the disk is full', { skip }, () =>
  browser.visit({ url: `${daemon.url}/#/` }, async ({ page }) => {
    await main(page).getByRole('heading', { name: 'Over time' }).waitFor()
    await main(page)
      .getByRole('img', { name: /^Received: maximum 1(\.0+)? MB\/s/ })
      .waitFor()
    await main(page)
      .getByText(/^Full in about (39|40|41) days at the rate of the last 14 days$/)
      .first()
      .waitFor()
    await main(page).getByRole('button', { name: '90 days' }).click()
    await main(page).getByRole('button', { name: '90 days', pressed: true }).waitFor()
    await main(page)
      .getByRole('img', { name: /^Sent: maximum/ })
      .waitFor()
    await atRest(page)
    assert.deepEqual(await accessibilityFindings(page), [])
  }),
)

test('a device has a strip of 30 days: some connected, some not, some not known', { skip }, () =>
  browser.visit({ url: `${daemon.url}/#/devices/${SERVER}` }, async ({ page }) => {
    const strip = main(page).getByRole('img', { name: /^Connected in the last 30 days: \d+ ?% of the known time$/ })
    await strip.waitFor()
    const steps = await strip.locator('span').evaluateAll((cells) => cells.map((cell) => cell.dataset['step']))
    assert.equal(steps.length, 30)
    assert.ok(steps.filter((step) => step === 'unknown').length >= 8, steps.join(' '))
    assert.ok(steps.includes('0') && steps.some((step) => step === '3' || step === '4'), steps.join(' '))
    await atRest(page)
    assert.deepEqual(await accessibilityFindings(page), [])
  }),
)

test('a folder shows how many items it was behind', { skip }, () =>
  browser.visit({ url: `${daemon.url}/#/folders/docs/waiting` }, async ({ page }) => {
    await main(page)
      .getByRole('img', { name: /^Items behind: maximum 16\d$/ })
      .waitFor()
    await main(page).getByRole('button', { name: '90 days' }).click()
    await main(page)
      .getByRole('img', { name: /^Items behind: maximum 4[78]\d$/ })
      .waitFor()
  }),
)
