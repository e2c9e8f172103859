/** C-12: files, directories and symlinks that become each other, and trees that move, on five devices at once. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { runSeed } from './cluster.ts'

/** One test each, so that none of them comes near the time a test may take. */
const PARTS = 2
const SEEDS_OF_A_PART = effort(20)

for (let part = 0; part < PARTS; part++) {
  test(`five devices agree on what is a file, a directory or a symlink, part ${part + 1} of ${PARTS}`, async () => {
    let deeds = 0
    for (let seed = part * SEEDS_OF_A_PART + 1; seed <= (part + 1) * SEEDS_OF_A_PART; seed++) {
      const life = await runSeed(seed, { taste: 'shapes' })
      const replay = `npm run sim -- --mode shapes --seed ${seed}`
      assert.equal(life.failure?.message, undefined, `seed ${seed}; to see what happened: ${replay}`)
      deeds += life.deeds
    }
    reportRow({ id: 'C-12', tried: SEEDS_OF_A_PART, devices: 5, deeds, divergences: 0 })
  })
}
