import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Past } from './past.ts'

/** Contents: 1 is where everybody begins, 2 an edit of it that is removed, 3 made elsewhere. */
function begun(): Past {
  const past = new Past()
  past.put('c', 'x', 1)
  past.farewell('c', 'x', 1)
  past.put('c', 'x', 2)
  past.farewell('c', 'x', 2)
  return past
}

function overruled(past: Past): readonly number[] {
  return past.farewells.filter((farewell) => farewell.overruled).map(({ content }) => content)
}

test('an edit made apart overrules the removals it has not seen', () => {
  const past = begun()
  past.put('a', 'x', 3)
  past.took('c', 'x', 3)
  assert.deepEqual(overruled(past), [1, 2])
})

test('so does a directory made apart', () => {
  const past = begun()
  past.put('a', 'x', 'directory')
  past.took('c', 'x', 'directory')
  assert.deepEqual(overruled(past), [1, 2])
})

test('an edit by somebody who took the removal overrules nothing', () => {
  const past = begun()
  past.tookDeletion('a', 'x')
  past.put('a', 'x', 3)
  past.took('c', 'x', 3)
  past.took('b', 'x', 3)
  assert.deepEqual(overruled(past), [])
})

test('what was removed does not excuse itself by coming back', () => {
  const past = begun()
  past.took('c', 'x', 2)
  assert.deepEqual(overruled(past), [])
})

test('what a device hears of with a content it knows from then on', () => {
  const past = begun()
  past.put('c', 'x', 4)
  past.took('b', 'x', 4)
  past.put('a', 'x', 3)
  past.took('b', 'x', 3)
  assert.deepEqual(overruled(past), [1, 2])
})

test('names have nothing to do with each other', () => {
  const past = begun()
  past.put('a', 'y', 3)
  past.took('c', 'y', 3)
  assert.deepEqual(overruled(past), [])
})
