import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  afterFailure,
  isCancellable,
  isEnded,
  journalText,
  parseJournal,
  renameState,
  resumedState,
  type MoveEntry,
  type MoveState,
} from '../../../src/core/move/journal.ts'
import { folderId } from '../../support/model.ts'

const ENTRY: MoveEntry = {
  folder: folderId('docs'),
  fromPath: '~/docs',
  toPath: '/mnt/docs',
  from: '/home/me/docs',
  to: '/mnt/docs',
  method: 'copy',
  state: 'copying',
  startedMs: 1_000,
  endedMs: 0,
  since: 5,
  madeRoot: true,
  error: '',
  left: ['a', 'b/c'],
  leftCount: 7,
}

test('the journal is read as it was written; what is damaged counts as no move', () => {
  assert.deepEqual(parseJournal(journalText([ENTRY])), [ENTRY])
  for (const text of ['', '{', 'null', '[]', '{"moves": 3}', '{"moves": [null, 3, {"folder": ""}]}'])
    assert.deepEqual(parseJournal(text), [], text)
  assert.deepEqual(parseJournal(journalText([{ ...ENTRY, state: 'flying' as MoveState }, ENTRY])), [ENTRY])
})

test('after a restart the settings decide whether a move was switched', () => {
  const cases: readonly (readonly [MoveState, 'old' | 'new' | 'elsewhere', MoveState])[] = [
    ['prepared', 'old', 'prepared'],
    ['copying', 'old', 'copying'],
    ['verified', 'old', 'verified'],
    ['verified', 'new', 'switched'],
    ['copying', 'new', 'switched'],
    ['copying', 'elsewhere', 'undoing'],
    ['switched', 'new', 'switched'],
    ['removing', 'new', 'removing'],
    ['removing', 'old', 'failed'],
    ['removing', 'elsewhere', 'failed'],
    ['undoing', 'old', 'undoing'],
    ['undoing', 'new', 'failed'],
    ['undoing', 'elsewhere', 'undoing'],
    ['done', 'old', 'done'],
    ['cancelled', 'elsewhere', 'cancelled'],
  ]
  for (const [state, place, wanted] of cases) assert.equal(resumedState(state, place), wanted, `${state} ${place}`)
})

test('before the switch a failure undoes the move, afterwards nothing leads back', () => {
  const failed = { kind: 'failed', text: 'no' } as const
  const next = (state: MoveState, failure: Parameters<typeof afterFailure>[1]) => {
    const after = afterFailure({ ...ENTRY, state }, failure)
    return after === 'wait' ? after : after.state
  }
  for (const state of ['prepared', 'copying', 'verified'] as const) assert.equal(next(state, failed), 'undoing')
  assert.equal(next('undoing', failed), 'failed')
  assert.equal(next('switched', failed), 'done')
  assert.equal(next('removing', failed), 'done')
  for (const state of ['prepared', 'copying', 'verified', 'switched', 'removing', 'undoing'] as const) {
    assert.equal(next(state, { kind: 'temporary' }), 'wait')
    assert.equal(next(state, { kind: 'cancelled' }), isCancellable({ state }) ? 'undoing' : 'wait')
    assert.equal(isEnded({ state }), false)
  }
})

test('a rename is recognised by the marker that moved with it', () => {
  assert.equal(renameState(true, false), 'to-do')
  assert.equal(renameState(false, true), 'done')
  assert.equal(renameState(false, false), 'unclear')
  assert.equal(renameState(true, true), 'unclear')
})
