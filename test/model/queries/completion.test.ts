import assert from 'node:assert/strict'
import { test } from 'node:test'
import { percentageOf } from '../../../src/model/queries/completion.ts'

test('the completion is between 0 and 100', () => {
  assert.equal(percentageOf({ globalBytes: 0, needBytes: 0, needDeletes: 0, needItems: 0 }), 100)
  assert.equal(percentageOf({ globalBytes: 100, needBytes: 25, needDeletes: 0, needItems: 0 }), 75)
  assert.equal(percentageOf({ globalBytes: 100, needBytes: 310.24, needDeletes: 0, needItems: 0 }), 0)
  assert.equal(percentageOf({ globalBytes: 100, needBytes: 0, needDeletes: 1, needItems: 0 }), 95)
  assert.equal(percentageOf({ globalBytes: 100, needBytes: 0, needDeletes: 0, needItems: 1 }), 95)
})
