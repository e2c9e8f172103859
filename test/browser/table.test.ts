/** The table of every long list: order, groups, filters, selection, heights of rows; and files on many devices. */
import assert from 'node:assert/strict'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import { atRest } from '../support/views.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
const PLAIN = Array.from({ length: 14 }, (_, at) => `Folder ${at + 1}`)
const AWAY = ['B', 'C', 'D'].map((letter) => letter.repeat(52))
let browser: Chromium
let member: Member

before(async () => {
  if (skip !== false) return
  member = await startMember(scratch.path, 'desk')
  for (const label of PLAIN) await addFolder(label, { paused: label === 'Folder 3' })
  await addFolder('Zoo')
  await addShared()
  for (const label of [...PLAIN, 'Zoo', 'Shared']) await reaches(label, label === 'Folder 3' ? '' : 'idle')
  rmSync(join(scratch.path, 'Zoo'), { recursive: true }) // not before its first scan, which would create it again
  await member.daemon.request('POST', '/rest/db/scan?folder=zoo')
  await reaches('Zoo', 'error')
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await member?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

async function addFolder(label: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const root = join(scratch.path, label)
  mkdirSync(root)
  await member.daemon.addFolder(idOf(label), root, { label, ...more })
}

/** Folders that are still scanned have another place in the lists. */
async function reaches(label: string, state: string): Promise<void> {
  await eventually(`${label}: ${state}`, async () => {
    const status = (await member.daemon.get(`/rest/db/status?folder=${idOf(label)}`)) as { state: string }
    return status.state === state || undefined
  })
}

/** A folder of three devices that were never connected, with ignored files. */
async function addShared(): Promise<void> {
  const devices: { deviceID: string }[] = []
  for (const [at, raw] of AWAY.entries()) {
    const { id } = (await member.daemon.get(`/rest/svc/deviceid?id=${raw}`)) as { id: string }
    await member.daemon.post('/rest/config/devices', { deviceID: id, name: `away ${at}`, addresses: [] })
    devices.push({ deviceID: id })
  }
  const root = join(scratch.path, 'Shared')
  mkdirSync(join(root, 'node_modules'), { recursive: true })
  writeFileSync(join(root, '.stignore'), 'node_modules\n')
  writeFileSync(join(root, 'node_modules', 'package.json'), '{}')
  for (const name of ['one.txt', 'two.txt', 'three.txt']) writeFileSync(join(root, name), name)
  await member.daemon.addFolder('shared', root, { label: 'Shared', devices })
  await member.daemon.post('/rest/db/scan?folder=shared')
}

const at = (path: string) => ({ url: `${member.daemon.url}/#/${path}` })
const table = (page: Page, name: string) => page.getByRole('table', { name })
const names = async (page: Page) => (await table(page, 'Folders').getByRole('rowheader').allInnerTexts()).map(trimmed)
const trimmed = (text: string) => text.replace(/\s+/g, ' ').trim()
const idOf = (label: string) => label.toLowerCase().replace(' ', '-')

/** The page loads the state of each folder by a request of its own: rows take their place as these arrive. */
async function shows(what: string, texts: () => Promise<readonly string[]>, expected: readonly string[]) {
  await eventually(what, async () => {
    assert.deepEqual(await texts(), expected)
    return true
  })
}

test('folders are sorted by name with errors on top, by state in groups, and filtered', { skip }, async () => {
  await browser.visit(at('folders'), async ({ page }) => {
    await table(page, 'Folders').getByRole('row').filter({ hasText: 'missing' }).waitFor()
    const first = (count: number) => async () => (await names(page)).slice(0, count)
    await shows('by name', first(4), ['Zoo', 'Folder 1', 'Folder 2', 'Folder 3'])
    await page.getByRole('button', { name: 'Name', exact: true }).click()
    await shows('by name, descending', first(3), ['Zoo', 'Shared', 'Folder 14'])
    await page.getByRole('button', { name: 'Status', exact: true }).click()
    const groups = async () => (await table(page, 'Folders').locator('.group').allInnerTexts()).map(trimmed)
    await shows('groups', groups, ['Up to date 1', 'Paused 1', 'Not shared 13'])
    await page.getByRole('button', { name: 'Paused 1' }).click()
    await shows('filtered', async () => (await names(page)).slice(-1), ['Folder 3'])
    await page.getByRole('searchbox', { name: 'Find a folder' }).fill('nothing')
    await page.getByText('Nothing matches.').waitFor()
  })
})

test('several folders are paused and resumed by one click', { skip }, async () => {
  await browser.visit(at('folders'), async ({ page }) => {
    await atRest(page)
    for (const name of ['Folder 1', 'Folder 2'])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check()
    const bar = page.getByRole('toolbar', { name: 'Actions for the selection' })
    await bar.getByText('2 selected').waitFor()
    await bar.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('status').filter({ hasText: '2 paused.' }).waitFor()
    await page.getByRole('button', { name: 'Paused 3' }).waitFor()
    await bar.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Paused 1' }).waitFor()
    await bar.getByRole('button', { name: 'Clear selection' }).click()
    await bar.waitFor({ state: 'detached' })
  })
})

test('rows are 32 px high, or 40 px on request, which is remembered', { skip }, async () => {
  await browser.visit(at('folders'), async ({ page }) => {
    const row = table(page, 'Folders').getByRole('row').filter({ hasText: 'Folder 2' })
    const height = async () => (await row.boundingBox())?.height
    await atRest(page)
    assert.equal(await height(), 32)
    await page.getByRole('button', { name: 'Theme' }).click()
    await page.getByRole('menuitemradio', { name: 'Comfortable rows' }).click()
    assert.equal(await height(), 40)
    await page.reload()
    await atRest(page)
    assert.equal(await height(), 40)
  })
})

test('many folders fit on the overview: those that need no look are a grid of names', { skip }, async () => {
  await browser.visit(at(''), async ({ page }) => {
    await table(page, 'Folders').getByRole('row').filter({ hasText: 'Zoo' }).waitFor()
    await shows('rows that need a look', () => names(page), ['Zoo'])
    await page.getByRole('heading', { name: 'Not shared 13' }).waitFor()
    await page.getByRole('listitem').getByRole('link', { name: 'Folder 14' }).click()
    await page.getByRole('heading', { name: 'Folder 14', level: 1 }).waitFor()
  })
})

test('a state in a row is one line, also on a phone', { skip }, async () => {
  const context = { viewport: { width: 390, height: 900 } }
  await browser.visit({ ...at('folders'), context }, async ({ page }) => {
    await table(page, 'Folders').getByRole('row').filter({ hasText: 'missing' }).waitFor()
    const states = `[...document.querySelectorAll('.table .state > span')]`
    const modes: readonly string[] = await page.evaluate(`${states}.map((each) => getComputedStyle(each).textWrapMode)`)
    assert.deepEqual(new Set(modes), new Set(['nowrap']))
  })
})

test('a folder that has stopped is not called empty', { skip }, async () => {
  await browser.visit(at('folders/zoo'), async ({ page }) => {
    await page.getByText('No files are known in this folder.').waitFor()
    await page.goto(at('folders/folder-1').url)
    await page.getByText('This folder is empty.', { exact: false }).waitFor()
  })
})

test('of many devices a row shows how many have a file; its details lead to the next file', { skip }, async () => {
  await browser.visit(at('folders/shared'), async ({ page }) => {
    const row = page.getByRole('row').filter({ hasText: 'one.txt' })
    await row.filter({ hasText: '0 of 3 devices have it' }).waitFor()
    await row.getByRole('button', { name: 'Details of one.txt' }).click()
    const first = page.getByRole('dialog', { name: 'one.txt' })
    await first.getByRole('row').filter({ hasText: 'away 2' }).waitFor()
    assert.ok(await first.getByRole('button', { name: 'Previous file' }).isDisabled())
    await first.getByRole('button', { name: 'Next file' }).click()
    const second = page.getByRole('dialog', { name: 'three.txt' })
    await second.getByText('three.txt').last().waitFor()
    await second.getByRole('button', { name: 'Previous file' }).click()
    await first.waitFor()
  })
})

test('all times on the page are updated by one timer', { skip }, async () => {
  await browser.visit(at('folders/shared'), async ({ page }) => {
    await page.addInitScript(`window.timers = []
      const { setInterval } = window
      window.setInterval = (act, everyMs) => (timers.push(everyMs), setInterval(act, everyMs))`)
    await page.reload()
    await page.getByRole('row').filter({ hasText: 'two.txt' }).getByRole('time').waitFor()
    const timers: readonly number[] = await page.evaluate('timers')
    assert.equal(timers.filter((everyMs) => everyMs === 15_000).length, 1, `timers of ${timers.join(', ')} ms`)
  })
})

test('ignored items are shown on request, and their details name the line', { skip }, async () => {
  await browser.visit(at('folders/shared'), async ({ page }) => {
    await page.getByRole('row').filter({ hasText: 'one.txt' }).waitFor()
    assert.equal(await page.getByText('node_modules').count(), 0)
    await page.getByRole('button', { name: 'Show ignored' }).click()
    await page.getByRole('button', { name: 'Expand node_modules' }).click()
    await page.getByRole('row').filter({ hasText: 'package.json' }).filter({ hasText: 'Ignored here' }).waitFor()
    await page.getByRole('button', { name: 'Details of package.json' }).click()
    await page.getByRole('dialog').getByText('node_modules', { exact: false }).first().waitFor()
    await page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'node_modules' }).waitFor()
  })
})

test('several files are rescanned by one click, in the tree and in the results of a search', { skip }, async () => {
  await browser.visit(at('folders/shared'), async ({ page }) => {
    await page.getByRole('checkbox', { name: 'Select one.txt', exact: true }).check()
    await page.getByRole('checkbox', { name: 'Select two.txt', exact: true }).check()
    const bar = page.getByRole('toolbar', { name: 'Actions for the selection' })
    await bar.getByText('2 selected').waitFor()
    writeFileSync(join(scratch.path, 'Shared', 'two.txt'), 'a longer text')
    await bar.getByRole('button', { name: 'Rescan' }).click()
    await page.getByRole('status').filter({ hasText: '2 items scanned.' }).waitFor()
    await page.getByRole('row').filter({ hasText: 'two.txt' }).filter({ hasText: '13 B' }).waitFor()
    await bar.getByRole('button', { name: 'Clear selection' }).click()
    await bar.waitFor({ state: 'detached' })
    await page.getByRole('searchbox', { name: 'Search names in this folder' }).fill('t')
    await page.getByRole('checkbox', { name: 'Select all', exact: true }).check()
    await bar.getByText('3 selected').waitFor()
  })
})

test('rows show another language, other devices of the folder and their new names', { skip }, async () => {
  await browser.visit(at('folders/shared'), async ({ page }) => {
    const row = page.getByRole('row').filter({ hasText: 'one.txt' })
    await row.filter({ hasText: '0 of 3 devices have it' }).waitFor()
    await page.getByRole('button', { name: 'Language' }).click()
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
    await row.filter({ hasText: '0 von 3 Geräten' }).waitFor()
    const { id } = (await member.daemon.get(`/rest/svc/deviceid?id=${AWAY[0]}`)) as { id: string }
    await member.daemon.request('PATCH', '/rest/config/folders/shared', { devices: [{ deviceID: id }] })
    await row.filter({ hasText: 'away 0' }).waitFor()
    await member.daemon.request('PATCH', `/rest/config/devices/${id}`, { name: 'tablet' })
    await row.filter({ hasText: 'tablet' }).waitFor()
  })
})
