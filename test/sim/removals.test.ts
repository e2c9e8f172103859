import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Removals } from './removals.ts'

/** Contents: 1 is the initial one, 2 an edit of it that is removed, 3 is created on another device. */
function begun(): Removals {
  const removals = new Removals()
  removals.put('c', 'x', 1)
  removals.removed('c', 'x', 1)
  removals.put('c', 'x', 2)
  removals.removed('c', 'x', 2)
  return removals
}

function overruled(removals: Removals): readonly number[] {
  return removals.all.filter((removal) => removal.overruled).map(({ content }) => content)
}

test('a concurrent edit overrules the removals it has not seen', () => {
  const removals = begun()
  removals.put('a', 'x', 3)
  removals.pulled('c', 'x', 3)
  assert.deepEqual(overruled(removals), [1, 2])
})

test('a concurrent directory overrules the removals it has not seen', () => {
  const removals = begun()
  removals.put('a', 'x', 'directory')
  removals.pulled('c', 'x', 'directory')
  assert.deepEqual(overruled(removals), [1, 2])
})

test('an edit on a device that pulled the removal overrules nothing', () => {
  const removals = begun()
  removals.pulledDeletion('a', 'x')
  removals.put('a', 'x', 3)
  removals.pulled('c', 'x', 3)
  removals.pulled('b', 'x', 3)
  assert.deepEqual(overruled(removals), [])
})

test('a removed content that reappears overrules nothing', () => {
  const removals = begun()
  removals.pulled('c', 'x', 2)
  assert.deepEqual(overruled(removals), [])
})

test('a device that pulls a content has seen the removals before it', () => {
  const removals = begun()
  removals.put('c', 'x', 4)
  removals.pulled('b', 'x', 4)
  removals.put('a', 'x', 3)
  removals.pulled('b', 'x', 3)
  assert.deepEqual(overruled(removals), [1, 2])
})

test('names are independent of each other', () => {
  const removals = begun()
  removals.put('a', 'y', 3)
  removals.pulled('c', 'y', 3)
  assert.deepEqual(overruled(removals), [])
})
