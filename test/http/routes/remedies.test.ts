import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { MARKER_MISSING } from '../../../src/core/folder-stop.ts'
import { fakeRest, IDLE } from '../fakes.ts'

const PATH = '/rest/twinfold/remedies'
const LIMIT =
  'watching needs 9 directories or more, the system allows 8 for all programs: raise fs.inotify.max_user_watches'
const files = { markerName: '.stfolder', hasRoot: true, known: 4, examined: 4, found: 4 }
const ignoreCall = async () => undefined

test('a stopped folder has its cause, the evidence and what solves it', async () => {
  const remedies = { evidence: async () => ({ path: '/data', files }), createMarker: ignoreCall }
  const { send } = fakeRest({ hub: { remedies, status: async () => ({ ...IDLE, error: MARKER_MISSING }) } })
  const [first] = JSON.parse((await send('GET', PATH)).body)
  assert.deepEqual(
    [first.about, first.cause, first.actions, first.files.found],
    ['folder', 'marker', ['create-marker'], 4],
  )
  assert.match(first.message, /4 of 4 known files/)
})

test('failed items are grouped by cause, and a failed watch has its limit', async () => {
  const watches = { setting: 'fs.inotify.max_user_watches', allowed: 8 }
  const evidence = async (_folder: string, cause: string) => (cause === 'watches' ? { watches } : {})
  const folderErrors = async () => [
    { path: 'a', error: 'insufficient space in folder x (/x): current 27.61 % < required 80 %' },
    { path: 'b', error: 'insufficient space in folder x (/x): current 27.61 % < required 80 %' },
    { path: 'c', error: "ENOSPC: no space left on device, write 'c'" },
  ]
  const status = async () => ({ ...IDLE, errorCount: 3, watchError: LIMIT })
  const { send } = fakeRest({ hub: { status, folderErrors, remedies: { evidence, createMarker: ignoreCall } } })
  const found: readonly Record<string, unknown>[] = JSON.parse((await send('GET', PATH)).body)
  assert.deepEqual(
    found.map(({ about, cause, items }) => [about, cause, items]),
    [
      ['items', 'lowSpace', 2],
      ['items', 'full', 1],
      ['watch', 'watches', 0],
    ],
  )
  assert.match(String(found[2]?.['command']), /max_user_watches=524288/)
})

test('a folder that is paused or removed meanwhile has none', async () => {
  const status = async () => {
    throw new TwinfoldError('folder-not-running', 'folder is not running')
  }
  const { send } = fakeRest({ hub: { status } })
  assert.deepEqual(JSON.parse((await send('GET', PATH)).body), [])
})

test('the marker is created, by force only on request; a refusal says why', async () => {
  const { send, calls } = fakeRest()
  assert.equal((await send('POST', '/rest/twinfold/marker?folder=share')).status, 200)
  assert.equal((await send('POST', '/rest/twinfold/marker?folder=share&force=true')).status, 200)
  assert.equal((await send('POST', '/rest/twinfold/marker?folder=share&force=maybe')).status, 400)
  assert.deepEqual(
    calls.filter((call) => call.startsWith('marker')),
    ['marker share', 'marker share forced'],
  )
  const createMarker = async () => {
    throw new TwinfoldError('refused', '3 of 4 known files are at /data')
  }
  const refusing = fakeRest({ hub: { remedies: { evidence: async () => ({}), createMarker } } })
  const refused = await refusing.send('POST', '/rest/twinfold/marker?folder=share')
  assert.deepEqual([refused.status, refused.body.trim()], [409, '3 of 4 known files are at /data'])
})
