import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { converged, startPair, type DevicePair } from '../support/device-pair.ts'
import { casesOf, reportRow } from '../support/effort.ts'
import { scratchDirectory } from '../support/scratch.ts'

const HEAP_MIB = 96
const FILES_PER_DIRECTORY = 1_000
const STARTS_MAX = 5

/** True when both are equal; false when the device with the small heap has ended. */
async function isConverged(pair: DevicePair): Promise<boolean> {
  try {
    await converged(pair, 600_000)
    return true
  } catch (error) {
    if (pair.b.isRunning) throw error
    return false
  }
}

test('C-18: with a small heap a device pulls everything, or ends with the reason and resumes', async () => {
  using directory = scratchDirectory()
  await using pair = await startPair(directory.path, { b: { nodeArgs: [`--max-old-space-size=${HEAP_MIB}`] } })
  const { a, b } = pair
  const paths = Array.from({ length: casesOf(3_000, 50_000) }, (_, i) => {
    return join(`d${Math.floor(i / FILES_PER_DIRECTORY)}`, `file-${i}`)
  })
  for (const [i, path] of paths.entries()) {
    if (i % FILES_PER_DIRECTORY === 0) mkdirSync(join(a.root, path, '..'))
    writeFileSync(join(a.root, path), `content of ${path}`)
  }
  await a.scan()
  let ends = 0
  while (!(await isConverged(pair))) {
    assert.match(b.daemon.output, /heap|memory/i, 'it ends with the reason')
    assert.ok(++ends < STARTS_MAX, 'it makes no progress')
    await b.startAgain()
  }
  const torn = paths.filter((path) => readFileSync(join(b.root, path), 'utf8') !== `content of ${path}`)
  reportRow({ id: 'C-18', tried: paths.length, heapMiB: HEAP_MIB, ends, torn: torn.length, peakRssMiB: b.peakRssMib() })
  assert.deepEqual(torn, [])
})
