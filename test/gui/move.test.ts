import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MoveJson } from '../../src/rest/move.ts'
import { isMoving, moveFraction, moveText, previewText, type MovePreview } from '../../gui/view-model/move.ts'

const PREVIEW: MovePreview = {
  folder: 'docs',
  from: '/a',
  to: '/b',
  method: 'copy',
  files: 3,
  bytes: 300,
  freeBytes: 500,
  problem: null,
}
const MOVE: MoveJson = {
  folder: 'docs',
  from: '/a',
  to: '/b',
  method: 'copy',
  state: 'copying',
  files: 3,
  filesDone: 1,
  bytes: 300,
  bytesDone: 75,
  started: '2026-11-17T10:00:00Z',
  ended: null,
  cancellable: true,
  error: '',
  left: [],
  leftCount: 0,
}

test('a preview says what is done, or why not', () => {
  const key = (change: Partial<MovePreview>) => previewText({ ...PREVIEW, ...change }, String).key
  assert.equal(key({}), 'move.copiesFree')
  assert.equal(key({ freeBytes: null }), 'move.copies')
  assert.equal(key({ method: 'rename' }), 'move.renames')
  assert.equal(key({ problem: { code: 'used', text: '' } }), 'move.used')
  assert.equal(key({ problem: { code: 'around', text: '' } }), 'move.apart')
  assert.deepEqual(previewText(PREVIEW, String).values, { path: '/b', n: 3, size: '300', free: '500' })
})

test('the progress of a move: its state, and the share that is copied', () => {
  assert.equal(moveFraction(MOVE), 0.25)
  assert.equal(moveFraction({ ...MOVE, bytes: 0 }), 0)
  assert.equal(moveFraction({ ...MOVE, state: 'removing' }), 1)
  assert.equal(moveFraction({ ...MOVE, method: 'rename' }), undefined)
  assert.deepEqual(moveText(MOVE), { key: 'move.state.copying', values: { path: '/b', old: '/a' } })
  assert.ok(isMoving(MOVE))
  assert.ok(!isMoving({ ...MOVE, state: 'failed' }))
  assert.ok(!isMoving(null))
})
