import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { diskStampOf, hasOtherStamp, STAMP_UNVERIFIED } from '../../../src/core/records/disk-stamp.ts'

const MODIFIED = { modifiedS: 1_700_000_000, modifiedNs: 123_456_789 }
const MODIFIED_NS = MODIFIED.modifiedS * 1e9 + MODIFIED.modifiedNs

/** Stamps are stored in the index: with other values for the same files all of them would be hashed again. */
const STORED: readonly (readonly [changeStamp: number, inode: number | bigint | undefined, stamp: number])[] = [
  [MODIFIED_NS, 42, 926_717_931_011],
  [MODIFIED_NS + 5e9, 42, 86_054_452_557],
  [MODIFIED_NS + 5e9, 43, 37_628_838_831],
  [MODIFIED_NS + 5e9, 2n ** 60n, 349_989_298_771],
  [MODIFIED_NS + 5e9, undefined, 868_653_337_521],
  [0, 0, 2_344_352_158],
]

for (const [changeStamp, inode, stamp] of STORED) {
  test(`the stamp of change time ${changeStamp} and inode ${inode} stays the same`, () =>
    assert.equal(diskStampOf({ ...MODIFIED, changeStamp, inode }), stamp))
}

test('a stamp has 40 bits and is never the one that differs from all', () => {
  const item = fc.record({ changeStamp: fc.double({ noNaN: true, min: 0, max: 4e18 }), inode: fc.maxSafeNat() })
  fc.assert(
    fc.property(item, (found) => {
      const stamp = diskStampOf({ ...MODIFIED, ...found })!
      assert.ok(Number.isInteger(stamp) && stamp > STAMP_UNVERIFIED && stamp < 2 ** 40)
    }),
  )
})

test('the inode counts only where the change time is not the modification time, as rounded', () => {
  const isSame = (changeStamp: number) =>
    diskStampOf({ ...MODIFIED, changeStamp, inode: 1 }) === diskStampOf({ ...MODIFIED, changeStamp, inode: 2 })
  assert.deepEqual([isSame(MODIFIED_NS), isSame(MODIFIED_NS + 768), isSame(MODIFIED_NS - 768)], [true, true, true])
  assert.deepEqual([isSame(MODIFIED_NS + 1_024), isSame(MODIFIED_NS - 1_280)], [false, false])
})

test('without a change time there is no stamp, and an unknown one is no other', () => {
  assert.equal(diskStampOf(MODIFIED), undefined)
  const item = { ...MODIFIED, changeStamp: MODIFIED_NS + 5e9, inode: 7 }
  const stamp = diskStampOf(item)!
  assert.deepEqual(
    [hasOtherStamp(undefined, item), hasOtherStamp(stamp, item), hasOtherStamp(stamp, MODIFIED)],
    [false, false, false],
  )
  assert.deepEqual([hasOtherStamp(stamp + 1, item), hasOtherStamp(STAMP_UNVERIFIED, item)], [true, true])
})
