import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import * as fc from 'fast-check'
import { FLAG_IGNORED, FLAG_MUST_RESCAN, FLAG_RECEIVE_ONLY } from '../../src/core/records/file-info.ts'
import { compareNames } from '../../src/core/paths.ts'
import { compareVersions } from '../../src/core/records/version-vector.ts'
import { effort, reportRow } from '../support/effort.ts'
import { OTHER, OWN, SimFolder } from './sim-folder.ts'

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

test('C-07: a disk error at any call loses no record and is reported with its item', async () => {
  const codes = [
    'EIO',
    'EROFS',
    'EACCES',
    'EPERM',
    'EMFILE',
    'ENFILE',
    'EBUSY',
    'ETXTBSY',
    'ENAMETOOLONG',
    'ELOOP',
    'ESTALE',
    'EXDEV',
    'EDQUOT',
  ]
  let tried = 0
  let survived = 0
  let falseDeletes = 0
  let silent = 0
  for (const code of codes) {
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

test('scan: items become ignored, and not ignored again', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan()
  const version = folder.index.records.get('x')!.version
  folder.index.records.set('x', {
    ...folder.index.records.get('x')!,
    version: [...version, { device: OTHER, value: 3n }],
  })
  assert.equal((await folder.scan({ lines: ['x'] })).changed, 1)
  const ignored = folder.index.records.get('x')!
  assert.equal(ignored.localFlags, FLAG_IGNORED)
  assert.equal(ignored.deleted, false)
  assert.equal(ignored.blockHashes, undefined)
  assert.equal((await folder.scan({ lines: ['x'] })).changed, 0)
  await folder.scan()
  const back = folder.index.records.get('x')!
  assert.equal(back.localFlags, 0)
  assert.deepEqual(
    back.version.map(({ device }) => device),
    [OWN],
  )
})

test('scan: an ignored item that is missing when un-ignored is fetched again, not deleted everywhere', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan()
  await folder.scan({ lines: ['x'] })
  await folder.disk.removeFile('/f/x')
  await folder.scan()
  const record = folder.index.records.get('x')!
  assert.equal(record.deleted, true)
  assert.deepEqual(record.version, [])
})

test('scan: a record that must be rescanned is hashed again, and keeps its version where nothing changed', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan()
  const before = folder.index.records.get('x')!
  folder.index.records.set('x', { ...before, localFlags: FLAG_MUST_RESCAN })
  assert.equal((await folder.scan()).changed, 1)
  const after = folder.index.records.get('x')!
  assert.deepEqual([after.localFlags, after.version], [0, before.version])
})

test('scan: changes in a receive-only folder are flagged once', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan({ receiveOnly: true })
  assert.equal(folder.index.records.get('x')!.localFlags, FLAG_RECEIVE_ONLY)
  assert.equal((await folder.scan({ receiveOnly: true })).changed, 0)
})

test('scan: a folder that is not receive-only any more announces its changes against the global state', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan({ receiveOnly: true })
  folder.index.records.set('x', {
    ...folder.index.records.get('x')!,
    version: [
      { device: OWN, value: 3n },
      { device: OTHER, value: 4n },
    ],
  })
  assert.equal((await folder.scan()).changed, 1)
  const record = folder.index.records.get('x')!
  assert.equal(record.localFlags, 0)
  assert.deepEqual(
    record.version.map(({ device }) => device),
    [OWN],
  )
  assert.equal((await folder.scan()).changed, 0)
})

/** An item deleted in a receive-only folder, with `global` as the state of others. */
async function ownDeletion(global: 'missing' | 'live' | 'deleted'): Promise<SimFolder> {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan()
  const record = folder.index.records.get('x')!
  if (global !== 'missing')
    folder.index.others.set('x', { ...record, deleted: global === 'deleted', version: [{ device: OTHER, value: 4n }] })
  await folder.disk.removeFile('/f/x')
  await folder.scan({ receiveOnly: true })
  assert.deepEqual(
    [folder.index.records.get('x')?.deleted, folder.index.records.get('x')?.localFlags],
    [true, FLAG_RECEIVE_ONLY],
  )
  return folder
}

test('scan: a receive-only deletion is dropped when no other device has the item', async () => {
  const folder = await ownDeletion('missing')
  await folder.scan({ receiveOnly: true })
  assert.equal(folder.index.records.has('x'), false)
})

test('scan: a receive-only deletion keeps its flag while others have the item', async () => {
  const folder = await ownDeletion('live')
  assert.equal((await folder.scan({ receiveOnly: true })).changed, 0)
  assert.equal(folder.index.records.get('x')?.localFlags, FLAG_RECEIVE_ONLY)
})

for (const [why, global, receiveOnly] of [
  ['others have deleted it too', 'deleted', true],
  ['the folder is another type now', 'live', false],
] as const) {
  test(`scan: a receive-only deletion loses its flag when ${why}`, async () => {
    const folder = await ownDeletion(global)
    const before = folder.index.records.get('x')!
    assert.equal((await folder.scan({ receiveOnly })).changed, 1)
    assert.deepEqual({ ...folder.index.records.get('x')!, sequence: 0 }, { ...before, sequence: 0, localFlags: 0 })
    assert.equal((await folder.scan({ receiveOnly })).changed, 0)
  })
}

test('scan: a deletion that becomes ignored is flagged, and returns with an empty version', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan()
  await folder.disk.removeFile('/f/x')
  await folder.scan()
  const deletion = folder.index.records.get('x')!
  assert.equal((await folder.scan({ lines: ['x'] })).changed, 1)
  const ignored = folder.index.records.get('x')!
  assert.deepEqual([ignored.deleted, ignored.localFlags, ignored.version], [true, FLAG_IGNORED, deletion.version])
  assert.equal((await folder.scan({ lines: ['x'] })).changed, 0)
  assert.equal((await folder.scan()).changed, 1)
  const again = folder.index.records.get('x')!
  assert.deepEqual([again.deleted, again.localFlags, again.version], [true, 0, []])
  assert.equal((await folder.scan()).changed, 0)
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
      await folder.scan({ subs })
      assert.equal(folder.index.records.get('d/x')?.deleted, true, `${kind} ${subs}`)
      assert.equal(folder.index.records.get('elsewhere/x')?.deleted, false)
    }
  }
})

test('scan: names not in NFC are renamed, with their contents', async () => {
  const folder = new SimFolder()
  folder.put('cafe\u0301/cre\u0300me')
  const result = await folder.scan()
  assert.deepEqual(result.problems, [])
  assert.deepEqual(folder.index.live, ['caf\u00e9', 'caf\u00e9/cr\u00e8me'])
})

test('scan: a name not in NFC is kept where the NFC name is in use, or renaming is disabled', async () => {
  const folder = new SimFolder()
  folder.put('e\u0301', 'decomposed')
  folder.put('\u00e9', 'composed')
  assert.deepEqual((await folder.scan()).problems, [
    { path: 'e\u0301', error: 'normalizing path: item has UTF8 encoding conflict with another item' },
  ])
  assert.deepEqual((await folder.scan({ autoNormalize: false })).problems, [
    { path: 'e\u0301', error: 'normalizing path: item is not in the correct UTF8 normalization form' },
  ])
  assert.deepEqual(folder.index.live, ['\u00e9'])
})

test('scan: an item created under the NFC name just before the rename is not replaced', async () => {
  for (const kind of ['file', 'directory'] as const) {
    const folder = new SimFolder()
    folder.put(kind === 'file' ? 'e\u0301' : 'e\u0301/inside', 'decomposed')
    const renameNew = folder.disk.renameNew.bind(folder.disk)
    folder.disk.renameNew = async (from, to) => {
      folder.put('\u00e9', 'made in between')
      await renameNew(from, to)
    }
    const { problems } = await folder.scan()
    assert.deepEqual(problems, [
      { path: 'e\u0301', error: 'normalizing path: item has UTF8 encoding conflict with another item' },
    ])
    assert.equal((await folder.disk.lstat('/f/\u00e9')).sizeBytes, 'made in between'.length)
    assert.equal((await folder.disk.lstat('/f/e\u0301')).type, kind)
  }
})

test('scan: on a case-insensitive disk another case of a name is a new item and the old one is deleted', async () => {
  const folder = new SimFolder({ caseInsensitive: true })
  folder.put('Photo')
  await folder.scan()
  await folder.disk.rename('/f/Photo', '/f/photo')
  await folder.scan()
  assert.deepEqual(folder.index.live, ['photo'])
  await folder.disk.rename('/f/photo', '/f/PHOTO')
  await folder.scan({ caseSensitive: true })
  assert.deepEqual(folder.index.live, ['PHOTO', 'photo'], 'a case-sensitive disk, by the setting: both are there')
})

test('N-03, N-09: names that are not valid UTF-8 are reported, pipes are skipped', async () => {
  const folder = new SimFolder()
  folder.disk.putInvalidName('/f', 'bad\\xff')
  folder.disk.putOther('/f/pipe')
  folder.put('good')
  const result = await folder.scan()
  assert.deepEqual(result.problems, [{ path: 'bad\\xff', error: 'scan: item is not in UTF8 encoding' }])
  assert.deepEqual(folder.index.live, ['good'])
})

test('scan: old temporary files are removed, recent ones are kept, none is indexed', async () => {
  const folder = new SimFolder()
  for (const [name, hours] of [
    ['.syncthing.old.tmp', 25],
    ['~syncthing~young.tmp', 23],
  ] as const) {
    folder.put(name)
    await folder.disk.setModified(`/f/${name}`, Math.floor(folder.clock.nowMs() / 1_000) - hours * 3_600, 0)
  }
  await folder.scan()
  assert.deepEqual(folder.index.live, [])
  assert.deepEqual(
    (await folder.disk.list('/f')).map(({ name }) => name).filter((name) => name.includes('syncthing')),
    ['~syncthing~young.tmp'],
  )
})

test('scan: progress ends one byte below the total', async () => {
  const folder = new SimFolder()
  folder.put('x', 'y'.repeat(23))
  await folder.scan({ progressIntervalMs: 2_000 })
  assert.deepEqual(
    folder.progress.map((one) => ({ ...one, rate: 0 })),
    [{ currentBytes: 23, totalBytes: 24, rate: 0 }],
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
