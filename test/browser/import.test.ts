/** While the index of Syncthing is imported, the overview shows how far that is. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { accessibilityFindings } from '../support/browser.ts'
import { browserStage } from '../support/browser-stage.ts'

const stage = browserStage({
  prepare: async (daemon, directory) => daemon.addFolder('photos', join(directory, 'Photos')),
})
const { skip } = stage

test('the overview shows the progress of an import, and no longer when it has ended', { skip }, async () => {
  await stage.browser.visit({ url: `${stage.daemon.url}/` }, async ({ page }) => {
    const progress = {
      version: '1.x',
      folder: 'photos',
      folderNumber: 1,
      folderCount: 3,
      items: 1_500,
      totalItems: 6_000,
    }
    // The import of an index as small as that of a test is over before a page is loaded.
    let indexImport: typeof progress | null = progress
    await page.route(/\/rest\/twinfold\/(?:summary|pulse)$/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response, json: { ...(await response.json()), indexImport } })
    })
    await page.reload()
    const notice = page.getByRole('status').filter({ hasText: 'The index of Syncthing 1.x is being imported' })
    await notice.getByText('Folder 1 of 3 (photos): 1,500 of about 6,000 items').waitFor()
    assert.equal(await notice.getByRole('progressbar').getAttribute('value'), '0.25')
    assert.deepEqual(await accessibilityFindings(page), [])
    indexImport = { ...progress, items: 3_000 }
    await notice.getByText('3,000 of about 6,000 items').waitFor()
    indexImport = null
    await notice.waitFor({ state: 'detached' })
  })
})
