import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isContinued, keepsRecords, startOfSending, wentBack } from '../../../src/core/records/index-position.ts'

const STARTS: readonly [name: string, known: readonly [bigint, number], expected: number][] = [
  ['the same index, not all of it: the rest', [7n, 30], 30],
  ['the same index, all of it: nothing', [7n, 70], 70],
  ['the same index, more than there is: everything', [7n, 71], 0],
  ['another index: everything', [8n, 30], 0],
  ['no index: everything', [0n, 0], 0],
  ['nonsense: everything', [7n, -1], 0],
]
for (const [name, [indexId, sequence], expected] of STARTS) {
  test(`where sending starts: ${name}`, () =>
    assert.equal(startOfSending({ indexId: 7n, sequence: 70 }, { indexId, sequence }), expected))
}

const CLAIMS: readonly [name: string, sent: number | undefined, known: readonly [bigint, number], expected: boolean][] =
  [
    ['as much as was sent', 50, [7n, 50], false],
    ['less than was sent', 50, [7n, 49], false],
    ['more than was sent, and less than there is now', 50, [7n, 51], true],
    ['something, and nothing was sent', 0, [7n, 1], true],
    ['another index', 50, [8n, 1_000], false],
    ['what was sent is not known, and there is as much', undefined, [7n, 70], false],
    ['what was sent is not known, and there is less', undefined, [7n, 71], true],
  ]
for (const [name, sent, [indexId, sequence], expected] of CLAIMS) {
  test(`whether our index went back, when a device has ${name}`, () =>
    assert.equal(wentBack({ indexId: 7n, sequence: 70 }, sent, { indexId, sequence }), expected))
}

for (const [what, sent, indexId, sequence, expected] of [
  ['what was sent', 70, 7n, 70, true],
  ['less than was sent', 70, 7n, 3, true],
  ['more than was sent', 60, 7n, 61, false],
  ['a part of an index that did not record what was sent', undefined, 7n, 3, false],
  ['another index of ours', 70, 8n, 3, false],
  ['nothing of ours', 70, 0n, 0, true],
] as const) {
  test(`D-04: a device that has ${what} ${expected ? 'shows' : 'does not show'} that our index continues`, () =>
    assert.equal(isContinued({ indexId: 7n, sequence: 70 }, sent, { indexId, sequence }), expected))
}

test('stored records of a device are valid only for the same index', () => {
  assert.equal(keepsRecords(5n, 5n), true)
  assert.equal(keepsRecords(5n, 6n), false)
  assert.equal(keepsRecords(5n, 0n), false)
  assert.equal(keepsRecords(0n, 0n), false)
})
