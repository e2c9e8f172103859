/** B-21: two devices converge through one that stores encrypted data, and nothing plain is ever on its disk. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { runSeed } from './run-seed.ts'

const SEEDS = effort(20)

test('B-21: an untrusted device between two others stores nothing plain, and loses nothing', async () => {
  let files = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = await runSeed(seed, { workload: 'untrusted' })
    assert.equal(run.failure?.message, undefined, `replay: npm run sim -- --mode untrusted --seed ${seed}`)
    files += run.hidden
  }
  assert.ok(files > SEEDS, `${files} encrypted files in ${SEEDS} runs`)
  reportRow({ id: 'B-21', tried: SEEDS, encryptedFiles: files, plain: 0 })
})
