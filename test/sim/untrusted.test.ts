/** B-21: two devices and one that stores encrypted data: nothing plain ever reaches it, and it can destroy nothing. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { runSeed } from './run-seed.ts'

const SEEDS = effort(5, 10)

test('B-21: an untrusted device between two others gets and stores nothing plain, and loses nothing', async () => {
  let [files, wireBytes] = [0, 0]
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { failure, hidden } = await runSeed(seed, { workload: 'untrusted' })
    assert.equal(failure?.message, undefined, `replay: npm run sim -- --mode untrusted --seed ${seed}`)
    files += hidden.files
    wireBytes += hidden.wireBytes
  }
  assert.ok(files > SEEDS, `${files} encrypted files in ${SEEDS} runs`)
  assert.ok(wireBytes > SEEDS * 100_000, `${wireBytes} bytes sent and received`)
  reportRow({ id: 'B-21', tried: SEEDS, encryptedFiles: files, wireBytes })
})

test('B-21: an untrusted device that repeats, withholds and changes data destroys nothing', async () => {
  let tampered = 0
  for (let seed = 1; seed <= SEEDS; seed++) {
    const { failure, forged } = await runSeed(seed, { workload: 'deceptive' })
    assert.equal(failure?.message, undefined, `replay: npm run sim -- --mode deceptive --seed ${seed}`)
    tampered += forged
  }
  assert.ok(tampered > SEEDS, `${tampered} records and blocks in ${SEEDS} runs`)
  reportRow({ id: 'B-21', part: 'byzantine', tried: SEEDS, tampered })
})
