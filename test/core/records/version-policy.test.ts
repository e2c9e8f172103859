import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { compactTime, parseCompactTime } from '../../../src/core/formats/local-time.ts'
import { parseVersionName, versionKey, versionKeyOf, versionName } from '../../../src/core/records/version-names.ts'
import { surplusVersions, versionPolicy, type VersionPolicy } from '../../../src/core/records/version-policy.ts'

const YEAR_S = 365 * 86_400

test('versions have the same names as in Syncthing', () => {
  for (const [name, kept] of [
    ['dir/f.txt', 'dir/f~20261115-001542.txt'],
    ['noext', 'noext~20261115-001542'],
    ['a.tar.gz', 'a.tar~20261115-001542.gz'],
    ['.dot', '~20261115-001542.dot'],
    ['d.e/x', 'd.e/x~20261115-001542'],
  ] as const) {
    assert.equal(versionName(name, '20261115-001542'), kept)
    assert.deepEqual(parseVersionName(kept), { name, versionMs: new Date(2026, 10, 15, 0, 15, 42).getTime() })
  }
})

test('a name without a time, or with an invalid one, is not a version', () => {
  for (const name of [
    'f',
    'f~',
    'f~20261115',
    'f~20261315-000000',
    'f~20260231-000000',
    'f~20260101-250000',
    'f~20261115-001542.a.b',
    '~20261115-001542',
  ]) {
    assert.equal(parseVersionName(name), undefined, name)
    if (name !== '~20261115-001542') assert.equal(versionKey(name), undefined, name)
  }
})

const baseName = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 250 })
  .filter((name) => !name.includes('/') && !name.includes('\0'))
const time = fc.integer({ min: 0, max: 4_000_000_000 }).map((seconds) => compactTime(seconds * 1_000))

test('every name fits a file system, and yields its file and time unless it was truncated', () => {
  fc.assert(
    fc.property(baseName, time, (name, when) => {
      const kept = versionName(`d/${name}`, when)
      assert.equal(versionKey(kept), versionKeyOf(`d/${name}`))
      assert.ok(versionKey(kept) !== versionKeyOf(`d/${name}x`) || Buffer.byteLength(name) > 200)
      if (Buffer.byteLength(kept) < 250)
        assert.deepEqual(parseVersionName(kept), { name: `d/${name}`, versionMs: parseCompactTime(when) })
      const extension = name.includes('.') ? name.slice(name.lastIndexOf('.')) : ''
      if (Buffer.byteLength(extension) < 200) assert.ok(Buffer.byteLength(kept) <= 257)
    }),
  )
})

test('a local time is parsed back to the same moment, except when the clock is set back', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), (seconds) => {
      const parsed = parseCompactTime(compactTime(seconds * 1_000))
      assert.ok(parsed !== undefined && Math.abs(parsed - seconds * 1_000) % 3_600_000 === 0)
    }),
  )
})

test('staggered: the ages that a real Syncthing removed, and no other', () => {
  const agesS = [
    0, 5, 20, 40, 50, 65, 100, 3000, 3590, 3700, 5000, 7300, 11000, 80000, 86000, 90000, 100000, 180000, 260000,
    2500000, 2600000, 3000000, 3300000, 4000000, 31000000, 32000000,
  ]
  const removed = surplusVersions({ kind: 'staggered', ageSMax: YEAR_S }, agesS).map((place) => agesS[place])
  assert.deepEqual(
    removed.toSorted((a, b) => a! - b!),
    [0, 5, 40, 50, 5000, 90000, 180000, 3000000, 32000000],
  )
})

const ages = fc.array(fc.integer({ min: -100, max: 3 * YEAR_S }), { maxLength: 60 })

test('staggered: a second pass removes nothing, and the oldest permitted version is kept', () => {
  fc.assert(
    fc.property(ages, fc.constantFrom(0, 1_000_000, YEAR_S), (agesS, ageSMax) => {
      const policy: VersionPolicy = { kind: 'staggered', ageSMax }
      const surplus = new Set(surplusVersions(policy, agesS))
      const kept = agesS.filter((_, place) => !surplus.has(place))
      assert.deepEqual(surplusVersions(policy, kept), [])
      const allowed = agesS.filter((ageS) => ageSMax === 0 || ageS <= ageSMax)
      if (allowed.length > 0) assert.ok(kept.includes(Math.max(...allowed)))
    }),
  )
})

test('simple: never more than wanted, always the youngest, none too old', () => {
  fc.assert(
    fc.property(ages, fc.integer({ min: 1, max: 10 }), fc.constantFrom(0, 86_400), (agesS, countMax, ageSMax) => {
      const surplus = new Set(surplusVersions({ kind: 'simple', countMax, ageSMax }, agesS))
      const kept = agesS.filter((_, place) => !surplus.has(place)).sort((a, b) => a - b)
      const allowed = agesS.filter((ageS) => ageSMax === 0 || ageS <= ageSMax).sort((a, b) => a - b)
      assert.deepEqual(kept, allowed.slice(0, countMax))
    }),
  )
})

test('settings as users write them', () => {
  assert.equal(versionPolicy({ type: '', params: {} }), undefined)
  assert.deepEqual(versionPolicy({ type: 'simple', params: { keep: 'many' } }), {
    kind: 'simple',
    countMax: 5,
    ageSMax: 0,
  })
  assert.deepEqual(versionPolicy({ type: 'simple', params: { keep: '0', cleanoutDays: '2' } }), {
    kind: 'simple',
    countMax: 1,
    ageSMax: 172_800,
  })
  assert.deepEqual(versionPolicy({ type: 'staggered', params: {} }), { kind: 'staggered', ageSMax: YEAR_S })
  assert.deepEqual(versionPolicy({ type: 'staggered', params: { maxAge: '0' } }), { kind: 'staggered', ageSMax: 0 })
  assert.deepEqual(versionPolicy({ type: 'trashcan', params: { cleanoutDays: '-3' } }), {
    kind: 'trashcan',
    ageSMax: 0,
  })
  assert.deepEqual(versionPolicy({ type: 'external', params: { command: 'x' } }), { kind: 'external', command: 'x' })
})
