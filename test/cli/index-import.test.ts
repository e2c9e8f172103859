import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newDaemon, run } from './fake-daemon.ts'

test('status: how far the import of an index is', async () => {
  const daemon = newDaemon()
  assert.doesNotMatch((await run('status', daemon)).out, /Importing/)
  const progress = { version: '1.x', folder: 'docs', folderNumber: 1, folderCount: 2, items: 500, totalItems: 1_200 }
  daemon.indexImport = progress
  const line = /Importing: +the index of Syncthing 1\.x: folder 1 of 2 \(docs\), 500 of about 1200 items/
  assert.match((await run('status', daemon)).out, line)
  assert.deepEqual(JSON.parse((await run('status --json', daemon)).out).indexImport, progress)
  daemon.indexImport = { ...progress, folder: '' }
  assert.match((await run('status', daemon)).out, /Importing: +the index of Syncthing 1\.x$/m)
  daemon.indexImport = undefined
  assert.doesNotMatch((await run('status', daemon)).out, /Importing/, 'a Syncthing imports nothing')
})
