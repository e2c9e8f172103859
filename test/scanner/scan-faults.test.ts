import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { compareNames } from '../../src/core/paths.ts'
import type { Hasher } from '../../src/platform/hasher.ts'
import type { Walker } from '../../src/platform/walk.ts'
import { reportRow } from '../support/effort.ts'
import { ERROR_CODES } from '../support/error-codes.ts'
import { SimFolder } from './sim-folder.ts'

test('scan: nothing below an unreadable directory is recorded as deleted', async () => {
  for (const code of ['EACCES', 'EIO', 'ESTALE', 'EMFILE', 'ENFILE', 'ELOOP', 'ENAMETOOLONG', 'EBUSY']) {
    const folder = new SimFolder()
    folder.put('d/x')
    folder.put('d/e/y')
    await folder.scan()
    folder.disk.fail({ call: 'list', code, under: '/f/d' })
    const result = await folder.scan()
    assert.equal(result.changed, 0, code)
    assert.deepEqual(
      result.problems.map((problem) => problem.path),
      ['d'],
    )
    assert.match(result.problems[0]!.error, /^scan: /)
  }
})

test('scan: hashing ends when the scan fails', async () => {
  const folder = new SimFolder()
  for (let file = 0; file < 200; file++) folder.put(`f${file}`) // more than one group of the hash queue
  const { walker } = folder.deps
  const hashing = Promise.withResolvers<AbortSignal>()
  const hasher: Hasher = { hash: (_jobs, _onBytes, signal) => (hashing.resolve(signal), new Promise(() => {})) }
  const failing: Walker = {
    findFile: () => undefined,
    async *walk(request, signal) {
      yield* walker.walk(request, signal)
      throw new Error('the disk is gone')
    },
  }
  Object.assign(folder.deps, { hasher, walker: failing })
  await assert.rejects(folder.scan(), /the disk is gone/)
  assert.equal((await hashing.promise).aborted, true)
})

test('C-07: a disk error at any call loses no record and is reported with its item', async () => {
  let tried = 0
  let survived = 0
  let falseDeletes = 0
  let silent = 0
  for (const code of ERROR_CODES) {
    for (const call of ['stat', 'list', 'read', 'readlink'] as const) {
      for (let nth = 1; nth <= 8; nth++) {
        const folder = new SimFolder()
        for (const name of ['a', 'b/c', 'b/d/e', 'f']) folder.put(name)
        await folder.disk.makeSymlink('x', '/f/s')
        await folder.scan()
        const known = folder.index.live
        for (const name of ['a', 'b/d/e', 'new']) folder.put(name, `${name} has changed`)
        const complete = [...known, 'new'].sort(compareNames)
        folder.disk.fail({ call, code, nth })
        tried++
        const problems = await folder.scan().then(
          (result) => result.problems.length,
          (error: Error & { code?: string }) => {
            assert.equal(error.code, code) // only the root may end a scan
            return 1
          },
        )
        falseDeletes += known.filter((name) => !folder.index.live.includes(name)).length
        const done =
          folder.index.live.join() === complete.join() &&
          ['a', 'b/d/e'].every((name) => folder.index.records.get(name)?.sizeBytes === `${name} has changed`.length)
        if (!done && problems === 0) silent++
        folder.disk.faults.clear()
        const second = await folder.scan()
        if (second.problems.length === 0 && folder.index.live.join() === complete.join()) survived++
      }
    }
  }
  reportRow({ id: 'C-07', part: 'scan', tried, survived, falseDeletes, silent })
  assert.deepEqual({ survived, falseDeletes, silent }, { survived: tried, falseDeletes: 0, silent: 0 })
})

test('C-03: a power loss at any call of a scan leaves an index that the next scan completes', async () => {
  let states = 0
  let crashes = 0
  const bad: string[] = []
  for (let nth = 1; ; nth++) {
    const folder = new SimFolder()
    for (const name of ['a', 'b/c', 'd']) folder.put(name)
    await folder.scan()
    await folder.disk.rename('/f/a', '/f/e')
    folder.put('b/c', 'longer than before')
    folder.disk.syncAll()
    folder.disk.faults.powerOffAt(nth)
    const ended = await folder.scan().then(
      (result) => result.problems.length === 0,
      () => false,
    )
    const crashed = !folder.disk.faults.powered
    if (crashed) crashes++
    folder.disk.crash('everything')
    await folder.scan()
    if (folder.index.live.join() !== 'b,b/c,d,e') bad.push(`power lost at call ${nth}: ${folder.index.live}`)
    states++
    if (ended && !crashed) break
  }
  reportRow({ id: 'C-03', part: 'scan', tried: states, crashes, badStates: bad.length })
  assert.deepEqual(bad, [])
  assert.ok(crashes > 5, 'the power was lost in the middle of scans')
})

const CONTENT_MIN = 400_000
const CHANGES: Readonly<Record<string, (folder: SimFolder, path: string) => void>> = {
  content: (folder, path) => folder.disk.put(path, 'm'.repeat(CONTENT_MIN)),
  grow: (folder, path) => folder.disk.put(path, 'n'.repeat(CONTENT_MIN + 100_000)),
  shrink: (folder, path) => folder.disk.put(path, 'n'),
  remove: (folder, path) => folder.disk.direct.remove(path),
  'replace by a directory': (folder, path) => {
    folder.disk.direct.remove(path)
    folder.disk.put(`${path}/inside`, 'x')
  },
}

test('C-11: a file that changes while it is hashed keeps its record', async () => {
  let tried = 0
  const mixed: string[] = []
  for (const [change, make] of Object.entries(CHANGES)) {
    const folder = new SimFolder()
    folder.put('x', 'old content')
    await folder.scan()
    const old = folder.index.records.get('x')!
    folder.put('x', 'n'.repeat(CONTENT_MIN))
    const read = folder.disk.sync.read
    let reads = 0
    folder.disk.sync.read = (path, into, position) => {
      if (++reads === 2) {
        folder.clock.jumpWall(1)
        make(folder, path)
      }
      return read(path, into, position)
    }
    const result = await folder.scan()
    tried++
    assert.ok(reads >= 2, `${change}: came in the middle of reading`)
    // A record with other hashes than those of one of its contents would be a mixture.
    if (!isDeepStrictEqual(folder.index.records.get('x'), old)) mixed.push(change)
    if (change !== 'remove') assert.equal(result.problems[0]?.path, 'x', change)
  }
  reportRow({ id: 'C-11', part: 'scan', tried, mixedContentFiles: mixed.length })
  assert.deepEqual(mixed, [])
})

test('scan: an unhealthy folder stores nothing, and the scan rejects with the reason', async () => {
  const folder = new SimFolder()
  folder.put('a')
  await folder.scan()
  await folder.disk.removeFile('/f/a')
  folder.deps.checkHealth = async () => {
    throw new Error('folder marker missing')
  }
  await assert.rejects(folder.scan(), /folder marker missing/)
  assert.deepEqual(folder.index.live, ['a'])
})

test('scan: a folder that becomes unhealthy during the scan loses no record', async () => {
  const folder = new SimFolder()
  for (const name of ['a', 'b']) folder.put(name)
  await folder.scan()
  await folder.disk.removeFile('/f/a')
  let checks = 0
  folder.deps.checkHealth = async () => {
    if (++checks > 1) throw new Error('folder path missing')
  }
  await assert.rejects(folder.scan(), /folder path missing/)
  assert.deepEqual(folder.index.live, ['a', 'b'])
})
