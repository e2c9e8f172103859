import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { ShortId } from '../../../src/core/ids.ts'
import {
  bumpVersion,
  compareVersions,
  COUNTER_MAX,
  COUNTERS_MAX,
  dropForeignCounters,
  editedVersion,
  firstCounter,
  isAcceptable,
  lostCounter,
  mergeVersions,
  parseVersion,
  recountVersion,
  versionToText,
  type Ordering,
  type VersionVector,
} from '../../../src/core/records/version-vector.ts'

type Pairs = readonly (readonly [string, string])[]
interface Vectors {
  readonly compare: readonly { readonly a: Pairs; readonly b: Pairs; readonly result: string }[]
}

const vectors: Vectors = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../vectors/version-vectors.json'), 'utf8'),
)

const short = (value: bigint) => value as ShortId
const fromPairs = (pairs: Pairs): VersionVector =>
  pairs.map(([device, value]) => ({ device: short(BigInt(device)), value: BigInt(value) }))

const names: Record<string, Ordering> = {
  equal: 'equal',
  greater: 'newer',
  lesser: 'older',
  concurrent_greater: 'concurrent-newer',
  concurrent_lesser: 'concurrent-older',
}
const mirrored: Record<Ordering, Ordering> = {
  equal: 'equal',
  newer: 'older',
  older: 'newer',
  'concurrent-newer': 'concurrent-older',
  'concurrent-older': 'concurrent-newer',
}

test('compareVersions: the published vectors, in both directions', () => {
  assert.ok(vectors.compare.length >= 12)
  for (const { a, b, result } of vectors.compare) {
    const expected = names[result]
    assert.ok(expected !== undefined, result)
    assert.equal(compareVersions(fromPairs(a), fromPairs(b)), expected, JSON.stringify({ a, b }))
    assert.equal(compareVersions(fromPairs(b), fromPairs(a)), mirrored[expected], JSON.stringify({ b, a }))
  }
})

const MAX = (1n << 64n) - 1n
const device = fc.oneof(fc.constantFrom(1n, 2n, 3n, MAX), fc.bigInt(0n, MAX)).map(short)
const value = fc.oneof(fc.bigInt(0n, 3n), fc.constantFrom(MAX, MAX - 1n, 1n << 63n))
const vector: fc.Arbitrary<VersionVector> = fc
  .uniqueArray(fc.record({ device, value }, { noNullPrototype: true }), {
    selector: (counter) => counter.device,
    maxLength: 5,
  })
  .map((counters) => counters.toSorted((a, b) => (a.device < b.device ? -1 : 1)))

/** The definition of the relations, without optimisation. */
function plainOrder(a: VersionVector, b: VersionVector): Ordering {
  const of = (vector: VersionVector, id: bigint) => vector.find((counter) => counter.device === id)?.value ?? 0n
  const ids = [...new Set([...a, ...b].map((counter) => counter.device as bigint))].sort((x, y) => (x < y ? -1 : 1))
  const ahead = ids.filter((id) => of(a, id) > of(b, id))
  const behind = ids.filter((id) => of(a, id) < of(b, id))
  if (ahead.length === 0 && behind.length === 0) return 'equal'
  if (behind.length === 0) return 'newer'
  if (ahead.length === 0) return 'older'
  return ahead[0]! < behind[0]! ? 'concurrent-newer' : 'concurrent-older'
}

test('compareVersions: agrees with the definition, and mirrors', () => {
  fc.assert(
    fc.property(vector, vector, (a, b) => {
      assert.equal(compareVersions(a, b), plainOrder(a, b))
      assert.equal(compareVersions(b, a), mirrored[compareVersions(a, b)])
      assert.equal(compareVersions(a, [...a]), 'equal')
    }),
    { numRuns: 2000 },
  )
})

test('mergeVersions: the smallest that succeeds both; commutative, associative, idempotent', () => {
  fc.assert(
    fc.property(vector, vector, vector, (a, b, c) => {
      const merged = mergeVersions(a, b)
      assert.ok(['equal', 'newer'].includes(compareVersions(merged, a)))
      assert.ok(['equal', 'newer'].includes(compareVersions(merged, b)))
      assert.deepEqual(merged, mergeVersions(b, a))
      assert.deepEqual(mergeVersions(merged, c), mergeVersions(a, mergeVersions(b, c)))
      assert.deepEqual(mergeVersions(a, a), a)
    }),
  )
})

const inOrder = (vector: VersionVector) => vector.toSorted((a, b) => (a.device < b.device ? -1 : 1))

test('bumpVersion: newer than any version, in order, at least now', () => {
  fc.assert(
    fc.property(vector, device, fc.integer({ min: -5, max: 4e9 }), (before, own, nowS) => {
      const after = bumpVersion(before, own, nowS)
      assert.equal(compareVersions(after, before), 'newer')
      const raised = after.filter(({ device, value }) =>
        before.every((old) => old.device !== device || old.value < value),
      )
      assert.equal(raised.length, 1)
      assert.ok(raised[0]!.value >= BigInt(Math.max(1, nowS)) && raised[0]!.value <= COUNTER_MAX)
      const old = before.find((entry) => entry.device === own)?.value ?? 0n
      if (old < COUNTER_MAX) assert.equal(raised[0]!.device, own)
      assert.deepEqual(after, inOrder(after))
    }),
  )
  assert.deepEqual(bumpVersion([], short(7n), 100), [{ device: 7n, value: 100n }])
  assert.deepEqual(bumpVersion([{ device: short(7n), value: 100n }], short(7n), 50), [{ device: 7n, value: 101n }])
  assert.deepEqual(bumpVersion([], short(7n), -3), [{ device: 7n, value: 1n }])
  assert.deepEqual(bumpVersion([], short(7n), 100.9), [{ device: 7n, value: 100n }])
})

const full = (value: bigint, device: bigint) => ({ device: short(device), value })

test('bumpVersion: a counter at its limit is continued by that of the next identifier', () => {
  const last = [full(COUNTER_MAX - 1n, 7n)]
  assert.deepEqual(bumpVersion(last, short(7n), 100), [full(COUNTER_MAX, 7n)])
  const used = [full(COUNTER_MAX, 7n)]
  assert.deepEqual(bumpVersion(used, short(7n), 100), [full(COUNTER_MAX, 7n), full(100n, 8n)])
  assert.deepEqual(bumpVersion(bumpVersion(used, short(7n), 100), short(7n), 100), [
    full(COUNTER_MAX, 7n),
    full(101n, 8n),
  ])
  assert.deepEqual(bumpVersion([full(MAX, 7n), full(COUNTER_MAX, 8n)], short(7n), 100), [
    full(MAX, 7n),
    full(COUNTER_MAX, 8n),
    full(100n, 9n),
  ])
  // After the highest identifier comes the lowest.
  assert.deepEqual(bumpVersion([full(COUNTER_MAX, MAX)], short(MAX), 100), [full(100n, 0n), full(COUNTER_MAX, MAX)])
})

test('bumpVersion: a version with as many counters as peers accept does not grow', () => {
  const crowd = Array.from({ length: COUNTERS_MAX }, (_, i) => full(5n, BigInt(2 * i + 10)))
  assert.deepEqual(bumpVersion(crowd.slice(1), short(11n), 100).length, COUNTERS_MAX)
  for (const [own, raised] of [
    [11n, 12n], // the next one
    [12n, 12n],
    [MAX, 10n],
  ] as const) {
    const after = bumpVersion(crowd, short(own), 100)
    assert.deepEqual(
      after,
      crowd.map((entry) => (entry.device === raised ? full(100n, raised) : entry)),
    )
  }
  // Where every counter is at its limit, a new one is the only way to a newer version.
  const used = crowd.map(({ device }) => full(COUNTER_MAX, device))
  assert.equal(compareVersions(bumpVersion(used, short(11n), 100), used), 'newer')
})

test('isAcceptable: what edits can produce, whatever the clock of a device', () => {
  const year9999 = 253_402_300_799n
  assert.ok(isAcceptable([]))
  assert.ok(isAcceptable([full(year9999, 1n)]))
  // An encrypted record has one counter, the sum of all.
  assert.ok(isAcceptable([full(year9999 * 50n, 1n)]))
  assert.ok(isAcceptable([full(COUNTER_MAX, 1n)]))
  for (const value of [COUNTER_MAX + 1n, 1n << 63n, MAX]) assert.ok(!isAcceptable([full(1n, 1n), full(value, 2n)]))
  const crowd = (length: number) => Array.from({ length }, (_, i) => full(1n, BigInt(i)))
  assert.ok(isAcceptable(crowd(COUNTERS_MAX)))
  assert.ok(!isAcceptable(crowd(COUNTERS_MAX + 1)))
})

test('isAcceptable: holds for the edit of an acceptable version', () => {
  const within = value.map((each) => (each > COUNTER_MAX ? COUNTER_MAX - ((MAX - each) % 3n) : each))
  fc.assert(
    fc.property(vector, within, device, fc.integer({ min: 0, max: 4e9 }), (before, value, own, nowS) => {
      const capped = before.map((entry) => ({ ...entry, value: entry.value > COUNTER_MAX ? value : entry.value }))
      assert.ok(isAcceptable(bumpVersion(capped, own, nowS)))
    }),
  )
})

test('lostCounter: continuing from it, no edit equals one that another device has received', () => {
  fc.assert(
    fc.property(vector, vector, device, fc.integer({ min: 0, max: 4e9 }), (replaced, successor, own, nowS) => {
      const lost = lostCounter(replaced, successor, own)
      const was = replaced.find((entry) => entry.device === own)?.value ?? 0n
      assert.ok(lost === 0n || lost === was)
      if (was >= BigInt(Number.MAX_SAFE_INTEGER)) return
      const minCounter = Number(lost) + 1
      const edit = bumpVersion(successor, own, firstCounter({ nowS, minCounter }))
      assert.match(
        compareVersions(edit, replaced),
        /newer|concurrent/,
        'a device with the replaced record needs the edit',
      )
      if (BigInt(nowS) > was)
        assert.deepEqual(edit, bumpVersion(successor, own, nowS), 'with a clock that runs all is as ever')
    }),
  )
  const mine: VersionVector = [{ device: short(7n), value: 5n }]
  assert.equal(lostCounter(mine, mine, short(7n)), 0n)
  assert.equal(lostCounter(mine, [], short(7n)), 5n)
  assert.equal(lostCounter(mine, [], short(8n)), 0n)
  assert.equal(firstCounter({ nowS: 3 }), 3)
})

test('recountVersion: the counter of one device under another, in order; no other version changes', () => {
  const before: VersionVector = [full(3n, 5n), full(4n, 7n)]
  assert.deepEqual(recountVersion(before, short(7n), short(6n)), [full(3n, 5n), full(4n, 6n)])
  assert.deepEqual(recountVersion(before, short(5n), short(9n)), [full(4n, 7n), full(3n, 9n)])
  assert.equal(recountVersion(before, short(8n), short(9n)), before)
  fc.assert(
    fc.property(vector, device, device, (version, from, to) => {
      const has = (each: VersionVector, id: ShortId) => each.some((entry) => entry.device === id && entry.value > 0n)
      const after = recountVersion(version, from, to)
      if (from === to || !has(version, from)) assert.deepEqual(after, version)
      else assert.ok(has(after, to) && !has(after, from))
    }),
  )
})

test('dropForeignCounters: keeps the counter of the device itself, so that the successor conflicts', () => {
  fc.assert(
    fc.property(vector, device, (before, own) => {
      const left = dropForeignCounters(before, { ownShortId: own })
      assert.deepEqual(
        left,
        before.filter((entry) => entry.device === own),
      )
    }),
  )
})

test('dropForeignCounters: keeps both counters of the device where it has a temporary one', () => {
  const before: VersionVector = [full(1n, 5n), full(2n, 7n), full(3n, 9n)]
  const ids = { ownShortId: short(7n), counterId: short(9n), temporaryId: short(5n) }
  assert.deepEqual(dropForeignCounters(before, ids), [full(1n, 5n), full(3n, 9n)])
})

test('D-04: an edit under a temporary ID succeeds its version, and no version that was lost', () => {
  const ids = { ownShortId: short(7n), counterId: short(8n), temporaryId: short(9n), nowS: 20 }
  const restored: VersionVector = [full(10n, 8n)]
  const edit = editedVersion(restored, ids)
  assert.deepEqual(edit, [full(10n, 8n), full(20n, 9n)])
  assert.match(compareVersions(edit, [full(15n, 8n)]), /^concurrent/)
  assert.deepEqual(editedVersion(edit, ids), [full(10n, 8n), full(21n, 9n)])
  assert.deepEqual(editedVersion(edit, { ...ids, temporaryId: undefined }), [full(20n, 8n), full(20n, 9n)])
})

test('a version with many counters gets no temporary one', () => {
  const ids = { ownShortId: short(1n), counterId: short(2n), temporaryId: short(1_000n), nowS: 20 }
  const many = (count: number) => Array.from({ length: count }, (_, i) => full(5n, BigInt(i + 2)))
  const counted = (version: VersionVector) => version.find(({ value }) => value === 20n)?.device
  assert.equal(counted(editedVersion(many(63), ids)), 1_000n)
  assert.equal(counted(editedVersion(many(64), ids)), 2n)
  const has = [...many(64), full(9n, 1_000n)]
  assert.equal(counted(editedVersion(has, ids)), 1_000n)
})

test('versionToText and parseVersion: round trip; any other text is rejected', () => {
  fc.assert(
    fc.property(vector, (before) => {
      assert.deepEqual(parseVersion(versionToText(before)), before)
    }),
  )
  for (const text of ['1', '1:', ':1', '1:1,', '2:1,1:1', '1:1,1:1', '1:g', ' 1:1', '1:11111111111111111', '-1:1']) {
    assert.equal(parseVersion(text), undefined, text)
  }
})

test('recountVersion: concurrent with all versions that have the old counter', () => {
  const others = [{ device: short(3n), value: 4n }]
  const mine = [...others, { device: short(7n), value: 5n }]
  assert.deepEqual(recountVersion(mine, short(7n), short(9n)), [...others, { device: short(9n), value: 5n }])
  assert.deepEqual(recountVersion(mine, short(7n), short(1n)), [{ device: short(1n), value: 5n }, ...others])
  assert.equal(recountVersion(others, short(7n), short(9n)), others)
  for (const later of [mine, bumpVersion(mine, short(7n), 80)]) {
    assert.match(
      compareVersions(recountVersion(bumpVersion(mine, short(7n), 90), short(7n), short(9n)), later),
      /^conc/,
    )
  }
})
