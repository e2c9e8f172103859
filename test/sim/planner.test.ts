/** S-03: the pure decisions alone, shuffled: they end, they agree, and no edit is lost. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { PlannerCase } from './planner.ts'

test('the planner ends, agrees and loses nothing, whatever the order', () => {
  const cases = effort(20_000)
  let conflicts = 0
  let roundsMost = 0
  for (let seed = 1; seed <= cases; seed++) {
    const planner = new PlannerCase(seed)
    assert.doesNotThrow(() => planner.run(), `seed ${seed}; to see what happened: npm run sim -- --mode planner --seed ${seed}`)
    conflicts += planner.conflicts
    roundsMost = Math.max(roundsMost, planner.rounds)
  }
  reportRow({ id: 'S-03', tried: cases, failures: 0, conflicts, roundsMost })
  assert.ok(conflicts > 0, 'no case had a conflict')
})
