import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FolderId } from '../../../src/core/ids.ts'
import { fakeRest } from '../fakes.ts'

test('reset: the index is deleted first, then the reply is sent, then the restart', async () => {
  const odd = 'a"b' as FolderId
  const rest = fakeRest({ folder: { id: odd, paused: true } })
  const response = await rest.send('POST', `/rest/system/reset?folder=${encodeURIComponent(odd)}`)
  assert.deepEqual(JSON.parse(response.body), { ok: 'resetting folder a"b' })
  assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
  assert.deepEqual(rest.calls, ['forget a"b', 'restart'])
})

test('reset: all folders when none is given', async () => {
  const rest = fakeRest({ folder: { paused: true } })
  assert.equal((await rest.send('POST', '/rest/system/reset')).body, '{"ok": "resetting database"}\n')
  assert.deepEqual(rest.calls, ['forget share', 'restart'])
})

test('reset: a running or missing folder is refused', async () => {
  const rest = fakeRest()
  const cases = [
    ['', 'folder must be paused when resetting'],
    ['?folder=share', 'folder must be paused when resetting'],
    ['?folder=nope', 'Invalid folder ID'],
  ]
  for (const [query, message] of cases) {
    const response = await rest.send('POST', `/rest/system/reset${query}`)
    assert.deepEqual([response.status, response.body], [500, `${message}\n`])
  }
  assert.deepEqual(rest.calls, [])
  assert.equal((await rest.send('GET', '/rest/system/reset')).headers['allow'], 'OPTIONS, POST')
})
