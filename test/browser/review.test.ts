/** The page in the hand: names, tabs and boxes on a phone; patterns, the manual, and sharing with a device. */
import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { LAPTOP, SERVER } from '../support/config.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { atRest } from '../support/views.ts'

const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
const LONG = 'a very long name of a plan for the whole year.sync-conflict-20250102-030405-ABCDEFG.txt'
let browser: Chromium
let member: Member

before(async () => {
  if (skip !== false) return
  member = await startMember(scratch.path, 'member')
  const { daemon } = member
  await daemon.post('/rest/config/devices', { deviceID: LAPTOP, name: 'laptop' })
  await daemon.post('/rest/config/devices', { deviceID: SERVER, name: 'nas' })
  for (let i = 0; i < 12; i++) {
    const root = join(scratch.path, `folder ${i}`)
    mkdirSync(root)
    if (i === 0) writeFileSync(join(root, LONG), 'x')
    const devices = i < 2 ? [{ deviceID: LAPTOP }] : []
    await daemon.addFolder(`f${i}`, root, { label: `Folder ${i}`, devices, paused: i === 5 })
  }
  await daemon.post('/rest/db/scan?folder=f0')
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await member?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

const at = (path: string) => ({ url: `${member.daemon.url}/#/${path}` })
const PHONE = { width: 390, height: 844 }

/** Controls smaller than a finger; links inside of sentences are exempt. */
const CONTROLS = 'button, input, select, summary, a.button, a.place, .tabs a, .overall-status a'
const SMALL = `[...document.querySelectorAll('${CONTROLS}')]
  .filter((each) => each.checkVisibility() && !each.closest('.unseen, .skip'))
  .map((each) => ({ text: each.outerHTML.slice(0, 90), box: each.getBoundingClientRect() }))
  .filter(({ box }) => box.width > 0 && (box.width < 24 || box.height < 24))
  .map(({ text, box }) => text + ' ' + Math.round(box.width) + 'x' + Math.round(box.height))`

test(
  'on a phone every control is at least 24 px, tabs are whole words, and the headline has the rest',
  { skip },
  async () => {
    await browser.visit(at(''), async ({ page }) => {
      await page.setViewportSize(PHONE)
      await page.evaluate(`localStorage.setItem('twinfold-language', 'de')`)
      await page.reload()
      await atRest(page)
      for (const path of [
        '',
        'folders',
        'folders/f0',
        'devices',
        `devices/${LAPTOP}`,
        'attention',
        'settings',
        'log',
      ]) {
        await page.goto(at(path).url)
        await atRest(page)
        assert.deepEqual(await page.evaluate<string[]>(SMALL), [], path)
      }
      assert.deepEqual(await cutTabs(page), [])
      await page.getByRole('button', { name: 'Mehr' }).click()
      await page.getByRole('link', { name: 'Einstellungen' }).click()
      await page.getByRole('heading', { name: 'Einstellungen', level: 1 }).waitFor()
      const more = page.locator('.chip-more')
      await more.click()
      await page.locator('.chip-list').getByRole('link', { name: '2 noch nie verbunden' }).click()
      await page.getByRole('heading', { name: 'Geräte', level: 1 }).waitFor()
    })
  },
)

const cutTabs = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('.side .place > span')].filter((each) => each.scrollWidth > each.clientWidth + 1)
      .map((each) => each.textContent)`,
  )

test(
  'names are cut in the middle, lines are numbered as they are, and folders have a last change',
  { skip },
  async () => {
    await browser.visit(at('folders/f0'), async ({ page }) => {
      await page.setViewportSize(PHONE)
      const end = page.getByText('ABCDEFG.txt').first()
      await end.waitFor()
      const { x = 0, width = 0 } = (await end.boundingBox()) ?? {}
      assert.ok(width > 20 && x + width <= PHONE.width, `the end of the name is at ${x} to ${x + width}`)
      await page.goto(at('folders/f0/ignores').url)
      const editor = page.getByRole('textbox', { name: 'Ignore patterns, one per line' })
      await editor.fill('*.tmp\n*.bak\n')
      assert.equal(await page.locator('.line-editor-numbers > div').count(), 3)
      await page.setViewportSize({ width: 1_440, height: 900 })
      await page.goto(at('folders').url)
      await page.getByRole('row', { name: 'Folder 0' }).locator('time').waitFor()
    })
  },
)

test('a device shows the folders that it gets; others are shared by a dialog', { skip }, async () => {
  await browser.visit(at(`devices/${LAPTOP}`), async ({ page }) => {
    const boxes = page.getByRole('main').getByRole('checkbox')
    await boxes.first().waitFor()
    assert.equal(await boxes.count(), 2)
    await page.getByRole('button', { name: 'Share another…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share folders with laptop' })
    await dialog.getByRole('textbox').fill('der 7')
    await dialog.getByRole('checkbox', { name: 'Folder 7' }).check()
    await dialog.getByRole('button', { name: 'Share 1 folder' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: 'Share Folder 7' }).waitFor()
    assert.equal(await boxes.count(), 3)
  })
})

test('the manual and the interface are in the frame of the page, with the way back', { skip }, async () => {
  await browser.visit(at(''), async ({ page }) => {
    await page.getByRole('link', { name: 'Help' }).click()
    await page.getByRole('heading', { name: 'Manual', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'REST interface', exact: true }).click()
    await page.getByRole('heading', { name: 'REST interface', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('navigation', { name: 'Main' }).waitFor()
  })
})
