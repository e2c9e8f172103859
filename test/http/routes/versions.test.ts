import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import { fakeRest } from '../fakes.ts'

test('versions: by path in order, newest first as the hub gives them, whole seconds', async () => {
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
  const answer = await rest.send('GET', '/rest/folder/versions?folder=share')
  const entries = Object.entries(JSON.parse(answer.body))
  assert.deepEqual(
    entries.map(([path]) => path),
    ['__proto__', 'a/c', 'b'],
  )
  assert.deepEqual(entries[2]?.[1], [
    { versionTime: '1970-01-01T00:00:03Z', modTime: '1970-01-01T00:00:01Z', size: 7 },
    { versionTime: '1970-01-01T00:00:02Z', modTime: '1970-01-01T00:00:01Z', size: 7 },
  ])
})

test('versions: what is wanted reaches the hub as times; failures come back by path', async () => {
  const rest = fakeRest({ hub: {} })
  const answer = await rest.send('POST', '/rest/folder/versions?folder=share', '{"a/b":"2026-11-15T01:13:17.9+01:00"}')
  assert.deepEqual([answer.status, answer.body], [200, '{}\n'])
  assert.deepEqual(rest.calls, [`restore share [["a/b",${Date.parse('2026-11-15T00:13:17Z')}]]`])
})

test('versions: refusals are 500 in the words clients know, and nothing is restored', async () => {
  const missing = fakeRest({ hub: { versions: () => Promise.reject(new TwinfoldError('folder-missing', 'x')) } })
  for (const target of ['/rest/folder/versions', '/rest/folder/versions?folder=nope']) {
    const answer = await missing.send('GET', target)
    assert.deepEqual([answer.status, answer.body], [500, 'no such folder\n'])
  }
  const rest = fakeRest()
  for (const body of ['', '[]', '3', '{"a":1}', '{"a":"yesterday"}', '{"a":"2026-11-15T00:13:17Z","b":"x"}', '{bad']) {
    const answer = await rest.send('POST', '/rest/folder/versions?folder=share', body)
    assert.equal(answer.status, 500, body)
    assert.equal(answer.headers['content-type'], 'text/plain; charset=utf-8')
  }
  assert.deepEqual(rest.calls, [])
})
