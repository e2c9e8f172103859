import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isContested, deletionWinsContest, settledRecord } from '../../../src/core/records/contested-deletion.ts'
import { FLAG_REMOTE_INVALID, type FileHead } from '../../../src/core/records/file-info.ts'
import { findWinner } from '../../../src/core/records/need.ts'
import type { ShortId } from '../../../src/core/ids.ts'
import { compareVersions, type VersionVector } from '../../../src/core/records/version-vector.ts'
import { blocks, deletion, file } from '../../db/records.ts'

function vector(...counters: readonly (readonly [device: number, value: number])[]): VersionVector {
  return counters.map(([device, value]) => ({ device: BigInt(device) as ShortId, value: BigInt(value) }))
}

const OURS = vector([1, 10], [2, 20])
const THEIRS = vector([1, 10], [3, 30])
const live = file('a', { version: OURS, modifiedS: 100, modifiedNs: 5 })

/** A record of another device, and whether it contests ours. */
const CASES: readonly (readonly [what: string, other: FileHead, contested: boolean])[] = [
  ['a later deletion', deletion('a', { version: THEIRS, modifiedS: 101, modifiedNs: 0 }), true],
  ['one later by a nanosecond', deletion('a', { version: THEIRS, modifiedS: 100, modifiedNs: 6 }), true],
  ['an earlier one', deletion('a', { version: THEIRS, modifiedS: 100, modifiedNs: 4 }), false],
  ['one of the same time that is behind', deletion('a', { version: THEIRS, modifiedS: 100, modifiedNs: 5 }), false],
  [
    'one of the same time that is ahead',
    deletion('a', { version: vector([1, 11], [3, 30]), modifiedS: 100, modifiedNs: 5 }),
    true,
  ],
  ['a deletion before ours', deletion('a', { version: vector([1, 10]), modifiedS: 101 }), false],
  ['a deletion of ours', deletion('a', { version: [...OURS, ...vector([3, 1])], modifiedS: 101 }), false],
  ['an unusable deletion', deletion('a', { version: THEIRS, modifiedS: 101, localFlags: FLAG_REMOTE_INVALID }), false],
  ['an edit', file('a', { version: THEIRS, modifiedS: 101 }), false],
]
for (const [what, other, contested] of CASES) {
  test(`contested: ${what}: ${contested}`, () => {
    assert.equal(isContested(live, other), contested)
  })
}

test('contested: a deletion of ours is not, whatever others deleted', () => {
  const ours = deletion('a', { version: OURS, modifiedS: 100 })
  assert.equal(isContested(ours, deletion('a', { version: THEIRS, modifiedS: 101 })), false)
})

test('the record that overrules deletions is above them and stays concurrent with edits', () => {
  const later = deletion('a', { version: THEIRS, modifiedS: 101, modifiedBy: 3n as ShortId })
  const edit = file('a', { version: vector([1, 10], [4, 40]), modifiedS: 50 })
  const kept = settledRecord(live, [edit, later], { ownShortId: 2n as ShortId, nowS: 15 })!
  assert.deepEqual(kept.version, vector([1, 10], [2, 21], [3, 30]))
  assert.equal(compareVersions(kept.version, later.version), 'newer')
  assert.equal(compareVersions(kept.version, live.version), 'newer')
  assert.match(compareVersions(kept.version, edit.version), /^concurrent/)
  assert.deepEqual([kept.contestedBy, kept.modifiedBy, kept.deleted], [3n, live.modifiedBy, false])
  assert.equal(settledRecord(live, [edit], { ownShortId: 2n as ShortId, nowS: 15 }), undefined)
})

const content = file('a', { version: OURS, modifiedS: 100 })
const knowing = deletion('a', { version: THEIRS, modifiedS: 101, previousBlocksHash: content.blocksHash })

const KNOWING: readonly (readonly [what: string, live: FileHead, other: FileHead, expected: boolean])[] = [
  ['of this content', content, knowing, true],
  ['of another content', content, { ...knowing, previousBlocksHash: Buffer.alloc(32, 5) }, false],
  ['of an unknown content', content, { ...knowing, previousBlocksHash: undefined }, false],
  ['of an item without content', { ...content, blocksHash: undefined }, knowing, false],
  ['that is earlier', content, { ...knowing, modifiedS: 99 }, false],
  ['that is unusable', content, { ...knowing, localFlags: FLAG_REMOTE_INVALID }, false],
  ['that the file follows', { ...content, version: [...THEIRS, ...vector([4, 1])] }, knowing, false],
]
for (const [what, each, other, expected] of KNOWING) {
  test(`a deletion ${what} is made with knowledge of it: ${expected}`, () => {
    assert.equal(deletionWinsContest(each, other), expected)
    assert.equal(isContested(other, each), expected, 'so the deletion wins, and other programs may decide otherwise')
  })
}

test('a deletion made with knowledge of the content wins, whatever the order of the records', () => {
  const edit = file('a', { version: vector([5, 1]), modifiedS: 50, blockHashes: blocks('edited') })
  assert.equal(findWinner([content, knowing]), 1)
  assert.equal(findWinner([knowing, content]), 0)
  assert.equal(findWinner([content, knowing, edit]), 2, 'another edit is kept')
  assert.equal(findWinner([edit, knowing, content]), 0)
  assert.equal(findWinner([content, knowing], { filesWin: true, settlesContested: false }), 0, 'as in Syncthing 1.x')
})

test('a deletion made with knowledge of the content gets a version above the file', () => {
  const kept = settledRecord({ ...knowing, blockHashes: undefined }, [content], {
    ownShortId: 3n as ShortId,
    nowS: 15,
  })!
  assert.equal(kept.deleted, true)
  assert.deepEqual(kept.version, vector([1, 10], [2, 20], [3, 31]))
})
