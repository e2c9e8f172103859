import assert from 'node:assert/strict'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { packTask } from '../../../../src/platform/node/threads/hash-task.ts'
import { createNodeHasher } from '../../../../src/platform/node/threads/hash.ts'
import { DiskThreads } from '../../../../src/platform/node/threads/disk-threads.ts'
import { createNodeWalker } from '../../../../src/platform/node/walk.ts'
import { eventually, scratchDirectory } from '../../../support/scratch.ts'

test('disk threads: they end when idle, which is reported each time', async () => {
  using scratch = scratchDirectory()
  writeFileSync(join(scratch.path, 'file'), 'x')
  let ended = 0
  let reports = 0
  const onReport = () => reports++
  await using threads = new DiskThreads({ threads: 2, idleMs: 50, onReport, onEnded: () => ended++ })
  const walker = createNodeWalker(threads)
  for (const expected of [1, 2]) {
    const names: string[] = []
    const request = { root: scratch.path, subs: [''], ignoreLines: undefined }
    for await (const { items } of walker.walk(request, new AbortController().signal))
      names.push(...items.map(({ name }) => name))
    assert.deepEqual(names, ['file'])
    assert.ok(reports >= expected, `${reports} reports of work`)
    await eventually('the end of the threads', () => ended === expected || undefined)
    assert.equal(threads.isStarted, false)
  }
})

test('disk threads: a second one for many bytes, not for many small files', async () => {
  using scratch = scratchDirectory()
  const countFor = async (files: number, sizeBytes: number): Promise<number> => {
    await using threads = new DiskThreads({ threads: 2 })
    const hasher = createNodeHasher(threads)
    let most = 0
    const jobs = Array.from({ length: files }, (_, at) => {
      const path = join(scratch.path, `${sizeBytes}-${at}`)
      writeFileSync(path, Buffer.alloc(sizeBytes))
      const { mtimeMs } = statSync(path)
      return { path, sizeBytes, modifiedS: Math.floor(mtimeMs / 1_000), modifiedNs: 0, blockSizeBytes: 131_072 }
    })
    const onBytes = () => void (most = Math.max(most, threads.startedCount))
    await hasher.hash(jobs, onBytes, new AbortController().signal)
    return most
  }
  assert.equal(await countFor(600, 100), 1)
  assert.equal(await countFor(6, 3_000_000), 2)
})

const SLOW = new URL(`data:text/javascript,
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ id }) => setTimeout(() => parentPort.postMessage({ kind: 'hash', id }), 150))`)

test('disk threads: a second one beside one that waits for the disk', async () => {
  await using threads = new DiskThreads({ threads: 2, entry: SLOW })
  const hash = () => threads.hash((id) => packTask(id, []), 1, new AbortController().signal)
  await Promise.all([hash(), hash()])
  assert.equal(threads.startedCount, 1, 'nothing is known about the disk yet')
  await hash()
  await Promise.all([hash(), hash()])
  assert.equal(threads.startedCount, 2)
})
