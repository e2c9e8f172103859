import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MARKER_MISSING, PATH_MISSING } from '../../../src/core/folder-stop.ts'
import { stopText } from '../../../src/core/remedies/stop-text.ts'

test('why a folder has stopped, for users: with its path, and without the advice to search elsewhere', () => {
  const folder = { path: '/mnt/stick', markerName: '.stfolder' }
  const marker = stopText(MARKER_MISSING, folder)
  assert.match(marker, /^the folder marker is missing: the disk is probably not mounted at \/mnt\/stick\. .*\.stfolder/)
  assert.doesNotMatch(marker, /forum/)
  assert.match(
    stopText(PATH_MISSING, folder),
    /^the directory or disk is missing: the disk is probably not mounted, or \/mnt\/stick/,
  )
  assert.equal(stopText('index damaged', folder), 'index damaged')
})
