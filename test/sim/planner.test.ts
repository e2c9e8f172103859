/** S-03: the pure decisions alone, in random order: they terminate, converge and lose no edit. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { PlannerCase } from './planner.ts'

/** Seeds that once lost an edit: a clock set back, and a counter reused that another device had seen. */
const REGRESSIONS = [986_784]

test('devices of programs with different rules for deletions agree in the end', () => {
  const cases = effort(10_000)
  let overruled = 0
  for (let seed = 1; seed <= cases; seed++) {
    const planner = new PlannerCase(seed, { mixed: true })
    assert.doesNotThrow(() => planner.run(), `seed ${seed}; replay: npm run sim -- --mode fleets --seed ${seed}`)
    overruled += planner.overruled
  }
  reportRow({ id: 'S-03', tried: cases, overruled })
  assert.ok(overruled > 0, 'the rules never disagreed')
})

test('the planner terminates, converges and loses no edit in any order', () => {
  const cases = effort(10_000)
  let conflicts = 0
  let roundsMost = 0
  const seeds = [...REGRESSIONS, ...Array.from({ length: cases }, (_, i) => i + 1)]
  for (const seed of seeds) {
    const planner = new PlannerCase(seed)
    assert.doesNotThrow(() => planner.run(), `seed ${seed}; replay: npm run sim -- --mode planner --seed ${seed}`)
    conflicts += planner.conflicts
    roundsMost = Math.max(roundsMost, planner.rounds)
  }
  reportRow({ id: 'S-03', tried: seeds.length, conflicts, roundsMost })
  assert.ok(conflicts > 0, 'no case had a conflict')
})
