/** S-01, S-02, S-07: whole devices on simulated platforms; all invariants hold for every seed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { casesOf, effort, reportRow } from '../support/effort.ts'
import { runSeed } from './run-seed.ts'
import { Reached, SOMETIMES } from './sometimes.ts'

const SEEDS = effort(20, 40)
/** As many are run where the first ones miss situations. */
const SEEDS_MAX = effort(160)
/** One test each, far below the test timeout. */
const PARTS = 8
/** Run once more, to compare. */
const SAMPLE = [3, 17, 58, 101].slice(0, casesOf(2, 4))

/**
 * Seeds that once violated an invariant, and do so again without the fix. 2691, 2990: in a chain, a device whose disk
 * rounds times to two seconds sent the rounded time, and others chose another winner. 25680, 27019, 29286: a symlink
 * under a temporary name stayed after a crash. 22249: so did one that was moved aside for removal. 22298, 22942, 23782:
 * a user removed an item that a device had created and not recorded before a power loss; the invariant was too strict.
 * 26906: so was that of false deletions, for a file that the device replaced by a directory at that moment. 40023: a
 * directory that was created for a pulled file was lost with the power, and its loss was announced as a deletion.
 */
const REGRESSIONS = [2_691, 2_990, 22_249, 22_298, 22_942, 23_782, 25_680, 26_906, 27_019, 29_286, 40_023] as const

/**
 * The same for lost and restored indexes: without an ID of its own for every index, edits were lost or devices differed
 * for good. 780146: a new ID was not announced on the open connection, and a part of the index was never sent.
 * 5000619: a temporary file of a restored folder seemed younger after the clock was set back; the check was too strict.
 * 6000006: a cluster config sent before another was received after it, over a connection that then ended; both were
 * forgotten, and the index was never sent. 9000475: a receive-only deletion was dropped from the index before another
 * device had got it, which requested the item for ever. 9001274, 9001484: a file was deleted while other devices wrote
 * a version of it above an older deletion, and reappeared.
 */
const STATE_REGRESSIONS = [
  700_478, 780_146, 790_107, 790_130, 790_162, 790_197, 5_000_619, 6_000_006, 9_000_475, 9_001_274, 9_001_484,
] as const

const reached = new Reached()
let runs = 0
let actions = 0
const digests = new Map<number, string>()

async function runOne(seed: number): Promise<void> {
  const run = await runSeed(seed)
  assert.equal(run.failure?.message, undefined, `seed ${seed}; replay: npm run sim -- --seed ${seed}`)
  reached.merge(run.reached)
  runs++
  actions += run.actions
  digests.set(seed, run.digest)
}

/** The seeds of one part: every eighth, from its own start. */
function seedsOf(part: number): readonly number[] {
  return Array.from({ length: Math.ceil((SEEDS - part) / PARTS) }, (_, i) => part + 1 + i * PARTS)
}

for (let part = 0; part < PARTS; part++) {
  test(`simulated devices converge and lose no edit, part ${part + 1} of ${PARTS}`, async () => {
    for (const seed of seedsOf(part)) await runOne(seed)
  })
}

test('seeds that once violated an invariant pass', async () => {
  for (const seed of REGRESSIONS) {
    assert.equal(
      (await runSeed(seed, { stateFaults: false })).failure?.message,
      undefined,
      `seed ${seed}; replay: npm run sim -- --seed ${seed}`,
    )
  }
})

test('seeds that once lost edits with an index pass', async () => {
  for (const seed of STATE_REGRESSIONS) await runOne(seed)
})

test('the same seed produces the same run', async () => {
  let mismatches = 0
  for (const seed of SAMPLE) {
    const first = digests.get(seed) ?? (await runSeed(seed)).digest
    if ((await runSeed(seed)).digest !== first) mismatches++
  }
  reportRow({ id: 'S-02', tried: SAMPLE.length, mismatches })
  assert.equal(mismatches, 0)
})

test('the runs reach all listed situations', async () => {
  for (let seed = SEEDS + 1; seed <= SEEDS_MAX && reached.missing.length > 1; seed++) await runOne(seed)
  reportRow({ id: 'S-01', tried: runs, actions })
  reportRow({ id: 'S-07', tried: SOMETIMES.length, reachedPercent: reached.percent, missing: reached.missing })
  // A change of the code changes the runs of all seeds: 160 of them may miss the rarest situation (3 in 200 on
  // average), but hardly the next one (8 in 200) as well.
  assert.ok(reached.missing.length <= 1, `not reached: ${reached.missing.join(', ')}`)
})
