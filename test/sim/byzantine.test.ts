/** A device that announces forged versions cannot keep honest devices from syncing, nor hide that they differ. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effort } from '../support/effort.ts'
import { runSeed } from './run-seed.ts'

const SEEDS = effort(3, 6)

test('honest devices converge and can edit every file, whatever versions a fourth device announces', async () => {
  let forged = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = await runSeed(seed, { workload: 'byzantine' })
    assert.equal(run.failure?.message, undefined, `replay: npm run sim -- --mode byzantine --seed ${seed}`)
    forged += run.forged
  }
  assert.ok(forged > SEEDS, `${forged} forged versions in ${SEEDS} runs`)
})
