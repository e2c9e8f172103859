/** A second user who may only read: the page shows the same, without its actions. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFindings } from '../support/browser.ts'
import { browserStage } from '../support/browser-stage.ts'

const stage = browserStage({
  prepare: async (daemon, directory) => {
    await daemon.addFolder('photos', join(directory, 'Photos'), { label: 'Family photos' })
    await daemon.request('PATCH', '/rest/config/gui', { user: 'anna', password: 'open sesame' })
    const guest = { name: 'guest', password: 'guests only', scope: 'monitor' }
    assert.equal((await daemon.request('POST', '/rest/twinfold/users', guest)).status, 200)
  },
})
const { skip } = stage

const PLACES = [
  '',
  'folders',
  'folders/photos',
  'folders/photos/files',
  'folders/photos/ignores',
  'devices',
  'log',
  'attention',
]
const ACTIONS = /^(Pause|Pause all|Resume|Rescan|Rescan all|Edit|Remove|Add folder|Add device|Save|Actions|Restart)\b/

/** The names of the actions that a user finds on all pages. */
async function actionsOn(page: Page): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const place of PLACES) {
    await page.goto(`${stage.daemon.url}/#/${place}`)
    await page.getByRole('main').getByRole('heading').first().waitFor()
    for (const button of await page.getByRole('button').all()) {
      const name = (await button.getAttribute('aria-label')) ?? (await button.textContent()) ?? ''
      const isOfLog = place === 'log' && name.trim() === 'Pause' // it holds what the page shows
      if (ACTIONS.test(name.trim()) && !isOfLog) found.add(name.trim())
    }
  }
  return found
}

async function logIn(page: Page, user: string, password: string): Promise<void> {
  await page.getByLabel('User').fill(user)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  await page.getByRole('main').getByText('Family photos').first().waitFor()
}

test('a user with the scope monitor sees every page and no action; the owner sees the actions', { skip }, async () => {
  const expected = [/status of 40[13]/] // before the login
  await stage.browser.visit({ url: `${stage.daemon.url}/`, expected }, async ({ page }) => {
    const changing: string[] = []
    page.on('request', (request) => {
      if (request.method() !== 'GET' && !/rest.(noauth|twinfold.ignore-preview)/.test(request.url()))
        changing.push(request.url())
    })
    await logIn(page, 'guest', 'guests only')
    await page.getByText('guest: read-only').waitFor()
    assert.deepEqual([...(await actionsOn(page))], [])
    await page.goto(`${stage.daemon.url}/#/settings/general`)
    await page.getByRole('heading', { name: 'Settings' }).waitFor()
    const fields = await page.getByRole('main').locator('form.settings').getByRole('textbox').all()
    assert.ok(fields.length > 0)
    for (const field of fields) assert.ok(await field.isDisabled())
    assert.deepEqual(await accessibilityFindings(page), [])
    assert.ok(!(await page.content()).includes(stage.daemon.apiKey))
    assert.deepEqual(changing, [])
    await page.goto(`${stage.daemon.url}/#/`)
    await page.getByRole('button', { name: 'Log out' }).click()
    await logIn(page, 'anna', 'open sesame')
    const actions = await actionsOn(page)
    assert.ok(actions.size >= 4, [...actions].join())
    assert.equal(await page.getByText('read-only').count(), 0)
  })
})
