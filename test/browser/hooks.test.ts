/** Hooks in the settings: add, test, deliveries, remove. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import { browserStage } from '../support/browser-stage.ts'
import { listening } from '../support/listening.ts'
import { atRest } from '../support/views.ts'

const stage = browserStage()
const { skip } = stage

test('a hook is added, tested and removed; a refused one keeps what was typed', { skip }, async () => {
  const bodies: string[] = []
  const server = createServer((request, reply) => {
    request.on('data', (piece: Buffer) => bodies.push(String(piece)))
    request.on('end', () => reply.writeHead(204).end())
  })
  const { url } = await listening(server)
  const refused = [/400 \(Bad Request\)/]
  await stage.browser.visit({ url: `${stage.daemon.url}/#/settings/hooks`, expected: refused }, async ({ page }) => {
    await atRest(page)
    await page.getByText('No hooks.').waitFor()
    await page.getByRole('button', { name: 'Add hook' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add hook' })
    await dialog.getByLabel('Name').fill('phone')
    await dialog.getByLabel('When').selectOption({ label: 'a folder has an error' })
    assert.equal(await dialog.getByLabel('Device').count(), 0)
    await dialog.getByLabel('Address').fill(url)
    await dialog.getByLabel('Format').selectOption({ label: 'ntfy' })
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await dialog.getByText('127.0.0.1 is a private address').waitFor()
    await dialog.getByLabel('The server is on this machine').check()
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    const row = page.getByRole('listitem', { name: 'phone' })
    await row.getByText('a folder has an error').waitFor()
    await row.getByRole('button', { name: 'Test' }).click()
    await page.getByRole('status').filter({ hasText: 'Delivered: HTTP 204' }).waitFor()
    await row.getByText('Delivered', { exact: true }).waitFor()
    assert.deepEqual(bodies, ['This is a test of the hook phone'])
    await row.getByRole('button', { name: 'Deliveries' }).click()
    await page.getByRole('dialog').getByText('This is a test of the hook phone').waitFor()
    await page.keyboard.press('Escape')
    await row.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No hooks.').waitFor()
  })
  server.close()
  assert.deepEqual(await stage.daemon.get('/rest/twinfold/hooks'), [])
})
