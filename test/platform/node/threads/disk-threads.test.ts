import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { DiskThreads } from '../../../../src/platform/node/threads/disk-threads.ts'
import { createNodeWalker } from '../../../../src/platform/node/walk.ts'
import { eventually, scratchDirectory } from '../../../support/scratch.ts'

test('disk threads: they end when idle, which is reported each time', async () => {
  using scratch = scratchDirectory()
  writeFileSync(join(scratch.path, 'file'), 'x')
  let ended = 0
  await using threads = new DiskThreads({ threads: 2, idleMs: 50, onEnded: () => ended++ })
  const walker = createNodeWalker(threads)
  for (const expected of [1, 2]) {
    const names: string[] = []
    const request = { root: scratch.path, subs: [''], ignoreLines: undefined }
    for await (const { items } of walker.walk(request, new AbortController().signal))
      names.push(...items.map(({ name }) => name))
    assert.deepEqual(names, ['file'])
    await eventually('the end of the threads', () => ended === expected || undefined)
    assert.equal(threads.isStarted, false)
  }
})
