import assert from 'node:assert/strict'
import { test } from 'node:test'
import { groupEntries } from '../../gui/view-model/history.ts'
import type { HistoryEntryJson } from '../../src/rest/history.ts'

const FILE = { type: 'file', size: 1, blocksHash: 'x', symlinkTarget: '' } as const

function entry(path: string, minutes: number, more: Partial<HistoryEntryJson> = {}): HistoryEntryJson {
  const time = new Date(Date.UTC(2026, 10, 17, 10, minutes)).toISOString()
  const versions = { via: [], fromVersion: '', toVersion: '', before: null, after: FILE, baseline: null }
  return { id: `${minutes}.${path}`, time, path, kind: 'changed', how: 'pull', by: 'LAPTOP1', ...versions, ...more }
}

test('changes of one device in one directory at the top are one sentence, also where others are between', () => {
  const groups = groupEntries([
    entry('Camera/2.jpg', 9),
    entry('notes.txt', 8, { by: 'PHONE22' }),
    entry('Camera/sub/1.JPG', 8),
    entry('Camera', 7, { after: { ...FILE, type: 'directory' } }),
    entry('Camera/0.heic', 2),
  ])
  assert.deepEqual(
    groups.map(({ by, noun, count, directory, path }) => ({ by, noun, count, directory, path })),
    [
      { by: 'LAPTOP1', noun: 'photos', count: 3, directory: 'Camera', path: undefined },
      { by: 'PHONE22', noun: 'files', count: 1, directory: '', path: 'notes.txt' },
    ],
  )
  assert.equal(groups[0]!.toMs - groups[0]!.fromMs, 7 * 60_000)
})

test('other kinds, other ways, other directories and later times are other sentences', () => {
  const first = entry('a/x.txt', 50)
  for (const other of [
    entry('a/y.txt', 50, { kind: 'deleted' }),
    entry('a/y.txt', 50, { how: 'rewind' }),
    entry('b/y.txt', 50),
    entry('y.txt', 50),
    entry('a/y.txt', 39),
  ])
    assert.equal(groupEntries([first, other]).length, 2, JSON.stringify(other))
  assert.equal(groupEntries([first, entry('a/y.txt', 40)]).length, 1)
  const [mixed] = groupEntries([first, entry('a/deep/1.jpg', 50)])
  assert.deepEqual([mixed?.noun, mixed?.count, mixed?.directory], ['files', 2, 'a'])
})

test('a chain of changes is one sentence as long as none is far from the next', () => {
  const chain = [50, 42, 34, 26].map((minutes) => entry(`a/${minutes}.txt`, minutes))
  assert.equal(groupEntries(chain).length, 1)
})

test('one file with its directory is named; a directory alone, too', () => {
  const directory = { after: { ...FILE, type: 'directory' } } as const
  const [one] = groupEntries([entry('a/b/x.txt', 5), entry('a/b', 5, directory)])
  assert.deepEqual([one?.path, one?.directory], ['a/b/x.txt', 'a/b'])
  const [alone] = groupEntries([entry('a/b', 5, directory)])
  assert.deepEqual([alone?.path, alone?.directory, alone?.noun], ['a/b', 'a', 'directories'])
})

test('the first scan stands alone', () => {
  const baseline = { files: 3, directories: 1, symlinks: 0, bytes: 10 }
  const groups = groupEntries([entry('a', 1), entry('', 1, { kind: 'baseline', baseline, by: '', how: 'scan' })])
  assert.deepEqual(
    groups.map((group) => group.baseline),
    [null, baseline],
  )
})
