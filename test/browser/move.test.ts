/** A folder is moved by its page: preview, progress, cancel, result. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Chromium, missingBrowser } from '../support/browser.ts'
import { startMember, type Member } from '../support/daemon-pair.ts'
import { scratchDirectory } from '../support/scratch.ts'

const MEMORY = '/dev/shm'
const skip = missingBrowser() ?? false
const scratch = scratchDirectory()
const hasOtherDisk = existsSync(MEMORY) && statSync(MEMORY).dev !== statSync(scratch.path).dev
const other = hasOtherDisk ? mkdtempSync(join(MEMORY, 'twinfold-')) : scratch.path
let browser: Chromium
let member: Member

before(async () => {
  if (skip !== false) return
  member = await startMember(scratch.path, 'member')
  const { daemon, root } = member
  mkdirSync(join(root, 'notes'), { recursive: true })
  writeFileSync(join(root, 'notes', 'a.txt'), 'a')
  await daemon.addFolder('docs', root, { label: 'Docs' })
  await daemon.post('/rest/db/scan?folder=docs')
  browser = await Chromium.start()
})

after(async () => {
  await browser?.[Symbol.asyncDispose]()
  await member?.[Symbol.asyncDispose]()
  rmSync(other, { recursive: true, force: true })
  scratch[Symbol.dispose]()
})

async function openMove(page: Page) {
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Move to another directory…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Move “Docs”' })
  return { dialog, field: dialog.getByRole('textbox', { name: 'New directory' }) }
}

const at = () => ({ url: `${member.daemon.url}/#/folders/docs` })

test('a place that cannot be used is refused with its reason before anything is done', { skip }, async () => {
  await browser.visit(at(), async ({ page }) => {
    const { dialog, field } = await openMove(page)
    const start = dialog.getByRole('button', { name: 'Move', exact: true })
    await field.fill(join(member.root, 'notes'))
    await dialog.getByText('apart from this and all other folders', { exact: false }).waitFor()
    assert.equal(await start.isDisabled(), true)
    await field.fill(scratch.path)
    await dialog.getByText('apart from this', { exact: false }).waitFor()
    await field.fill('relative')
    await dialog.getByText('Enter an absolute path', { exact: false }).waitFor()
    assert.equal(await start.isDisabled(), true)
  })
})

test('a folder is moved to another disk and back, and the page shows where it is', { skip }, async () => {
  const before = member.root
  await browser.visit(at(), async ({ page }) => {
    const there = join(other, 'docs')
    const first = await openMove(page)
    await first.field.fill(there)
    await first.dialog.getByText(hasOtherDisk ? 'copied to another disk and verified' : 'Renamed').waitFor()
    await first.dialog.getByRole('button', { name: 'Move', exact: true }).click()
    await first.dialog.getByText(`Moved to ${there}`).waitFor()
    await first.dialog.getByRole('button', { name: 'Close' }).last().click()
    await page.locator('.folder-facts').getByText(there).waitFor()
    assert.equal(readFileSync(join(there, 'notes', 'a.txt'), 'utf8'), 'a')
    assert.ok(!existsSync(before))

    const second = await openMove(page)
    await second.field.fill(before)
    await second.dialog.getByRole('button', { name: 'Move', exact: true }).click()
    await second.dialog.getByText(`Moved to ${before}`).waitFor()
  })
  assert.ok(existsSync(join(before, 'notes', 'a.txt')))
})

test('a running move is shown by the folder, and can be cancelled', { skip }, async () => {
  const move = {
    folder: 'docs',
    from: member.root,
    to: '/mnt/docs',
    method: 'copy',
    state: 'copying',
    files: 2,
    filesDone: 1,
    bytes: 4_000,
    bytesDone: 1_000,
    started: '2026-11-17T10:00:00Z',
    ended: null,
    cancellable: true,
    error: '',
    left: [] as string[],
    leftCount: 0,
  }
  let now: object = move
  await browser.visit(at(), async ({ page }) => {
    await page.route('**/rest/twinfold/move?*', async (route) => {
      if (route.request().method() !== 'DELETE') return await route.fulfill({ json: { move: now } })
      now = { ...move, state: 'cancelled', ended: move.started, cancellable: false, left: ['odd.txt'], leftCount: 1 }
      return await route.fulfill({ body: '' })
    })
    await page.reload()
    const notice = page.getByRole('status').filter({ hasText: 'Copying to /mnt/docs' })
    await notice.getByText('1.00 kB / 4.00 kB').waitFor()
    await notice.getByRole('button', { name: 'Show' }).click()
    const dialog = page.getByRole('dialog', { name: 'Move “Docs”' })
    await dialog.getByText('continues when this window is closed', { exact: false }).waitFor()
    await dialog.getByRole('button', { name: 'Cancel the move' }).click()
    await dialog.getByText('1 item stayed in the other directory', { exact: false }).waitFor()
    await dialog.getByText('odd.txt').waitFor()
  })
})
