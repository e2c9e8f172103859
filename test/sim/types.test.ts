/** C-12: items that change their type, and trees that move, on five devices. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { runSeed } from './run-seed.ts'

/** One test each, far below the test timeout. */
const PARTS = 2
const SEEDS_OF_A_PART = effort(3, 6)

for (let part = 0; part < PARTS; part++) {
  test(`five devices converge on files, directories and symlinks, part ${part + 1} of ${PARTS}`, async () => {
    let actions = 0
    for (let seed = part * SEEDS_OF_A_PART + 1; seed <= (part + 1) * SEEDS_OF_A_PART; seed++) {
      const run = await runSeed(seed, { workload: 'types' })
      const replay = `npm run sim -- --mode types --seed ${seed}`
      assert.equal(run.failure?.message, undefined, `seed ${seed}; replay: ${replay}`)
      actions += run.actions
    }
    reportRow({ id: 'C-12', tried: SEEDS_OF_A_PART, devices: 5, actions })
  })
}
