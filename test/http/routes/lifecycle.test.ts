import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FolderId } from '../../../src/core/ids.ts'
import { fakeRest } from '../fakes.ts'

test('reset: the index goes first, then the answer, then the restart', async () => {
  const odd = 'a"b' as FolderId
  const rest = fakeRest({ folder: { id: odd, paused: true } })
  const answer = await rest.send('POST', `/rest/system/reset?folder=${encodeURIComponent(odd)}`)
  assert.deepEqual(JSON.parse(answer.body), { ok: 'resetting folder a"b' })
  assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
  assert.deepEqual(rest.calls, ['forget a"b', 'restart'])
})

test('reset: all folders when none is named', async () => {
  const rest = fakeRest({ folder: { paused: true } })
  assert.equal((await rest.send('POST', '/rest/system/reset')).body, '{"ok": "resetting database"}\n')
  assert.deepEqual(rest.calls, ['forget share', 'restart'])
})

test('reset: a folder that runs, or is not there, is left alone', async () => {
  const rest = fakeRest()
  const cases = [
    ['', 'folder must be paused when resetting'],
    ['?folder=share', 'folder must be paused when resetting'],
    ['?folder=nope', 'Invalid folder ID'],
  ]
  for (const [query, words] of cases) {
    const answer = await rest.send('POST', `/rest/system/reset${query}`)
    assert.deepEqual([answer.status, answer.body], [500, `${words}\n`])
  }
  assert.deepEqual(rest.calls, [])
  assert.equal((await rest.send('GET', '/rest/system/reset')).headers['allow'], 'OPTIONS, POST')
})
