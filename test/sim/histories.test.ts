/** S-04: what people read and write on simulated devices, explained by a model that knows nothing of version vectors. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { liveHistories } from './histories.ts'

const LIVES = effort(24)

test('S-04: every read is explained, no value is lost, and devices at rest agree', async () => {
  let histories = 0
  let reads = 0
  const unexplained: string[] = []
  for (let seed = 1; seed <= LIVES; seed++) {
    const life = await liveHistories(seed)
    histories += life.histories
    reads += life.reads
    unexplained.push(...life.unexplained.map((line) => `seed ${seed}: ${line}`))
  }
  reportRow({ id: 'S-04', part: 'simulated devices', tried: histories, reads, unexplained: unexplained.length })
  assert.deepEqual(unexplained, [])
})
