/** A device with a password: nothing is shown before the login, and the user can end the session. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { accessibilityFindings } from '../support/browser.ts'
import { browserStage } from '../support/browser-stage.ts'
import { eventually } from '../support/scratch.ts'

const stage = browserStage({
  prepare: async (daemon, directory) => {
    await daemon.addFolder('photos', join(directory, 'Photos'), { label: 'Secret photos' })
    await daemon.request('PATCH', '/rest/config/gui', { user: 'anna', password: 'open sesame' })
  },
})
const { skip } = stage

test('log in with the wrong password, with the right one, and out again', { skip }, async () => {
  const expected = [/status of 40[13]/] // the browser logs refused requests
  await stage.browser.visit({ url: `${stage.daemon.url}/`, expected }, async ({ page }) => {
    const password = page.getByLabel('Password')
    await password.waitFor()
    assert.ok(!(await page.content()).includes('Secret photos'))
    assert.deepEqual(await accessibilityFindings(page), [])
    await page.getByLabel('User').fill('anna')
    await password.fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').filter({ hasText: 'Wrong user name or password.' }).waitFor()
    await password.fill('open sesame')
    await page.getByRole('button', { name: 'Log in' }).click()
    await page.getByRole('main').getByText('Secret photos').first().waitFor()
    await page.reload()
    await page.getByRole('main').getByText('Secret photos').first().waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await password.waitFor()
    await page.reload()
    await password.waitFor()
    assert.ok(!(await page.content()).includes('Secret photos'))
  })
})

test('an expired session requires the password, and all input is kept', { skip }, async () => {
  const expected = [/status of 40[13]/]
  await stage.browser.visit({ url: `${stage.daemon.url}/#/folders/photos`, expected }, async ({ page }) => {
    const logIn = async () => {
      await page.getByLabel('User').fill('anna')
      await page.getByLabel('Password').fill('open sesame')
      await page.getByRole('button', { name: 'Log in' }).click()
    }
    await logIn()
    await page.getByRole('heading', { name: 'Secret photos' }).waitFor()
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const name = page.getByRole('dialog').getByLabel('Name', { exact: true })
    await name.fill('Not saved yet')
    await page.context().clearCookies({ name: /^sessionid-/ })
    await page.getByText('Your session has expired.').waitFor()
    await logIn()
    await page.getByText('Your session has expired.').waitFor({ state: 'detached' })
    assert.equal(await name.inputValue(), 'Not saved yet')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'Not saved yet' }).waitFor()
  })
})

test('after many wrong passwords the page shows why the response is delayed', { skip }, async () => {
  await stage.browser.visit({ url: `${stage.daemon.url}/`, expected: [/status of 40[13]/] }, async ({ page }) => {
    const slow = page.getByText('After several wrong passwords the response is delayed by a few seconds.')
    const password = page.getByLabel('Password')
    await page.getByLabel('User').fill('anna')
    let isSlow = false
    for (let attempt = 0; attempt < 12 && !isSlow; attempt++) {
      await password.fill(`guess ${attempt}`)
      await page.keyboard.press('Enter')
      // A wrong password is removed from its field when the response has arrived.
      const seen = await eventually('a message or a response', async () =>
        (await slow.isVisible()) ? 'slow' : (await password.inputValue()) === '' ? 'response' : undefined,
      )
      isSlow = seen === 'slow'
    }
    assert.ok(isSlow)
    await page.getByRole('alert').filter({ hasText: 'Wrong user name or password.' }).waitFor()
  })
})
