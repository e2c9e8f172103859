import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { compactTime, parseCompactTime, twoDigits } from '../../../src/core/formats/local-time.ts'

test('compactTime: year, month, day, hour, minute and second of the local time', () => {
  assert.equal(compactTime(new Date(2026, 0, 31, 23, 59, 58).getTime()), '20260131-235958')
  assert.equal(compactTime(new Date(2026, 11, 1, 2, 3, 4).getTime()), '20261201-020304')
  const early = new Date(2000, 5, 7, 8, 9, 10)
  early.setFullYear(33)
  assert.equal(compactTime(early.getTime()), '00330607-080910')
})

test('parseCompactTime: the reverse, to the second', () => {
  fc.assert(
    fc.property(fc.integer({ min: -2_000_000_000, max: 250_000_000_000 }), (seconds) => {
      assert.equal(compactTime(parseCompactTime(compactTime(seconds * 1_000))!), compactTime(seconds * 1_000))
    }),
  )
  assert.equal(parseCompactTime('20260131-235958'), new Date(2026, 0, 31, 23, 59, 58).getTime())
})

for (const text of [
  '',
  '20260131',
  '20260131-23595',
  '20260131-2359588',
  'x20260131-235958',
  '20260131-235958x',
  '20260231-000000', // no such day
  '20261301-000000',
  '20260001-000000',
  '20260100-000000',
  '20260132-000000',
  '20260131-240000',
  '20260131-006000',
  '20260131-000060',
])
  test(`parseCompactTime: ${JSON.stringify(text)} is no time`, () => assert.equal(parseCompactTime(text), undefined))

test('twoDigits', () => {
  assert.deepEqual([0, 9, 10, 99].map(twoDigits), ['00', '09', '10', '99'])
})
