import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MARKER_MISSING, PATH_MISSING, stopText } from '../../src/core/folder-stop.ts'

test('why a folder has stopped, for users: with its path, and without the advice to search elsewhere', () => {
  const folder = { path: '/mnt/stick', markerName: '.stfolder' }
  const marker = stopText(MARKER_MISSING, folder)
  assert.match(marker, /^folder marker missing: the disk is probably not mounted at \/mnt\/stick\. .*\.stfolder/)
  assert.doesNotMatch(marker, /forum/)
  assert.match(
    stopText(PATH_MISSING, folder),
    /^folder path missing: the disk is probably not mounted, or \/mnt\/stick/,
  )
  assert.equal(stopText('index damaged', folder), 'index damaged')
})
