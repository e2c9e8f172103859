/** What the page derives from the daemon's responses, before it is translated. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  changeLines,
  changeOf,
  withChanges,
  type FileChange,
  type WantedChanges,
} from '../../gui/view-model/changes.ts'
import { ignoreLines, ignoreText } from '../../gui/view-model/ignores.ts'
import { baseName, directoryOf, joinPath, parseSubPath } from '../../gui/base/paths.ts'
import { waitReason, whyReasons } from '../../gui/view-model/reasons.ts'
import { remedyFor } from '../../gui/view-model/remedy.ts'
import { neighbourOf } from '../../gui/pages/folder/neighbours.ts'
import { restoreOutcome, versionedFiles } from '../../gui/view-model/versions.ts'
import { MARKER_MISSING, PATH_MISSING, PATH_NO_DIRECTORY } from '../../src/core/folder-stop.ts'
import { ROOT_REPLACED } from '../../src/model/state/health.ts'
import type { EventJson } from '../../src/rest/event-data.ts'
import type { WaitingJson } from '../../src/rest/twinfold.ts'

const PATHS: readonly [text: string, path: string | undefined][] = [
  ['a', 'a'],
  [' a/b ', 'a/b'],
  ['/a//b/', 'a/b'],
  ['./a', 'a'],
  ['a\\b', 'a/b'],
  ['', undefined],
  ['  ', undefined],
  ['/', undefined],
  ['..', undefined],
  ['a/../b', undefined],
  ['a\\..\\b', undefined],
]

for (const [text, path] of PATHS) {
  test(`parseSubPath: ${JSON.stringify(text)} is ${JSON.stringify(path)}`, () => assert.equal(parseSubPath(text), path))
}

test('a path is split into its directory and its name', () => {
  assert.deepEqual([directoryOf('a/b/c'), baseName('a/b/c')], ['a/b/', 'c'])
  assert.deepEqual([directoryOf('c'), baseName('c')], ['', 'c'])
  assert.deepEqual([joinPath('', 'c'), joinPath('a/b', 'c')], ['c', 'a/b/c'])
})

function waiting(
  reason: WaitingJson['items'][number]['reason'],
  knownHolders: readonly string[] = [],
): WaitingJson['items'][number] {
  return {
    name: 'x',
    type: 'file',
    sizeBytes: 1,
    action: 'download',
    stage: 'waiting',
    bytesDone: 0,
    reason,
    holders: [],
    knownHolders: [...knownHolders],
  }
}

test('a file without a connected source names the devices that have it', () => {
  const reason = { code: 'no-device', text: 'no connected device has the newest version' } as const
  assert.deepEqual(
    waitReason(waiting(reason, ['A', 'B']), (id) => `name of ${id}`),
    { key: 'wait.known', values: { devices: 'name of A, name of B', n: 2 } },
  )
  assert.deepEqual(waitReason(waiting(reason), String), { key: 'wait.no-device' })
})

test('a failure is reported by its cause; one of an unknown cause with the message of the system', () => {
  const reason = waitReason(
    waiting({
      code: 'failed',
      text: 'the last attempt failed: EACCES: permission denied',
      cause: 'EACCES: permission denied',
    }),
    String,
  )
  assert.deepEqual(reason, { key: 'cause.permission' })
  assert.deepEqual(waitReason(waiting({ code: 'failed', text: '', cause: 'odd' }), String), {
    key: 'wait.failed',
    values: { reason: 'odd' },
  })
})

test('only connected devices with the newest version offer it', () => {
  const devices = [
    { deviceID: 'A', name: 'desk', connected: true, version: 'newest' },
    { deviceID: 'B', name: 'nas', connected: false, version: 'newest' },
    { deviceID: 'C', name: 'old', connected: true, version: 'older' },
  ] as const
  const reasons = [
    { code: 'missing', text: '' },
    { code: 'offered', text: '' },
    { code: 'no-device', text: '' },
  ] as const
  assert.deepEqual(whyReasons({ reasons: [...reasons], devices: [...devices] }), [
    { key: 'why.missing' },
    { key: 'why.offered', values: { devices: 'desk', n: 1 } },
    { key: 'why.known', values: { devices: 'desk, nas', n: 2 } },
  ])
})

const REMEDIES: readonly [error: string, remedy: string][] = [
  [PATH_MISSING, 'remedy.missing'],
  [MARKER_MISSING, 'remedy.marker'],
  [PATH_NO_DIRECTORY, 'remedy.notDirectory'],
  [ROOT_REPLACED, 'remedy.replaced'],
  ['ENOSPC: no space left on device, write', 'remedy.full'],
  ['permission denied', 'remedy.permission'],
  ['directory is not empty', 'remedy.notEmpty'],
  ['unknown text', 'remedy.other'],
]

for (const [error, remedy] of REMEDIES)
  test(`remedyFor: ${error.slice(0, 40)}`, () => assert.equal(remedyFor(error), remedy))

const event = (
  id: number,
  type = 'RemoteChangeDetected',
  data: unknown = { folder: 'f', path: `p${id}`, type: 'file', action: 'deleted', modifiedBy: 'ABCDEFG' },
) => ({ id, globalID: id, time: '2026-01-01T00:00:00Z', type, data }) as EventJson

test('changes are sorted newest first, and the oldest are dropped', () => {
  const first = withChanges([], [event(1), event(2)], 3)
  assert.deepEqual(
    withChanges(first, [event(3), event(4)], 3).map(({ id }) => id),
    [4, 3, 2],
  )
  assert.equal(withChanges(first, [event(5, 'Ping')], 3), first)
})

test('an event of an unexpected structure becomes empty texts, never an error', () => {
  assert.equal(changeOf(event(1, 'LocalChangeDetected', null))?.path, '')
  assert.equal(changeOf(event(1, 'LocalChangeDetected', { path: 7 }))?.path, '')
  assert.deepEqual(changeOf(event(1))?.deleted, true)
})

test('versions are found by any part of the path', () => {
  const version = { versionTime: '2026-01-01T00:00:00Z', modTime: '2026-01-01T00:00:00Z', size: 1 }
  const versions = { 'b/Old.txt': [version], a: [version], gone: [] }
  assert.deepEqual(
    versionedFiles(versions, '').map(({ path }) => path),
    ['a', 'b/Old.txt'],
  )
  assert.deepEqual(
    versionedFiles(versions, ' old').map(({ path }) => path),
    ['b/Old.txt'],
  )
  const later = { ...versions, a: [{ ...version, versionTime: '2026-01-02T00:00:00Z' }] }
  const sorted = (descending: boolean) =>
    versionedFiles(later, '', { column: 'time', descending }).map(({ path }) => path)
  assert.deepEqual(
    [sorted(false), sorted(true)],
    [
      ['b/Old.txt', 'a'],
      ['a', 'b/Old.txt'],
    ],
  )
  assert.deepEqual(restoreOutcome({ a: 't', b: 't' }, { b: 'in the way' }), {
    restored: 1,
    failed: [{ path: 'b', reason: 'in the way' }],
  })
})

test('changes are filtered, with a heading for each day where there are several', () => {
  const change = (id: number, path: string, deleted = false) =>
    ({ id, path, deleted, folder: 'a', time: `2026-01-0${id}T12:00:00Z` }) as FileChange
  const changes = [change(2, 'new.txt'), change(1, 'old.txt', true)]
  const lines = (wanted: Partial<WantedChanges>) =>
    changeLines(changes, { folder: '', filter: 'all', text: '', ...wanted }, (timeMs) =>
      new Date(timeMs).toISOString().slice(0, 10),
    ).map((line) => ('row' in line ? line.row.path : line.heading))
  assert.deepEqual(lines({}), ['2026-01-02', 'new.txt', '2026-01-01', 'old.txt'])
  assert.deepEqual(lines({ filter: 'deleted' }), ['old.txt'])
  assert.deepEqual(lines({ filter: 'modified' }), ['new.txt'])
  assert.deepEqual(lines({ text: ' OLD ' }), ['old.txt'])
  assert.deepEqual(lines({ folder: 'b' }), [])
})

test('the neighbours of a file are those of the list that shows it', () => {
  const list = { folder: 'a', paths: ['x', 'y'], reveal: () => {} }
  assert.deepEqual([neighbourOf(list, 'x', 1), neighbourOf(list, 'x', -1)], ['y', undefined])
  assert.deepEqual([neighbourOf(list, 'y', 1), neighbourOf(list, 'z', 1)], [undefined, undefined])
  assert.equal(neighbourOf(undefined, 'x', 1), undefined)
})

test('patterns are unchanged by the way into the field and back', () => {
  const lines = ['*.tmp', '', '// why', '!keep']
  assert.deepEqual(ignoreLines(ignoreText(lines)), lines)
  assert.deepEqual(ignoreLines('a\r\nb\n\n\n'), ['a', 'b'])
  assert.deepEqual([ignoreLines(''), ignoreLines('\n\n'), ignoreText(null)], [[], [], ''])
})
