/** The page never says what it does not know, and what solves a problem is beside it. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'

const skip = missingBrowser() ?? false
const AWAY = [/ERR_CONNECTION|ERR_EMPTY_RESPONSE|ERR_INCOMPLETE|ERR_NETWORK|ERR_FAILED|status of 403/]
const scratch = scratchDirectory()
let browser: Chromium
let member: Member

const place = (name: string) => join(scratch.path, name)
const at = (path: string) => ({ url: `${member.daemon.url}/#/${path}` })

before(async () => {
  if (skip !== false) return
  member = await startMember(scratch.path, 'member')
  const { daemon, root } = member
  mkdirSync(root, { recursive: true })
  writeFileSync(join(root, 'plan.txt'), 'mine')
  writeFileSync(join(root, 'plan.sync-conflict-20250102-030405-ABCDEFG.txt'), 'yours')
  await daemon.addFolder('docs', root, { label: 'Docs' })
  await daemon.post('/rest/db/scan?folder=docs')
  for (const id of ['marked', 'disk', 'paused']) {
    mkdirSync(place(id))
    for (const name of ['a', 'b', 'c', 'd']) writeFileSync(join(place(id), name), name)
    await daemon.addFolder(id, place(id), { label: id, paused: id === 'paused' })
    if (id !== 'paused') await daemon.post(`/rest/db/scan?folder=${id}`)
  }
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await member?.[Symbol.asyncDispose]()
  scratch[Symbol.dispose]()
})

/** Records every text that the headline and its announcement have had since the page began. */
const RECORD = `
  window.said = new Set()
  const look = () => {
    for (const each of document.querySelectorAll('.overall-status, .top [role=status], title'))
      window.said.add(each.textContent)
  }
  new MutationObserver(look).observe(document, { subtree: true, childList: true, characterData: true })
`

test(
  'at every load with a conflict, nothing is called up to date, and no key of a text is shown',
  { skip },
  async () => {
    await browser.visit(at(''), async ({ page }) => {
      await page.addInitScript(RECORD)
      for (let load = 0; load < 3; load++) {
        await page.reload()
        await page.locator('.overall-status').getByText('1 conflict').first().waitFor()
        const said = await page.evaluate<string[]>('[...window.said]')
        assert.deepEqual(
          said.filter((text) => /up to date/i.test(text)),
          [],
        )
        assert.deepEqual(
          said.filter((text) => /\bstatus\.|\b[a-z]+\.[a-z]+[A-Z]/.test(text)),
          [],
        )
      }
      await page.getByRole('row', { name: 'Docs' }).getByText('1 conflict').waitFor()
      assert.equal(await page.getByRole('row', { name: 'Docs' }).locator('.state.good').count(), 0)
      await page.goto(at('folders/docs').url)
      await page.locator('.folder-name .state.wait').getByText('1 conflict').waitFor()
    })
  },
)

test('a paused folder that was never scanned is not called empty', { skip }, async () => {
  await browser.visit(at('folders/paused'), async ({ page }) => {
    await page.getByText('Paused before its first scan').waitFor()
    assert.equal(await page.getByText('This folder is empty').count(), 0)
  })
})

test('a missing marker: its files are grey, and one button creates it where they are all there', { skip }, async () => {
  rmSync(join(place('marked'), '.stfolder'), { recursive: true })
  await member.daemon.post('/rest/db/scan?folder=marked').catch(() => undefined)
  await browser.visit(at('folders/marked'), async ({ page }) => {
    await page.getByText('Last known: the folder has stopped').waitFor()
    assert.equal(await colourOf(page, '.last-known tr .state'), await colourOf(page, '.soft'))
    await page.goto(at('attention').url)
    const entry = page.getByRole('listitem').filter({ hasText: 'The folder marker is missing' })
    await entry.getByText(`4 of 4 known files are in ${place('marked')}.`).waitFor()
    assert.equal(await entry.getByRole('button', { name: 'Retry' }).count(), 0)
    await entry.getByRole('button', { name: 'Create the marker' }).click()
    await entry.waitFor({ state: 'detached' })
    assert.ok(existsSync(join(place('marked'), '.stfolder')))
  })
})

test('a disk at another place: its path is chosen, and nothing is copied', { skip }, async () => {
  renameSync(place('disk'), place('elsewhere'))
  await member.daemon.post('/rest/db/scan?folder=disk').catch(() => undefined)
  await browser.visit(at('attention'), async ({ page }) => {
    const entry = page.getByRole('listitem').filter({ hasText: 'The directory or disk is missing' })
    await entry.getByText(`The disk is not mounted at ${place('disk')}`).waitFor()
    await entry.getByRole('button', { name: 'Choose the new place' }).click()
    const dialog = page.getByRole('dialog', { name: 'The new place of disk' })
    await dialog.getByRole('textbox').fill(place('elsewhere'))
    await dialog.getByText('The marker of a folder is here.').waitFor()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await entry.waitFor({ state: 'detached' })
    const status = async () =>
      (await member.daemon.get('/rest/db/status?folder=disk')) as { state: string; localFiles: number }
    await eventually('the folder at its new place', async () => {
      const { state, localFiles } = await status()
      return (state === 'idle' && localFiles === 4) || undefined
    })
  })
})

test('without the daemon states are grey and actions are off', { skip }, async () => {
  await browser.visit({ ...at('folders'), expected: AWAY }, async ({ page }) => {
    const before = await colourOf(page, 'tr .state.wait')
    const rescan = page.getByRole('button', { name: 'Rescan all' })
    assert.equal(await rescan.isDisabled(), false)
    await member.daemon.signal('SIGKILL')
    await page.getByRole('alert').filter({ hasText: 'responding' }).waitFor()
    assert.equal(await rescan.isDisabled(), true)
    assert.notEqual(await colourOf(page, 'tr .state.wait'), before)
    assert.equal(await colourOf(page, 'tr .state.wait'), await colourOf(page, '.soft'))
  })
})

async function colourOf(page: Page, selector: string): Promise<string> {
  await page.locator(selector).first().waitFor()
  return await page.evaluate<string>(`getComputedStyle(document.querySelector(${JSON.stringify(selector)})).color`)
}
