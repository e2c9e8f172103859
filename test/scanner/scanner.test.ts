import assert from 'node:assert/strict'
import { scanScope } from '../../src/core/paths.ts'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { compareVersions } from '../../src/core/records/version-vector.ts'
import { effort } from '../support/effort.ts'
import { SimFolder } from './sim-folder.ts'

test('scan: a new tree is indexed, a second scan changes nothing', async () => {
  const folder = new SimFolder()
  for (const name of ['a', 'a-b', 'a.d/x', 'b/c/d', 'empty']) folder.put(name, name === 'empty' ? '' : name)
  await folder.disk.makeSymlink('nowhere', '/f/link')
  const first = await folder.scan()
  assert.deepEqual(first.problems, [])
  assert.deepEqual(folder.index.live, ['a', 'a-b', 'a.d', 'a.d/x', 'b', 'b/c', 'b/c/d', 'empty', 'link'])
  assert.equal(folder.index.records.get('empty')?.blockHashes?.length, 32)
  assert.equal(folder.index.records.get('link')?.symlinkTarget, 'nowhere')
  assert.equal((await folder.scan()).changed, 0)
})

test('scan: a missing item becomes a deletion with the current time and the old nanoseconds', async () => {
  const folder = new SimFolder()
  folder.put('d/gone')
  await folder.scan()
  const before = folder.index.records.get('d/gone')!
  await folder.disk.removeFile('/f/d/gone')
  assert.equal((await folder.scan()).changed, 1)
  const after = folder.index.records.get('d/gone')!
  assert.equal(after.deleted, true)
  assert.equal(after.sizeBytes, 0)
  assert.equal(after.blockHashes, undefined)
  assert.equal(after.modifiedNs, before.modifiedNs)
  assert.equal(compareVersions(after.version, before.version), 'newer')
})

test('scan: a moved file and its deletion are in one batch', async () => {
  const folder = new SimFolder()
  folder.put('z/old', 'content of its own')
  folder.put('other')
  await folder.scan()
  folder.index.batches.length = 0
  await folder.disk.rename('/f/z/old', '/f/a-new')
  await folder.scan()
  assert.deepEqual(
    folder.index.batches.map((batch) => batch.map(({ name, deleted }) => [name, deleted])),
    [
      [
        ['a-new', false],
        ['z/old', true],
      ],
    ],
  )
})

test('scan: no more files are hashed at once than the folder allows', async () => {
  for (const [hashers, expected] of [
    [1, { tasksMax: 1 }],
    [3, { tasksMax: 3 }],
    [0, {}],
  ] as const) {
    const folder = new SimFolder()
    for (let i = 0; i < 2_000; i++) folder.put(`f${i}`)
    const { hasher } = folder.deps
    let running = 0
    let most = 0
    const bounded = {
      ...folder.deps,
      hasher: {
        hash: async (...[jobs, onBytes, signal, options]: Parameters<typeof hasher.hash>) => {
          assert.deepEqual(options, expected)
          most = Math.max(most, ++running)
          const results = await hasher.hash(jobs, onBytes, signal)
          running--
          return results
        },
      },
    }
    Object.assign(folder.deps, bounded)
    await folder.scan({ hashers })
    assert.equal(folder.index.live.length, 2_000)
    if (hashers > 0) assert.equal(most, 1)
    else assert.ok(most > 1)
  }
})

test('scan: a sub indexes itself and its parents, not its siblings', async () => {
  const folder = new SimFolder()
  for (const name of ['n1/n2/n3/f', 'n1/n2/other', 'n1/sibling', 'top']) folder.put(name)
  await folder.scan({ subs: ['n1/n2/n3'] })
  assert.deepEqual(folder.index.live, ['n1', 'n1/n2', 'n1/n2/n3', 'n1/n2/n3/f'])
})

test('scan: a missing sub records itself and its contents as deleted, nothing else', async () => {
  const folder = new SimFolder()
  for (const name of ['a/b/c', 'a/b-c', 'a/d', 'x']) folder.put(name)
  await folder.scan()
  for (const name of ['a/b/c', 'a/b-c', 'x']) await folder.disk.removeFile(`/f/${name}`)
  await folder.disk.removeDirectory('/f/a/b')
  await folder.scan({ subs: ['a/b'] })
  assert.deepEqual(folder.index.live, ['a', 'a/b-c', 'a/d', 'x'])
})

test('scan: items below a directory that became a symlink or a file are recorded as deleted', async () => {
  for (const kind of ['symlink', 'file']) {
    for (const subs of [[''], ['d'], ['d/x']]) {
      const folder = new SimFolder()
      for (const name of ['d/x', 'elsewhere/x']) folder.put(name)
      await folder.scan()
      await folder.disk.removeFile('/f/d/x')
      await folder.disk.removeDirectory('/f/d')
      if (kind === 'file') folder.put('d')
      else await folder.disk.makeSymlink('elsewhere', '/f/d')
      await folder.scan({ subs: scanScope(subs) })
      assert.equal(folder.index.records.get('d/x')?.deleted, true, `${kind} ${subs}`)
      assert.equal(folder.index.records.get('elsewhere/x')?.deleted, false)
    }
  }
})

test('scan: progress ends one byte below the total', async () => {
  const folder = new SimFolder()
  folder.put('x', 'y'.repeat(23))
  await folder.scan({ progressIntervalMs: 2_000 })
  assert.deepEqual(
    folder.progress.map((one) => ({ ...one, rate: 0 })),
    [{ currentBytes: 23, totalBytes: 24, counted: true, rate: 0 }],
  )
})

test('scan: an abort rejects with the given reason', async () => {
  const folder = new SimFolder()
  for (let i = 0; i < 50; i++) folder.put(`d/${i}`)
  const stop = new AbortController()
  const reason = new Error('paused')
  folder.deps.onBatch = () => stop.abort(reason)
  folder.deps.index.page = async () => {
    stop.abort(reason)
    return []
  }
  await assert.rejects(folder.scan({}, stop.signal), (error) => error === reason)
})

type Tree = Record<string, string>

test('scan: after two states of a tree the index matches the second, each difference written once', async () => {
  const name = fc
    .array(fc.constantFrom('a', 'b', 'a-b', 'a.c', 'a b', 'é', '\uff5e', '😀', 'B'), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join('/'))
  const tree = fc.dictionary(name, fc.constantFrom('', '1', '22'), { maxKeys: 12 }).map(withoutClashes)
  await fc.assert(
    fc.asyncProperty(tree, tree, async (before, after) => {
      const folder = new SimFolder()
      for (const [path, content] of Object.entries(before)) folder.put(path, content)
      await folder.scan()
      assert.deepEqual(folder.index.live, expected(before))
      for (const path of Object.keys(before)) await folder.disk.removeFile(`/f/${path}`)
      for (const path of expected(before)
        .filter((one) => !(one in before))
        .reverse())
        await folder.disk.removeDirectory(`/f/${path}`)
      for (const [path, content] of Object.entries(after)) folder.put(path, content)
      folder.index.batches.length = 0
      await folder.scan()
      assert.deepEqual(folder.index.live, expected(after))
      const written = folder.index.batches.flat().map((record) => record.name)
      assert.equal(new Set(written).size, written.length)
      assert.equal((await folder.scan()).changed, 0)
    }),
    { numRuns: effort(150) },
  )
})

/** A name cannot be a file and a directory at once. */
function withoutClashes(tree: Tree): Tree {
  const names = Object.keys(tree)
  return Object.fromEntries(
    Object.entries(tree).filter(([name]) => !names.some((other) => other.startsWith(`${name}/`))),
  )
}

function expected(tree: Tree): string[] {
  const names = new Set(Object.keys(tree))
  for (const name of Object.keys(tree)) {
    for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1))
      names.add(name.slice(0, slash))
  }
  return [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}
