/** Causes, the evidence for them, and what solves them. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { describe, it } from 'node:test'
import { MARKER_MISSING, PATH_MISSING } from '../../../src/core/folder-stop.ts'
import { shortageOf } from '../../../src/core/config/disk-space.ts'
import { windowsNameProblem } from '../../../src/core/windows-names.ts'
import { CAUSE_CODES, causeOf, type CauseCode } from '../../../src/core/remedies/cause.ts'
import { areFilesThere, remedyOf, watchLimitOf, type FilesEvidence } from '../../../src/core/remedies/remedy.ts'
import { remedyText } from '../../../src/core/remedies/remedy-text.ts'

const GB = 1_000_000_000
const TIGHT = { freeBytes: 75 * GB, totalBytes: 270 * GB, minimum: { value: 80, unit: '%' } }
const files = (found: number, examined: number, more: Partial<FilesEvidence> = {}): FilesEvidence => ({
  markerName: '.stfolder',
  hasRoot: true,
  known: examined,
  examined,
  found,
  ...more,
})

const CAUSES: readonly [error: string, cause: CauseCode][] = [
  [MARKER_MISSING, 'marker'],
  [PATH_MISSING, 'missing'],
  [`insufficient space in folder "x" (/x): ${shortageOf(TIGHT, TIGHT.minimum)}`, 'lowSpace'],
  [`insufficient space in folder "x" (/x): ${shortageOf(TIGHT, { value: 1, unit: '%' }, 74 * GB)}`, 'lowSpace'],
  ['insufficient space on disk for database (/home): current 0.10 % < required 1 %', 'lowHome'],
  ["ENOSPC: no space left on device, write '/x'", 'full'],
  ['watching needs 9 directories or more, the system allows 8 …: raise fs.inotify.max_user_watches', 'watches'],
  ['ENOSPC: System limit for number of file watchers reached', 'watches'],
  ["EACCES: permission denied, open '/x'", 'permission'],
  [windowsNameProblem('a:b') ?? '', 'badName'],
  ['remote "A" uses different upper or lowercase characters than local "a"; change the casing', 'case'],
  ['pull: peers who had this file went away, or the file has changed while syncing. will retry later', 'noSource'],
  ['file modified but not rescanned; will try again later', 'changed'],
]

describe('the cause of an error', () => {
  for (const [error, cause] of CAUSES) it(`${cause}: ${error.slice(0, 60)}`, () => assert.equal(causeOf(error), cause))
})

describe('the remedy of a missing marker', () => {
  const actions = (evidence: FilesEvidence) => remedyOf('marker', { files: evidence }).actions
  it('is the marker, where all known files are there', () => assert.deepEqual(actions(files(4, 4)), ['create-marker']))
  it('is the marker, where no file is known', () => assert.deepEqual(actions(files(0, 0)), ['create-marker']))
  it('is the disk, where no known file is there', () => {
    assert.deepEqual(actions(files(0, 4))[0], 'mount')
  })
  it('asks, where some known files are not there', () => {
    assert.deepEqual(actions(files(3, 4))[0], 'create-marker-anyway')
  })
  it('is the disk, where the directory is gone', () => {
    assert.deepEqual(actions(files(0, 4, { hasRoot: false })), ['mount', 'choose-place'])
  })
  it('is never the marker while known files could not be looked up', () => {
    assert.equal(areFilesThere(files(0, 0, { known: 4 })), false)
    assert.equal(areFilesThere(files(4, 4, { hasRoot: false })), false)
  })
})

it('every cause has a remedy but the one that needs none, and retries only where that can help', () => {
  const none = CAUSE_CODES.filter((cause) => remedyOf(cause).actions.length === 0)
  assert.deepEqual(none, ['noSource'])
  const retried = CAUSE_CODES.filter((cause) => remedyOf(cause).actions.includes('retry'))
  for (const cause of ['marker', 'missing', 'watches', 'lowSpace', 'longName', 'case', 'badName'] as const)
    assert.ok(!retried.includes(cause), cause)
})

describe('the command', () => {
  it('raises the limit that the system names', () => {
    const watches = watchLimitOf(
      'watching needs 9 directories or more, the system allows 8 x: raise user.max_inotify_watches',
    )
    assert.deepEqual(watches, { setting: 'user.max_inotify_watches', allowed: 8 })
    const { command = '' } = remedyOf('watches', { watches: watches! })
    assert.match(command, /^echo user\.max_inotify_watches=524288 \| sudo tee /)
    const large = remedyOf('watches', { watches: { setting: 'fs.inotify.max_user_watches', allowed: 600_000 } })
    assert.match(large.command ?? '', /max_user_watches=1200000 /)
    assert.equal(watchLimitOf('no such file'), undefined)
  })

  it('has a path as one word of the shell', () => {
    const path = '/a b/it\'s $(touch x); "y"'
    const { command = '' } = remedyOf('permission', { path })
    const words = execFileSync('sh', ['-c', `set -- ${command.slice('sudo '.length)}; printf '%s' "$4"`], {
      encoding: 'utf8',
    })
    assert.equal(words, path)
  })
})

describe('in English', () => {
  const text = (cause: CauseCode, evidence: Parameters<typeof remedyOf>[1]) =>
    remedyText(remedyOf(cause, evidence), evidence)
  it('a missing marker has the files found as evidence', () => {
    assert.deepEqual(text('marker', { path: '/data', files: files(4, 4) }), {
      message: 'the folder marker is missing: 4 of 4 known files are at /data',
      remedy: 'create the marker (directory .stfolder)',
    })
    assert.match(text('marker', { path: '/data', files: files(0, 4) }).remedy, /^mount the disk at \/data/)
  })
  it('a minimum has both numbers, and free space is never negative', () => {
    const { message } = text('lowSpace', { space: TIGHT })
    assert.equal(message, '75.0 GB (27.8 %) free, this folder keeps 80 % free')
    const below = text('lowSpace', { space: { ...TIGHT, freeBytes: -GB } })
    assert.doesNotMatch(below.message, /-\d/)
  })
})
