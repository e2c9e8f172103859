import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { fakeRest } from '../fakes.ts'

test('versions: by path in order, newest first, whole seconds', async () => {
  const kept = (versionMs: number) => ({ versionMs, modifiedMs: 1_000, sizeBytes: 7 })
  const rest = fakeRest({
    hub: {
      versions: async () =>
        new Map([
          ['b', [kept(3_999), kept(2_000)]],
          ['__proto__', [kept(1_000)]],
          ['a/c', []],
        ]),
    },
  })
  const response = await rest.send('GET', '/rest/folder/versions?folder=share')
  const entries = Object.entries(JSON.parse(response.body))
  assert.deepEqual(
    entries.map(([path]) => path),
    ['__proto__', 'a/c', 'b'],
  )
  assert.deepEqual(entries[2]?.[1], [
    { versionTime: '1970-01-01T00:00:03Z', modTime: '1970-01-01T00:00:01Z', size: 7 },
    { versionTime: '1970-01-01T00:00:02Z', modTime: '1970-01-01T00:00:01Z', size: 7 },
  ])
})

test('versions: the hub receives the times to restore; errors are returned by path', async () => {
  const rest = fakeRest({ hub: {} })
  const response = await rest.send(
    'POST',
    '/rest/folder/versions?folder=share',
    '{"a/b":"2026-11-15T01:13:17.9+01:00"}',
  )
  assert.deepEqual([response.status, response.body], [200, '{}\n'])
  assert.deepEqual(rest.calls, [`restore share [["a/b",${Date.parse('2026-11-15T00:13:17Z')}]]`])
})

test("versions: refusals are 500 with Syncthing's texts, and nothing is restored", async () => {
  const missing = fakeRest({ hub: { versions: () => Promise.reject(new TwinfoldError('folder-missing', 'x')) } })
  for (const target of ['/rest/folder/versions', '/rest/folder/versions?folder=nope']) {
    const response = await missing.send('GET', target)
    assert.deepEqual([response.status, response.body], [500, 'no such folder\n'])
  }
  const rest = fakeRest()
  for (const body of ['', '[]', '3', '{"a":1}', '{"a":"yesterday"}', '{"a":"2026-11-15T00:13:17Z","b":"x"}', '{bad']) {
    const response = await rest.send('POST', '/rest/folder/versions?folder=share', body)
    assert.equal(response.status, 500, body)
    assert.equal(response.headers['content-type'], 'text/plain; charset=utf-8')
  }
  assert.deepEqual(rest.calls, [])
})
