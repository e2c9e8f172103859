/** Devices that decide between a file and a deletion as Syncthing 1.x, as 2.x and as Twinfold do. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effort } from '../support/effort.ts'
import { runSeed } from './run-seed.ts'

const SEEDS = effort(6)

test('devices of several programs converge and lose no edit, whichever of them deletes later', async () => {
  let overruled = 0
  const print = (line: string): void => void (overruled += / is kept: \S+ deleted it later/.test(line) ? 1 : 0)
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { failure } = await runSeed(seed, { workload: 'programs', print })
    assert.equal(failure?.message, undefined, `replay: npm run sim -- --mode programs --seed ${seed}`)
  }
  assert.ok(overruled > 0, 'no two programs disagreed in any run')
})
