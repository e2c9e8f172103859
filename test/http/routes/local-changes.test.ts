import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { fakeRest } from '../fakes.ts'

test('override and revert reply at once and always 200, whatever the result of the work', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const rest = fakeRest({ hub: { override: () => promise, revert: () => Promise.reject(new Error('disk on fire')) } })
  for (const target of [
    '/rest/db/override?folder=share',
    '/rest/db/override',
    '/rest/db/revert?folder=share',
    '/rest/db/revert?folder=',
  ]) {
    const response = await rest.send('POST', target)
    assert.deepEqual([response.status, response.body, response.headers['content-type']], [200, '', undefined], target)
  }
  assert.deepEqual(rest.logged, ['WARN folder share: overriding or reverting changes failed: disk on fire'])
  resolve()
})

test('a missing or paused folder is not logged', async () => {
  for (const code of ['folder-missing', 'folder-paused', 'folder-not-running'] as const) {
    const rest = fakeRest({ hub: { revert: () => Promise.reject(new TwinfoldError(code, 'x')) } })
    assert.equal((await rest.send('POST', '/rest/db/revert?folder=nope')).status, 200)
    assert.deepEqual(rest.logged, [])
  }
})

test('local changes: paged like the others, 404 for an unknown folder', async () => {
  const queried: unknown[] = []
  const rest = fakeRest({ hub: { localChanged: async (folder, paging) => (queried.push([folder, paging]), []) } })
  const response = await rest.send('GET', '/rest/db/localchanged?folder=share&page=2&perpage=5')
  assert.deepEqual(JSON.parse(response.body), { files: [], page: 2, perpage: 5 })
  assert.deepEqual(queried, [['share', { page: 2, perPage: 5 }]])
  const missing = await rest.send('GET', '/rest/db/localchanged')
  assert.deepEqual([missing.status, missing.body], [404, 'no such folder\n'])
})
