import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TwinfoldError } from '../../../src/core/errors.ts'
import type { TrashJson } from '../../../src/rest/trash.ts'
import { fakeRest } from '../fakes.ts'

const PATH = '/rest/twinfold/trash?folder=share'
const version = (s: number) => ({ versionMs: s * 1_000, modifiedMs: 0, sizeBytes: s })
const used = { files: 4, sizeBytes: 10, maxBytes: 1_000 }

test('the trash is listed by path, the newest first, in pages that have a cursor each', async () => {
  const versions = async () =>
    new Map([
      ['b', [version(1)]],
      ['a/x', [version(9), version(3)]],
      ['a', [version(5)]],
    ])
  const { send } = fakeRest({ hub: { versions, versionsUsed: async () => used } })
  const read = async (query: string) => JSON.parse((await send('GET', `${PATH}${query}`)).body) as TrashJson
  const seen: string[] = []
  for (let after: string | null = ''; after !== null;) {
    const { next, items, ...totals } = await read(`&perpage=1&after=${encodeURIComponent(after)}`)
    assert.deepEqual(totals, used)
    seen.push(...items.map(({ name, sizeBytes }) => `${name} ${sizeBytes}`))
    after = next
  }
  assert.deepEqual(seen, ['a 5', 'a/x 9', 'a/x 3', 'b 1'])
  assert.deepEqual(
    (await read('&path=a')).items.map(({ name }) => name),
    ['a', 'a/x', 'a/x'],
  )
  assert.deepEqual((await read('')).items[0], { name: 'a', time: '1970-01-01T00:00:05Z', sizeBytes: 5 })
})

test('the totals alone do not list the versions', async () => {
  const versions = async () => {
    throw new Error('the disk is read')
  }
  const { send } = fakeRest({ hub: { versions, versionsUsed: async () => used } })
  assert.deepEqual(JSON.parse((await send('GET', `${PATH}&perpage=0`)).body), { ...used, next: null, items: [] })
})

test('the trash is emptied whole, by path or by time; a wrong body removes nothing', async () => {
  const { send, calls } = fakeRest()
  for (const [body, status] of [
    ['{}', 200],
    ['{"paths": ["a/b"], "before": "1970-01-01T00:00:01Z"}', 200],
    ['{"paths": ["../a"]}', 400],
    ['{"paths": [""]}', 400],
    ['{"paths": "a"}', 400],
    ['{"before": "soon"}', 400],
    ['', 400],
    [JSON.stringify({ paths: Array.from({ length: 1_001 }, () => 'a') }), 400],
  ] as const) {
    const path = PATH.replace('trash?', 'trash/empty?')
    assert.equal((await send('POST', path, body)).status, status, body.slice(0, 40))
  }
  assert.deepEqual(calls, ['empty share {"paths":[]}', 'empty share {"paths":["a/b"],"beforeMs":1000}'])
})

test('a folder without versioning has no trash', async () => {
  const versionsUsed = async () => {
    throw new TwinfoldError('folder-error', 'folder has no versioner')
  }
  const { send } = fakeRest({ hub: { versionsUsed } })
  const reply = await send('GET', PATH)
  assert.equal(reply.status, 409)
  assert.match(reply.body, /folder has no versioner/)
})
