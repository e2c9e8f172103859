/** A page that everybody can reach without a password shows it, and leads to the remedy. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { accessibilityFindings } from '../support/browser.ts'
import { browserStage } from '../support/browser-stage.ts'
import { freePort } from '../support/free-port.ts'

const stage = browserStage({
  // Not one of the spellings that are known to be loopback: for the daemon an address that others may reach.
  daemon: async () => ({ guiAddress: `127.1:${await freePort()}`, args: ['--allow-open-gui'] }),
  prepare: async (daemon, directory) => daemon.addFolder('photos', join(directory, 'Photos')),
})
const { skip } = stage

test(
  'without a password the page warns and leads to the settings; with one the warning is gone',
  { skip },
  async () => {
    const { url } = stage.daemon
    await stage.browser.visit({ url: `${url}/`, expected: [/status of 403/] }, async ({ page }) => {
      const warning = page.getByRole('alert').filter({ hasText: 'no password is set' })
      await warning.waitFor()
      assert.equal(await warning.count(), 1)
      assert.equal(await page.getByText('because no password is set').count(), 1, 'not once more as a line of the log')
      assert.deepEqual(await accessibilityFindings(page), [])
      await warning.getByRole('link', { name: 'Set a password' }).click()
      await page.waitForURL(/#\/settings\/gui$/)
      await page.goto(`${url}/#/`)
      await warning.waitFor()
      await stage.daemon.request('PATCH', '/rest/config/gui', { user: 'anna', password: 'open sesame' })
      const login = page.getByRole('dialog', { name: 'Log in again' })
      await login.getByLabel('User').fill('anna')
      await login.getByLabel('Password').fill('open sesame')
      await page.keyboard.press('Enter')
      await warning.waitFor({ state: 'detached' })
    })
  },
)
