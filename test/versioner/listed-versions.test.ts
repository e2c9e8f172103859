import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ListedVersions } from '../../src/versioner/listed-versions.ts'

test('the versions of a file match its exact name, and many files of a directory cost one listing', async () => {
  const there = [
    'd/a~20260101-000000.txt',
    'd/a~20260102-000000.txt',
    'd/ab~20260101-000000.txt',
    'd/a.txt',
    'd/a~20261301-000000.txt',
  ]
  let nowMs = 0
  const lists: string[] = []
  const listed = new ListedVersions({
    clock: { monotonicMs: () => nowMs },
    filesIn: async (directory) => {
      lists.push(directory)
      return directory === 'd' ? there : []
    },
  })
  assert.deepEqual(await listed.of('d/a.txt', 'd/a~20260103-000000.txt'), [
    'd/a~20260101-000000.txt',
    'd/a~20260102-000000.txt',
    'd/a~20260103-000000.txt',
  ])
  assert.deepEqual(await listed.of('d/ab.txt', 'd/ab~20260101-000000.txt'), ['d/ab~20260101-000000.txt'])
  assert.equal((await listed.of('d/a.txt', 'd/a~20260104-000000.txt')).length, 4, 'includes the version just stored')
  assert.deepEqual(lists, ['d'])
  assert.deepEqual(await listed.of('x', 'x~20260101-000000'), ['x~20260101-000000'])
  assert.deepEqual(lists, ['d', ''])
  nowMs = 60_000
  await listed.of('x', 'x~20260102-000000')
  assert.deepEqual(lists, ['d', '', ''], 'other programs may have added files')
})
