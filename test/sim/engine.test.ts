/** S-01, S-02, S-07: whole devices in simulated worlds; every law holds for every seed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { runSeed } from './cluster.ts'
import { Reached, SOMETIMES } from './sometimes.ts'

const SEEDS = effort(200)
/** One test each, so that none of them comes near the time a test may take. */
const PARTS = 8
const SAMPLE = [3, 17, 58, 101] as const

/**
 * Lives that once broke a law, and show the same again without what mended it. 2691, 2990: in a chain a disk that keeps
 * times two seconds apart passed its own on, and others found another winner. 25680, 27019, 29286: a symlink that was
 * made under a temporary name outlived a crash for ever. 22249: so did one that was put aside to be removed. 22298,
 * 22942, 23782: somebody removed what a device had put on its disk and lost power before it recorded it; the law asked
 * too much. 26906: so did the one of false deletions, of a file in whose place the device made a directory just then.
 * 40023: a directory that was made on the way to a pulled file was lost with the power, and its loss told as a deletion.
 */
const REGRESSIONS = [2_691, 2_990, 22_249, 22_298, 22_942, 23_782, 25_680, 26_906, 27_019, 29_286, 40_023] as const

const reached = new Reached()
let lives = 0
let deeds = 0

/** The seeds of one part: every eighth, from its own start. */
function seedsOf(part: number): readonly number[] {
  return Array.from({ length: Math.ceil((SEEDS - part) / PARTS) }, (_, i) => part + 1 + i * PARTS)
}

for (let part = 0; part < PARTS; part++) {
  test(`simulated devices agree and lose nothing, part ${part + 1} of ${PARTS}`, async () => {
    for (const seed of seedsOf(part)) {
      const life = await runSeed(seed)
      assert.equal(
        life.failure?.message,
        undefined,
        `seed ${seed}; to see what happened: npm run sim -- --seed ${seed}`,
      )
      reached.merge(life.reached)
      lives++
      deeds += life.deeds
    }
  })
}

test('lives that once broke a law', async () => {
  for (const seed of REGRESSIONS) {
    assert.equal(
      (await runSeed(seed)).failure?.message,
      undefined,
      `seed ${seed}; to see what happened: npm run sim -- --seed ${seed}`,
    )
  }
})

test('the same seed lives the same life', async () => {
  let mismatches = 0
  for (const seed of SAMPLE) {
    const [first, second] = [await runSeed(seed), await runSeed(seed)]
    if (first.digest !== second.digest) mismatches++
  }
  reportRow({ id: 'S-02', tried: SAMPLE.length, mismatches })
  assert.equal(mismatches, 0)
})

test('the lives came across everything they should', () => {
  reportRow({ id: 'S-01', tried: lives, deeds, divergences: 0 })
  reportRow({ id: 'S-07', tried: SOMETIMES.length, reachedPercent: reached.percent, missing: reached.missing })
  // The same code lives the same lives: all are reached. A change of the code makes other lives of all seeds, in which
  // 200 may miss the rarest place (3 in 200 on average) but not the next one (8 in 200) as well.
  assert.ok(reached.missing.length <= 1, `not reached: ${reached.missing.join(', ')}`)
})
