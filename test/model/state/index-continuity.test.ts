import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DeviceId } from '../../../src/core/ids.ts'
import { IndexContinuity } from '../../../src/model/state/index-continuity.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'

const [ONE, OTHER] = ['ONE', 'OTHER'] as unknown as readonly [DeviceId, DeviceId]

function opened() {
  const clock = new SimClock()
  return { clock, continuity: new IndexContinuity({ clock, random: new SimRandom(1) }) }
}

test('D-04: an index is proven to continue by all other devices, or if this process created it', () => {
  const { continuity } = opened()
  assert.equal(continuity.isProven([ONE, OTHER], true), true)
  assert.equal(continuity.isProven([ONE, OTHER], false), false)
  assert.equal(continuity.isProven([], false), true, 'nothing was sent to anyone')
  continuity.note(ONE, true)
  assert.equal(continuity.isProven([ONE, OTHER], false), false)
  continuity.note(OTHER, true)
  assert.equal(continuity.isProven([ONE, OTHER], false), true)
})

test('D-04: of each device the first result counts: a later one does not show what was lost', () => {
  const { continuity } = opened()
  continuity.note(ONE, false)
  continuity.note(ONE, true)
  assert.equal(continuity.isProven([ONE], false), false)
  continuity.note(OTHER, true)
  continuity.note(OTHER, false)
  assert.equal(continuity.isProven([OTHER], false), true)
})

test('D-04: a clock that jumps may be a reset machine: all has to be proven again, under another ID', async () => {
  for (const [jumpMs, isReset] of [
    [61_000, true],
    [-61_000, true],
    [59_000, false],
  ] as const) {
    const { clock, continuity } = opened()
    continuity.note(ONE, true)
    const before = continuity.temporaryId
    await clock.advance(3_600_000, () => Promise.resolve())
    assert.deepEqual([continuity.temporaryId, continuity.isProven([ONE], false)], [before, true])
    clock.jumpWall(jumpMs)
    assert.equal(continuity.isProven([ONE], false), !isReset)
    assert.equal(continuity.isProven([ONE], true), !isReset)
    assert.equal(continuity.temporaryId === before, !isReset)
    continuity.note(ONE, true)
    assert.equal(continuity.isProven([ONE], false), true)
  }
})

test('every process has another temporary ID, which is never zero', () => {
  const clock = new SimClock()
  const ids = [1, 2, 3].map((seed) => new IndexContinuity({ clock, random: new SimRandom(seed) }).temporaryId)
  const zero = new IndexContinuity({ clock, random: { bytes: (count) => new Uint8Array(count) } }).temporaryId
  assert.deepEqual([new Set(ids).size, zero], [3, 1n])
})
