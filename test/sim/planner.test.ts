/** S-03: the pure decisions alone, shuffled: they end, they agree, and no edit is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { PlannerCase } from './planner.ts'

/** Lives that once cost an edit: a clock set back, and a count used again that another device had seen. */
const REMEMBERED = [986_784]

test('the planner ends, agrees and loses nothing, whatever the order', () => {
  const cases = effort(20_000)
  let conflicts = 0
  let roundsMost = 0
  const seeds = [...REMEMBERED, ...Array.from({ length: cases }, (_, i) => i + 1)]
  for (const seed of seeds) {
    const planner = new PlannerCase(seed)
    assert.doesNotThrow(
      () => planner.run(),
      `seed ${seed}; to see what happened: npm run sim -- --mode planner --seed ${seed}`,
    )
    conflicts += planner.conflicts
    roundsMost = Math.max(roundsMost, planner.rounds)
  }
  reportRow({ id: 'S-03', tried: seeds.length, failures: 0, conflicts, roundsMost })
  assert.ok(conflicts > 0, 'no case had a conflict')
})
