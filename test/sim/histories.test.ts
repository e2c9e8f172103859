/** S-04: reads and writes of users on simulated devices, explained by a model without version vectors. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { runHistories } from './histories.ts'

const SEEDS = effort(8, 16)

test('S-04: every read is explained, no value is lost, and devices converge', async () => {
  let histories = 0
  let reads = 0
  const unexplained: string[] = []
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = await runHistories(seed)
    histories += run.histories
    reads += run.reads
    unexplained.push(...run.unexplained.map((line) => `seed ${seed}: ${line}`))
  }
  reportRow({ id: 'S-04', part: 'simulated devices', tried: histories, reads, unexplained: unexplained.length })
  assert.deepEqual(unexplained, [])
})
