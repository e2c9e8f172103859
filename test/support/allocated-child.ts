/** Prints how many KiB each kind of work allocates per file; `file-costs.ts` starts it with the flags that it needs. */
import assert from 'node:assert/strict'
import { GCProfiler } from 'node:v8'
import { costsPerFile } from './file-costs.ts'

const BYTES_PER_KIB = 1_024

async function allocated(work: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
  assert.ok(globalThis.gc)
  globalThis.gc()
  const profiler = new GCProfiler()
  profiler.start()
  const before = process.memoryUsage()
  await work()
  const after = process.memoryUsage()
  const kinds = profiler.stop()?.statistics.map(({ gcType }) => gcType)
  assert.deepEqual(kinds, [], 'garbage was collected: what it held is not counted')
  return new Map([
    ['heap KiB allocated', (after.heapUsed - before.heapUsed) / BYTES_PER_KIB],
    ['buffer KiB allocated', (after.arrayBuffers - before.arrayBuffers) / BYTES_PER_KIB],
  ])
}

process.stdout.write(JSON.stringify(await costsPerFile(allocated)))
