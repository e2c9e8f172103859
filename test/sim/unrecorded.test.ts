import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Past } from './past.ts'

const S = 1_000

/** Content 1 is on the disk of `a` since the first second. */
function begun(): Past {
  const past = new Past()
  past.unrecorded.appeared('a', 'x', 1, S)
  return past
}

/** The contents whose removal nobody can tell of. */
function untold(past: Past): readonly number[] {
  return past.farewells.filter((farewell) => farewell.untold).map(({ content }) => content)
}

test('what is removed after the power went cannot be told unless it was recorded', () => {
  const forgotten = begun()
  forgotten.unrecorded.powerLost('a', 2 * S)
  forgotten.farewell('a', 'x', 1)
  assert.deepEqual(untold(forgotten), [1])

  const recorded = begun()
  recorded.unrecorded.recorded('a', ['x'])
  recorded.unrecorded.powerLost('a', 2 * S)
  recorded.farewell('a', 'x', 1)
  assert.deepEqual(untold(recorded), [])
})

test('nor what is removed before the power goes', () => {
  const past = begun()
  past.farewell('a', 'x', 1)
  past.unrecorded.gone('a', 'x')
  assert.deepEqual(untold(past), [])
  past.unrecorded.powerLost('a', 2 * S)
  assert.deepEqual(untold(past), [1])
})

test('a device that stops in order has recorded everything', () => {
  const past = begun()
  past.unrecorded.stopped('a')
  past.farewell('a', 'x', 1)
  past.unrecorded.powerLost('a', 2 * S)
  past.farewell('a', 'x', 1)
  assert.deepEqual(untold(past), [])
})

test('a device must have recorded what has been there for long', () => {
  const past = begun()
  past.unrecorded.powerLost('a', 12 * S)
  past.farewell('a', 'x', 1)
  assert.deepEqual(untold(past), [])
})

test('a scan of the next life records what was forgotten', () => {
  const past = begun()
  past.unrecorded.powerLost('a', 2 * S)
  past.unrecorded.recorded('a', ['x'])
  past.farewell('a', 'x', 1)
  assert.deepEqual(untold(past), [])
})

test('what was recorded and comes back is new again', () => {
  const past = begun()
  past.unrecorded.recorded('a', ['x'])
  past.unrecorded.appeared('a', 'x', 1, 2 * S) // its mode changed
  past.farewell('a', 'x', 1)
  past.unrecorded.gone('a', 'x')
  past.unrecorded.appeared('a', 'x', 1, 3 * S)
  past.unrecorded.powerLost('a', 4 * S)
  past.farewell('a', 'x', 1)
  assert.deepEqual(
    past.farewells.map((farewell) => farewell.untold),
    [false, true],
  )
})

test('other names, other devices and other contents are not excused', () => {
  const past = begun()
  past.unrecorded.powerLost('a', 2 * S)
  past.farewell('a', 'y', 1)
  past.farewell('b', 'x', 1)
  past.farewell('a', 'x', 2)
  assert.deepEqual(untold(past), [])
})
