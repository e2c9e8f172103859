import assert from 'node:assert/strict'
import { test } from 'node:test'
import { takeTurns } from '../../../src/core/network/take-turns.ts'

test('lists take turns, each element is taken once, and the number is bounded', () => {
  assert.deepEqual(takeTurns([['a1', 'a2', 'a3'], ['b1'], [], ['a2', 'c2', 'c3']], 9), [
    'a1',
    'b1',
    'a2',
    'c2',
    'a3',
    'c3',
  ])
  assert.deepEqual(
    takeTurns(
      [
        ['a1', 'a2'],
        ['b1', 'b2'],
      ],
      3,
    ),
    ['a1', 'b1', 'a2'],
  )
  assert.deepEqual(takeTurns([['a', 'a', 'a', 'b'], ['c']], 2), ['a', 'c'], 'repetitions take no place')
  assert.deepEqual(takeTurns([], 3), [])
})
