import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Removals } from './removals.ts'

const S = 1_000

/** Content 1 is on the disk of `a` since second 1. */
function begun(): Removals {
  const removals = new Removals()
  removals.unrecorded.appeared('a', 'x', 1, S)
  return removals
}

/** The contents whose removal cannot be detected. */
function undetectable(removals: Removals): readonly number[] {
  return removals.all.filter((removal) => removal.unrecorded).map(({ content }) => content)
}

test('a removal after a power loss is undetectable unless the content was recorded', () => {
  const lost = begun()
  lost.unrecorded.powerLost('a', 2 * S)
  lost.removed('a', 'x', 1)
  assert.deepEqual(undetectable(lost), [1])

  const recorded = begun()
  recorded.unrecorded.recorded('a', ['x'])
  recorded.unrecorded.powerLost('a', 2 * S)
  recorded.removed('a', 'x', 1)
  assert.deepEqual(undetectable(recorded), [])
})

test('a removal before a power loss is undetectable unless the content was recorded', () => {
  const removals = begun()
  removals.removed('a', 'x', 1)
  removals.unrecorded.gone('a', 'x')
  assert.deepEqual(undetectable(removals), [])
  removals.unrecorded.powerLost('a', 2 * S)
  assert.deepEqual(undetectable(removals), [1])
})

test('a clean shutdown records everything', () => {
  const removals = begun()
  removals.unrecorded.stopped('a')
  removals.removed('a', 'x', 1)
  removals.unrecorded.powerLost('a', 2 * S)
  removals.removed('a', 'x', 1)
  assert.deepEqual(undetectable(removals), [])
})

test('contents older than the recording delay count as recorded', () => {
  const removals = begun()
  removals.unrecorded.powerLost('a', 12 * S)
  removals.removed('a', 'x', 1)
  assert.deepEqual(undetectable(removals), [])
})

test('a scan after the restart records the content', () => {
  const removals = begun()
  removals.unrecorded.powerLost('a', 2 * S)
  removals.unrecorded.recorded('a', ['x'])
  removals.removed('a', 'x', 1)
  assert.deepEqual(undetectable(removals), [])
})

test('a recorded content that reappears is unrecorded again', () => {
  const removals = begun()
  removals.unrecorded.recorded('a', ['x'])
  removals.unrecorded.appeared('a', 'x', 1, 2 * S) // its mode changed
  removals.removed('a', 'x', 1)
  removals.unrecorded.gone('a', 'x')
  removals.unrecorded.appeared('a', 'x', 1, 3 * S)
  removals.unrecorded.powerLost('a', 4 * S)
  removals.removed('a', 'x', 1)
  assert.deepEqual(
    removals.all.map((removal) => removal.unrecorded),
    [false, true],
  )
})

test('other names, devices and contents are not affected', () => {
  const removals = begun()
  removals.unrecorded.powerLost('a', 2 * S)
  removals.removed('a', 'y', 1)
  removals.removed('b', 'x', 1)
  removals.removed('a', 'x', 2)
  assert.deepEqual(undetectable(removals), [])
})
