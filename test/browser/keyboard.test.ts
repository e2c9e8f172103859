/** Every dialog by keyboard alone: opened, walked through, closed, and the focus is where it was. */
import assert from 'node:assert/strict'
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFindings } from '../support/browser.ts'
import { browserStage } from '../support/browser-stage.ts'
import { eventually } from '../support/scratch.ts'
import { atRest } from '../support/views.ts'

const PHONE = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'

const stage = browserStage({
  prepare: async (daemon, directory) => {
    const root = join(directory, 'Photos')
    mkdirSync(root)
    writeFileSync(join(root, 'cat.jpg'), 'a cat')
    const device = { deviceID: PHONE, name: 'Phone', addresses: ['tcp://127.0.0.1:1'] }
    await daemon.post('/rest/config/devices', device)
    await daemon.addFolder('photos', root, { label: 'Photos', devices: [{ deviceID: PHONE }] })
    await daemon.post('/rest/db/scan?folder=photos')
    const notes = join(directory, 'Notes')
    mkdirSync(notes)
    for (const name of ['a', 'b']) {
      writeFileSync(join(notes, `${name}.txt`), 'one')
      writeFileSync(join(notes, `${name}.sync-conflict-20250102-030405-ABCDEFG.txt`), 'two')
    }
    await daemon.addFolder('notes', notes, { label: 'Notes' })
    await daemon.post('/rest/db/scan?folder=notes')
  },
})
const { skip } = stage

interface Way {
  /** The file of the dialog. */
  readonly file: string
  readonly place: string
  /** What is reached by Tab and pressed, one after the other. */
  readonly keys: readonly string[]
  readonly title: string | RegExp
}

const WAYS: readonly Way[] = [
  { file: 'pages/add/add-folder.tsx', place: 'folders', keys: ['Add folder'], title: 'Add folder' },
  { file: 'pages/add/add-device.tsx', place: 'devices', keys: ['Add device'], title: 'Add device' },
  { file: 'pages/edit/edit-folder.tsx', place: 'folders/photos', keys: ['Edit'], title: 'Edit Photos' },
  { file: 'pages/edit/edit-device.tsx', place: `devices/${PHONE}`, keys: ['Edit'], title: 'Edit Phone' },
  { file: 'ui/confirm.tsx', place: `devices/${PHONE}`, keys: ['Remove'], title: 'Remove Phone?' },
  {
    file: 'pages/folder/folder-actions.tsx',
    place: 'folders/photos',
    keys: ['Rescan', 'This path …'],
    title: 'Rescan a path',
  },
  {
    file: 'pages/edit/share-encrypted.tsx',
    place: 'folders/photos',
    keys: ['Actions', 'Share encrypted'],
    title: /^Share Photos/,
  },
  { file: 'pages/folder/file-drawer.tsx', place: 'folders/photos', keys: ['tree', 'cat.jpg'], title: 'cat.jpg' },
  {
    file: 'pages/folder/move-folder.tsx',
    place: 'folders/photos',
    keys: ['Actions', 'Move to another directory…'],
    title: 'Move “Photos”',
  },
  {
    file: 'pages/device/missing-items-dialog.tsx',
    place: `devices/${PHONE}`,
    keys: ['1 item behind, 5 B'],
    title: 'Items of Photos missing on Phone',
  },
  {
    file: 'pages/conflicts/rule-dialog.tsx',
    place: 'conflicts',
    keys: ['Resolve many…'],
    title: 'Resolve many conflicts',
  },
  { file: 'pages/conflicts/merge-dialog.tsx', place: 'conflicts', keys: ['Merge… m'], title: 'Merge a.txt' },
  {
    file: 'pages/device/share-another.tsx',
    place: `devices/${PHONE}`,
    keys: ['Share another…'],
    title: 'Share folders with Phone',
  },
  { file: 'pages/settings/add-dialog.tsx', place: 'settings/schedule', keys: ['Add rule'], title: 'Add rule' },
  { file: 'pages/settings/add-dialog.tsx', place: 'settings/hooks', keys: ['Add hook'], title: 'Add hook' },
  { file: 'app/commands.tsx', place: 'log', keys: ['Commands'], title: 'Commands' },
]

/** Opened from another dialog, by a key of its own, or by a failure: walked through where these are tested. */
const ELSEWHERE = [
  'app/keys-help.tsx',
  'app/login-overlay.tsx',
  'pages/add/invite.tsx',
  'pages/add/join.tsx',
  'pages/attention/remedy-dialogs.tsx',
  'pages/edit/password-sheet.tsx',
  'pages/folder/file-viewer.tsx',
  'pages/folder/restore-versions.tsx',
  'pages/folder/rewind-dialog.tsx',
  'pages/settings/hooks-section.tsx',
  'ui/dialog.tsx',
]

const NAME = `(element) => (element.getAttribute('aria-label') ?? element.textContent).trim().replace(/ ▾$/, '')`

/** Presses Tab until the element with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const wanted =
    name === 'tree'
      ? `document.activeElement.matches('tr[data-index]')`
      : `(${NAME})(document.activeElement) === ${JSON.stringify(name)} && document.activeElement !== document.body`
  for (let presses = 0; presses < 150; presses++) {
    if ((await page.evaluate(wanted)) === true) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`no number of tabs leads to "${name}"`)
}

async function open(page: Page, keys: readonly string[]): Promise<void> {
  const [first = '', second] = keys
  await tabTo(page, first)
  if (first === 'tree') return page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  if (second === undefined) return
  const item = page.getByRole('menuitem', { name: second })
  await item.waitFor()
  for (let presses = 0; presses < 10; presses++) {
    if (await item.evaluate((element) => element.matches(':focus'))) break
    await page.keyboard.press('ArrowDown')
  }
  await page.keyboard.press('Enter')
}

const TABBABLE = `[...document.querySelector('.dialogs > dialog:last-child').querySelectorAll(
  'a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary, [tabindex="0"]')]
  .filter((element) => element.checkVisibility() && element.tabIndex >= 0)`

/** Walks once around by Tab: every control in sight is reached, and nothing outside of the dialog. */
async function walk(page: Page): Promise<number> {
  const total = (await page.evaluate(`(() => { window.walked = new Set(); return ${TABBABLE}.length })()`)) as number
  for (let presses = 0; presses < total + 4; presses++) {
    const isInside = await page.evaluate(`(() => {
      const { activeElement } = document
      if (activeElement === document.body) return true // between the last control and the first
      window.walked.add(activeElement)
      return document.querySelector('.dialogs > dialog:last-child').contains(activeElement)
    })()`)
    assert.equal(isInside, true, 'the focus has left the dialog')
    await page.keyboard.press('Tab')
  }
  const missed = await page.evaluate(`${TABBABLE}.filter((element) => !window.walked.has(element)).map(${NAME})`)
  assert.deepEqual(missed, [])
  return total
}

test('every dialog of the page has a walk', () => {
  const root = join(import.meta.dirname, '..', '..', 'gui')
  const files = globSync('**/*.tsx', { cwd: root }).filter((file) =>
    /<[dD]ialog[\s>]/.test(readFileSync(join(root, file), 'utf8')),
  )
  assert.deepEqual(files.sort(), [...new Set([...WAYS.map(({ file }) => file), ...ELSEWHERE])].sort())
})

for (const { file, place, keys, title } of WAYS)
  test(`${file}, ${title}: opened, walked through and closed by keys`, { skip }, () =>
    stage.browser.visit({ url: `${stage.daemon.url}/#/${place}` }, async ({ page }) => {
      await atRest(page)
      await open(page, keys)
      const dialog = page.getByRole('dialog', { name: title })
      await dialog.waitFor()
      // Controls that depend on a reply.
      await dialog.locator('.skeleton, [aria-busy="true"]').first().waitFor({ state: 'detached' })
      assert.ok((await walk(page)) > 0)
      assert.deepEqual(await accessibilityFindings(page), [])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await eventually('the focus to be back', async () =>
        (await page.evaluate('document.activeElement !== document.body')) ? true : undefined,
      )
    }),
  )

test('the list of keys is walked through, too', { skip }, () =>
  stage.browser.visit({ url: `${stage.daemon.url}/#/log` }, async ({ page }) => {
    await atRest(page)
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    assert.ok((await walk(page)) > 0)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }),
)

test('a file is opened from its details, and the viewer is walked through and closed by keys', { skip }, () =>
  stage.browser.visit({ url: `${stage.daemon.url}/#/folders/photos` }, async ({ page }) => {
    await atRest(page)
    await open(page, ['tree', 'cat.jpg'])
    await page.getByRole('dialog', { name: 'cat.jpg' }).waitFor()
    await atRest(page)
    await tabTo(page, 'Open')
    await page.keyboard.press('Enter')
    await eventually('the viewer', async () => (await page.getByRole('dialog').count()) === 2 || undefined)
    await atRest(page)
    assert.ok((await walk(page)) > 0)
    await page.keyboard.press('Escape')
    await eventually('the details', async () => (await page.getByRole('dialog').count()) === 1 || undefined)
  }),
)
