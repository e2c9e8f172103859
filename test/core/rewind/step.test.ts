import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HistoryEntry, PastItem } from '../../../src/core/history/entry.ts'
import type { ShortId } from '../../../src/core/ids.ts'
import { besideName, nameBeside } from '../../../src/core/rewind/beside.ts'
import { NO_TOTALS, parseRewindJournal, rewindJournalText, type RewindEntry } from '../../../src/core/rewind/journal.ts'
import { Moment } from '../../../src/core/rewind/moment.ts'
import { rewindStep } from '../../../src/core/rewind/step.ts'
import { folderId } from '../../db/records.ts'

const FILE: PastItem = {
  type: 'file',
  sizeBytes: 5,
  modifiedS: 100,
  modifiedNs: 0,
  permissions: 0o644,
  blocksHash: 'a',
  blockSizeBytes: 131_072,
  symlinkTarget: '',
}
const OTHER: PastItem = { ...FILE, blocksHash: 'b' }
const DIRECTORY: PastItem = { ...FILE, type: 'directory', sizeBytes: 0, blocksHash: '' }
const LINK: PastItem = { ...FILE, type: 'symlink', symlinkTarget: 'x' }

function stepOf(past: PastItem | undefined, now: PastItem | undefined, isOnlyRewound = false): string {
  return rewindStep({ past, isOnlyRewound }, now, 'in-place').kind
}

test('in place: put what is missing or other, keep what is newer, remove only what a rewind has made', () => {
  assert.equal(stepOf(undefined, undefined), 'none')
  assert.equal(stepOf(undefined, FILE), 'keep')
  assert.equal(stepOf(undefined, FILE, true), 'remove')
  assert.equal(stepOf(FILE, undefined), 'put')
  assert.equal(stepOf(FILE, FILE), 'none')
  assert.deepEqual(rewindStep({ past: FILE, isOnlyRewound: false }, OTHER, 'in-place'), {
    kind: 'put',
    past: FILE,
    replaces: true,
  })
  assert.equal(stepOf(FILE, { ...FILE, modifiedS: 101 }), 'metadata')
  assert.equal(stepOf(FILE, { ...FILE, permissions: 0o600 }), 'metadata')
  assert.equal(stepOf(FILE, { ...FILE, permissions: undefined }), 'none')
  assert.equal(stepOf(DIRECTORY, { ...DIRECTORY, modifiedS: 9 }), 'none')
  assert.equal(stepOf(DIRECTORY, { ...DIRECTORY, permissions: 0o700 }), 'metadata')
  assert.equal(stepOf(FILE, DIRECTORY), 'blocked', 'the directory may hold newer items')
  assert.equal(stepOf(DIRECTORY, FILE), 'put')
  assert.equal(stepOf(LINK, { ...LINK, symlinkTarget: 'y' }), 'put')
  assert.equal(stepOf(LINK, { ...LINK, modifiedS: 7 }), 'none')
})

test('beside: nothing is replaced, removed or set', () => {
  const beside = (past: PastItem | undefined, now: PastItem | undefined, isOnlyRewound = false) =>
    rewindStep({ past, isOnlyRewound }, now, 'beside')
  assert.equal(beside(undefined, FILE, true).kind, 'keep')
  assert.deepEqual(beside(FILE, OTHER), { kind: 'put', past: FILE, replaces: false })
  assert.equal(beside(FILE, DIRECTORY).kind, 'put')
  assert.equal(beside(FILE, { ...FILE, modifiedS: 101 }).kind, 'none')
})

function entry(name: string, before: PastItem | undefined, origin: HistoryEntry['origin'] = 'scan'): HistoryEntry {
  const ids = { by: 1n as ShortId, via: [], fromVersion: '', toVersion: '', position: { batch: 1, place: 0 } }
  return { ...ids, atMs: 1, name, kind: 'changed', origin, before, after: undefined }
}

test('an item was what it was before its first change since; a rewind alone counts apart', () => {
  const moment = new Moment('d')
  moment.add({ ...entry('', undefined), kind: 'baseline' })
  moment.add(entry('d/a', FILE))
  moment.add(entry('d/a', OTHER))
  moment.add(entry('other', FILE))
  moment.add(entry('dd', FILE))
  moment.add(entry('d', DIRECTORY))
  moment.add(entry('d/r', undefined, 'rewind'))
  moment.add(entry('d/s', undefined, 'rewind'))
  moment.add(entry('d/s', FILE, 'scan'))
  assert.deepEqual(moment.names(), ['d', 'd/a', 'd/r', 'd/s'], 'a directory before its contents')
  assert.equal(moment.get('d/a')?.past, FILE)
  assert.deepEqual(moment.get('d/r'), { past: undefined, isOnlyRewound: true })
  assert.deepEqual(moment.get('d/s'), { past: undefined, isOnlyRewound: false })
})

test('names beside carry the moment', () => {
  const ms = Date.UTC(2026, 10, 17, 10, 2, 11)
  assert.equal(besideName('', ms, false), 'as of 2026-11-17 10.02.11')
  assert.equal(besideName('a/Camera.old', ms, false), 'a/Camera.old (as of 2026-11-17 10.02.11)')
  assert.equal(besideName('a/photo.jpg', ms, true), 'a/photo (as of 2026-11-17 10.02.11).jpg')
  assert.ok(Buffer.byteLength(besideName('ü'.repeat(127), ms, false)) <= 255)
  assert.equal(nameBeside('x/y', '', 'as of'), 'as of/x/y')
  assert.equal(nameBeside('a/Camera/x', 'a/Camera', 'a/Camera (then)'), 'a/Camera (then)/x')
  assert.equal(nameBeside('a/photo.jpg', 'a/photo.jpg', 'a/photo (then).jpg'), 'a/photo (then).jpg')
})

test('the journal is read again; what is hostile or damaged in it is no rewind', () => {
  const rewind: RewindEntry = {
    folder: folderId('docs'),
    path: 'a/b',
    momentMs: 5,
    mode: 'beside',
    beside: 'a/b (then)',
    state: 'running',
    startedMs: 1,
    endedMs: 0,
    startSequence: 7,
    totals: { ...NO_TOTALS, rewound: 3 },
    error: '',
    problems: [{ path: 'x', reason: 'y' }],
  }
  assert.deepEqual(parseRewindJournal(rewindJournalText([rewind])), [rewind])
  for (const wrong of [
    { path: '../x' },
    { beside: '/etc' },
    { beside: '' },
    { state: 'other' },
    { startSequence: 'x' },
    { folder: '' },
  ])
    assert.deepEqual(
      parseRewindJournal(rewindJournalText([{ ...rewind, ...(wrong as object) }])),
      [],
      JSON.stringify(wrong),
    )
  for (const text of ['', '{', '[]', '{"rewinds":7}', '{"rewinds":[null]}'])
    assert.deepEqual(parseRewindJournal(text), [])
})
