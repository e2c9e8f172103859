/** Keys of programs and users of the page, in the settings. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { accessibilityFindings } from '../support/browser.ts'
import { browserStage } from '../support/browser-stage.ts'
import { atRest } from '../support/views.ts'

const stage = browserStage({
  prepare: (daemon, directory) => daemon.addFolder('photos', join(directory, 'Photos'), { label: 'Family photos' }),
})
const { skip } = stage

const statusWith = async (key: string, path: string): Promise<number> =>
  (await fetch(`${stage.daemon.url}${path}`, { headers: { 'X-API-Key': key } })).status

test('a key is added with limits, shown once, listed with its last use, and revoked', { skip }, () =>
  stage.browser.visit({ url: `${stage.daemon.url}/#/settings/access` }, async ({ page }) => {
    const keys = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Keys of programs' }) })
    await keys.getByLabel('Name').fill('tray')
    await keys.getByLabel('Folder').selectOption({ label: 'Family photos' })
    await keys.getByLabel('Expires').selectOption({ label: 'in 90 days' })
    await keys.getByRole('button', { name: 'Add key' }).click()
    await keys.getByText('it is not shown again').waitFor()
    const key = (await keys.locator('code').textContent()) ?? ''
    assert.equal(await statusWith(key, '/rest/db/status?folder=photos'), 200)
    assert.equal(await statusWith(key, '/rest/config/restart-required'), 200)
    assert.deepEqual(await accessibilityFindings(page), [])

    await page.reload()
    await atRest(page)
    await keys.getByText(/only watch · photos · until .* last used/).waitFor()
    assert.ok(!(await page.content()).includes(key))
    await keys.getByRole('button', { name: 'Revoke tray' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await keys.getByText('None yet.').waitFor()
    assert.equal(await statusWith(key, '/rest/db/status?folder=photos'), 403)
  }),
)

test('a second user needs an owner with a password, and an error keeps what was typed', { skip }, () =>
  stage.browser.visit(
    { url: `${stage.daemon.url}/#/settings/access`, expected: [/status of 40[39]/] },
    async ({ page }) => {
      const users = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Users of this page' }) })
      await users.getByLabel('Name').fill('guest')
      await users.getByLabel('New password').fill('guests only')
      await users.getByRole('button', { name: 'Add user' }).click()
      await users.getByRole('alert').waitFor()
      assert.equal(await users.getByLabel('Name').inputValue(), 'guest')

      const owner = { user: 'anna', password: 'open sesame' }
      await stage.daemon.request('PATCH', '/rest/config/gui', owner)
      await page.getByLabel('User').fill(owner.user)
      await page.getByLabel('Password', { exact: true }).fill(owner.password)
      await page.getByRole('button', { name: 'Log in' }).click()
      await users.getByRole('button', { name: 'Add user' }).click()
      await users.getByText(/guest.*only watch · all folders/).waitFor()
      const login = { method: 'POST', body: JSON.stringify({ username: 'guest', password: 'guests only' }) }
      assert.equal((await fetch(`${stage.daemon.url}/rest/noauth/auth/password`, login)).status, 204)
      await users.getByRole('button', { name: 'Revoke guest' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await users.getByText('None yet.').waitFor()
    },
  ),
)
