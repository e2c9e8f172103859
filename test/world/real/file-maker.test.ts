import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { FileOrder } from '../../../src/world/file-maker.ts'
import { DiskThreads } from '../../../src/world/real/disk-threads.ts'
import { RealFileMaker } from '../../../src/world/real/file-maker.ts'

const CRASHING = new URL('./crashing-make-worker.ts', import.meta.url)

function orderIn(directory: string, name: string): FileOrder {
  return {
    temporaryPath: `${directory}/.syncthing.${name}.tmp`, path: `${directory}/${name}`, realDirectory: directory,
    data: Buffer.from(name), openMode: 0o644, mode: undefined, modifiedS: 1, modifiedNs: 0, replaces: undefined, sync: false,
  }
}

test('a thread that dies tells of every file it had, and the next files get a new one', async () => {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'twinfold-maker-')))
  await using threads = new DiskThreads({ threads: 1, entry: CRASHING })
  const maker = new RealFileMaker({ isStarted: true, make: (orders) => threads.make(orders) })
  try {
    const lost = await Promise.all(['crash', 'b', 'c'].map((name) => maker.make(orderIn(directory, name))))
    assert.deepEqual(lost.map((outcome) => outcome.kind === 'failed' && outcome.code), ['EIO', 'EIO', 'EIO'])
    assert.equal((await maker.make(orderIn(directory, 'd'))).kind, 'made')
    assert.equal(readFileSync(`${directory}/d`, 'utf8'), 'd')
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test('when the threads are closed nobody waits for ever', async () => {
  const threads = new DiskThreads({ threads: 1 })
  const maker = new RealFileMaker({ isStarted: true, make: (orders) => threads.make(orders) })
  await threads[Symbol.asyncDispose]()
  const outcome = await maker.make(orderIn('/nowhere', 'f'))
  assert.equal(outcome.kind === 'failed' && outcome.code, 'EIO')
})
