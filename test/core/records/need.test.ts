import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Claim } from '../../../src/core/records/claim.ts'
import { FLAG_IGNORED, FLAG_MUST_RESCAN, FLAG_RECEIVE_ONLY } from '../../../src/core/records/file-info.ts'
import type { ShortId } from '../../../src/core/ids.ts'
import {
  findWinner,
  hasWinner,
  isHeldElsewhere,
  isNeeded,
  isNeededByRemote,
  weightBytes,
} from '../../../src/core/records/need.ts'
import { compareVersions, type VersionVector } from '../../../src/core/records/version-vector.ts'

/** vector('a1 b2') reads as: device a at 1, device b at 2. */
function vector(text: string): VersionVector {
  return text
    .split(' ')
    .filter(Boolean)
    .map((part) => ({
      device: BigInt(part.charCodeAt(0)) as ShortId,
      value: BigInt(part.slice(1)),
    }))
}

/** claim('a1 b2 @5 gone ignored'): that version, modified at 5. */
function claim(text: string): Claim {
  const parts = text.split(' ')
  return {
    version: vector(parts.filter((part) => /^[a-h]\d+$/.test(part)).join(' ')),
    modifiedS: Number(parts.find((part) => part.startsWith('@'))?.slice(1) ?? 0),
    modifiedNs: 0,
    deleted: parts.includes('gone'),
    localFlags: parts.includes('ignored') ? FLAG_IGNORED : parts.includes('changed') ? FLAG_RECEIVE_ONLY : 0,
  }
}

const winners: [name: string, records: string[], winner: number][] = [
  ['no records', [], -1],
  ['the newer version wins', ['a1 @9', 'a2 @1'], 1],
  ['of equal versions ours wins', ['a1 @1', 'a1 @2'], 0],
  ['of equal versions the valid one wins', ['a1 ignored', 'a1'], 1],
  ['a newer invalid record does not win', ['a2 ignored', 'a1'], 1],
  ['the first of all when none is valid', ['a1 ignored', 'a2 ignored'], 1],
  ['concurrent edits: the later modification', ['a1 @5', 'b1 @4'], 0],
  ['concurrent edits: the later modification, mirrored', ['a1 @4', 'b1 @5'], 1],
  ['same time: ahead at the lowest device', ['b1 @5', 'a1 @5'], 1],
  ['an edit beats a concurrent deletion, even when it is older', ['a1 @1', 'b1 @9 gone'], 0],
  ['a deletion newer than the edit wins', ['a1 @9', 'a1 b1 @1 gone'], 1],
  ['a receive-only change of ours does not win', ['a1 b1 changed', 'a1'], 1],
]

for (const [name, records, winner] of winners) {
  test(`findWinner: ${name}`, () => assert.equal(findWinner(records.map(claim)), winner))
}

const anyClaim: fc.Arbitrary<Claim> = fc.record({
  version: fc
    .tuple(fc.bigInt(0n, 2n), fc.bigInt(0n, 2n), fc.bigInt(0n, 2n))
    .map((values) => values.map((value, i) => ({ device: BigInt(i + 1) as ShortId, value }))),
  modifiedS: fc.integer({ min: 0, max: 2 }),
  modifiedNs: fc.integer({ min: 0, max: 1 }),
  deleted: fc.boolean(),
  localFlags: fc.constantFrom(0, 0, 0, FLAG_IGNORED, FLAG_MUST_RESCAN),
})

/** Two records of one version are one edit; only a faulty device announces different contents for it. */
const uniqueVersions = fc.uniqueArray(anyClaim, {
  comparator: (a, b) => compareVersions(a.version, b.version) === 'equal',
  minLength: 1,
  maxLength: 6,
})

test('findWinner: succeeds all it beats by version, is valid when any is, and does not depend on the order', () => {
  fc.assert(
    fc.property(uniqueVersions, fc.func(fc.integer()), (claims, key) => {
      const winner = claims[findWinner(claims)]
      assert.ok(winner !== undefined)
      const rivals = claims.some((other) => other.localFlags === 0)
        ? claims.filter((other) => other.localFlags === 0)
        : claims
      assert.ok(rivals.includes(winner))
      assert.ok(!rivals.some((other) => compareVersions(winner.version, other.version) === 'older'))
      const shuffled = claims.toSorted((a, b) => key(a) - key(b))
      assert.equal(shuffled[findWinner(shuffled)], winner)
    }),
    { numRuns: 2000 },
  )
})

test('findWinner: by the rule of Syncthing 2.x the later one wins, also if it is a deletion', () => {
  const rules = { filesWin: false, settlesContested: false }
  const winnerOf = (...records: readonly string[]) => findWinner(records.map(claim), rules)
  assert.equal(winnerOf('a1 @1', 'b1 @9 gone'), 1)
  assert.equal(winnerOf('a1 @9', 'b1 @1 gone'), 0)
  assert.equal(winnerOf('a1 b1 @1', 'b1 @9 gone'), 0)
})

test('findWinner: a live edit never loses to a concurrent deletion', () => {
  fc.assert(
    fc.property(uniqueVersions, (claims) => {
      const winner = claims[findWinner(claims)]!
      if (!winner.deleted || winner.localFlags !== 0) return
      for (const edit of claims.filter((other) => !other.deleted && other.localFlags === 0)) {
        const order = compareVersions(winner.version, edit.version)
        const seenByAnother = claims.some(
          (other) => other.localFlags === 0 && compareVersions(other.version, edit.version) === 'newer',
        )
        assert.ok(order === 'newer' || order === 'equal' || seenByAnother)
      }
    }),
    { numRuns: 2000 },
  )
})

const needs: [name: string, local: string | undefined, global: string, needed: boolean][] = [
  ['an item we do not have', undefined, 'a1', true],
  ['not the deletion of an item we never had', undefined, 'a1 gone', false],
  ['a newer version', 'a1', 'a2', true],
  ['not our own version', 'a1', 'a1', false],
  ['the deletion of an item we have', 'a1', 'a2 gone', true],
  ['not an item we ignore in that version', 'a1 ignored', 'a1', false],
  ['not an invalid record', undefined, 'a1 ignored', false],
  ['the winner of a conflict', 'a1', 'b1', true],
  ['not a version older than our invalid record', 'a2 changed', 'a1', false],
]

for (const [name, local, global, needed] of needs) {
  test(`isNeeded: ${name}`, () => {
    assert.equal(isNeeded(local === undefined ? undefined : claim(local), claim(global), false), needed)
  })
}

const held: [name: string, local: string | undefined, others: string[], global: string, needed: boolean][] = [
  ['the deletion of an item that another device has', undefined, ['a1'], 'a2 gone', true],
  ['not one that another device has deleted, too', undefined, ['b1 gone'], 'a2 gone', false],
  ['not one that another device ignores', undefined, ['a1 ignored'], 'a2 gone', false],
  ['not one that we have recorded', 'a2 gone', ['a1'], 'a2 gone', false],
  ['not an invalid deletion', undefined, ['a1'], 'a2 gone ignored', false],
]

for (const [name, local, others, global, needed] of held) {
  test(`isNeeded, without a record of ours: ${name}`, () => {
    const heldElsewhere = isHeldElsewhere(others.map(claim), claim(global))
    assert.equal(isNeeded(local === undefined ? undefined : claim(local), claim(global), heldElsewhere), needed)
  })
}

const remoteNeeds: [name: string, remote: string | undefined, global: string, needed: boolean][] = [
  ['an item it does not have', undefined, 'a1', true],
  ['another version, even a newer one', 'a2', 'a1', true],
  ['not the same version', 'a1', 'a1', false],
  ['not an item it ignores in that version', 'a1 ignored', 'a1', false],
  ['the deletion of an item it has, of any version', 'a7', 'a1 gone', true],
  ['not a deletion of an item it does not have', undefined, 'a1 gone', false],
  ['not a deletion of an item it has deleted', 'b1 gone', 'a1 gone', false],
  ['not a deletion of an item it ignores', 'a1 ignored', 'a2 gone', false],
  ['not an invalid record', undefined, 'a1 ignored', false],
]

for (const [name, remote, global, needed] of remoteNeeds) {
  test(`isNeededByRemote: ${name}`, () => {
    assert.equal(isNeededByRemote(remote === undefined ? undefined : claim(remote), claim(global)), needed)
  })
}

test('hasWinner: a valid record of the same version', () => {
  assert.equal(hasWinner(claim('a1'), claim('a1')), true)
  assert.equal(hasWinner(claim('a1 ignored'), claim('a1')), false)
  assert.equal(hasWinner(claim('a2'), claim('a1')), false)
})

test('weightBytes: content of live files, nothing for directories, symlinks and deletions', () => {
  const record = { deleted: false, sizeBytes: 7, localFlags: 0 }
  assert.equal(weightBytes({ ...record, type: 'file' }), 7)
  assert.equal(weightBytes({ ...record, type: 'directory' }), 0)
  assert.equal(weightBytes({ ...record, type: 'symlink' }), 0)
  assert.equal(weightBytes({ ...record, type: 'directory', deleted: true }), 0)
})
