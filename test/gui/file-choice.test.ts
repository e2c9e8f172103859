import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  boxOf,
  choiceBody,
  chosenSelection,
  NO_CHOICES,
  withClicked,
  withoutApplied,
  type Choices,
} from '../../gui/view-model/file-choice.ts'

const DEVICE = { entries: [{ path: 'a', state: 'dropped', reason: 'chosen' }] } as const

test('the boxes of a tree: a click toggles, a choice below makes the directory partly kept', () => {
  const boxes = (choices = NO_CHOICES) =>
    ['a', 'a/b', 'a/c', 'z'].map((path) => boxOf(chosenSelection(DEVICE, choices), path)).join(' ')
  const click = (choices: typeof NO_CHOICES, path: string) =>
    withClicked(choices, chosenSelection(DEVICE, choices), path)
  assert.equal(boxes(), 'off off off on')
  const kept = click(NO_CHOICES, 'a/b')
  assert.equal(boxes(kept), 'partly on off on')
  const whole = click(kept, 'a')
  assert.equal(boxes(whole), 'on on on on')
  assert.deepEqual(choiceBody(whole), { keep: ['a'], drop: [] })
  const without = click(click(whole, 'a/c'), 'z')
  assert.equal(boxes(without), 'partly on off off')
  assert.deepEqual(choiceBody(without), { keep: ['a'], drop: ['a/c', 'z'] })
  assert.deepEqual(choiceBody(click(without, '')), { keep: [''], drop: [] })
})

test('what is clicked while choices are applied is still to be applied', () => {
  const sent: Choices = new Map([
    ['a', 'kept'],
    ['z', 'dropped'],
  ])
  assert.deepEqual([...withoutApplied(sent, sent)], [])
  const clicked: Choices = new Map([...sent, ['z', 'kept'], ['new', 'dropped']])
  assert.deepEqual(
    [...withoutApplied(clicked, sent)],
    [
      ['z', 'kept'],
      ['new', 'dropped'],
    ],
  )
})
