import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { FLAG_IGNORED, FLAG_MUST_RESCAN, FLAG_RECEIVE_ONLY } from '../../src/core/file-info.ts'
import { compareNames } from '../../src/core/paths.ts'
import { compareVersions } from '../../src/core/version-vector.ts'
import { effort } from '../support/effort.ts'
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

test('scan: what is gone becomes a deletion with the time of now and the old nanoseconds', async () => {
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
  assert.deepEqual(folder.index.batches.map((batch) => batch.map(({ name, deleted }) => [name, deleted])), [[['a-new', false], ['z/old', true]]])
})

test('scan: nothing below an unreadable directory is taken for deleted', async () => {
  for (const code of ['EACCES', 'EIO', 'ESTALE', 'EMFILE', 'ENFILE', 'ELOOP', 'ENAMETOOLONG', 'EBUSY']) {
    const folder = new SimFolder()
    folder.put('d/x')
    folder.put('d/e/y')
    await folder.scan()
    folder.disk.fail({ call: 'list', code, under: '/f/d' })
    const result = await folder.scan()
    assert.equal(result.changed, 0, code)
    assert.deepEqual(result.problems.map((problem) => problem.path), ['d'])
    assert.match(result.problems[0]!.error, /^scan: /)
  }
})

test('C-07: an error of the disk at any call costs no record and names its item', async () => {
  const codes = ['EIO', 'EROFS', 'EACCES', 'EPERM', 'EMFILE', 'ENFILE', 'EBUSY', 'ETXTBSY', 'ENAMETOOLONG', 'ELOOP', 'ESTALE', 'EXDEV', 'EDQUOT']
  let tried = 0
  let falseDeletes = 0
  for (const code of codes) {
    for (const call of ['stat', 'list', 'read', 'readlink'] as const) {
      for (let nth = 1; nth <= 8; nth++) {
        const folder = new SimFolder()
        for (const name of ['a', 'b/c', 'b/d/e', 'f']) folder.put(name)
        await folder.disk.makeSymlink('x', '/f/s')
        await folder.scan()
        const known = folder.index.live
        for (const name of ['a', 'b/d/e', 'new']) folder.put(name, `${name} has changed`)
        folder.disk.fail({ call, code, nth })
        tried++
        await folder.scan().catch((error: Error & { code?: string }) => assert.equal(error.code, code)) // only the root may end a scan
        falseDeletes += known.filter((name) => !folder.index.live.includes(name)).length
        folder.disk.faults.clear()
        await folder.scan()
        assert.deepEqual(folder.index.live, [...known, 'new'].sort(compareNames), `${call} ${code} ${nth}`)
      }
    }
  }
  console.log(JSON.stringify({ id: 'C-07', part: 'scan', tried, survived: tried, falseDeletes }))
  assert.equal(falseDeletes, 0)
})

test('C-03: power lost at any call of a scan leaves an index that the next scan completes', async () => {
  let states = 0
  for (let nth = 1; ; nth++) {
    const folder = new SimFolder()
    for (const name of ['a', 'b/c', 'd']) folder.put(name)
    await folder.scan()
    await folder.disk.rename('/f/a', '/f/e')
    folder.put('b/c', 'longer than before')
    folder.disk.syncAll()
    folder.disk.faults.powerOffAt(nth)
    const ended = await folder.scan().then((result) => result.problems.length === 0, () => false)
    const crashed = !folder.disk.faults.powered
    folder.disk.crash('everything')
    await folder.scan()
    assert.deepEqual(folder.index.live, ['b', 'b/c', 'd', 'e'], `power lost at call ${nth}`)
    states++
    if (ended && !crashed) break
  }
  console.log(JSON.stringify({ id: 'C-03', part: 'scan', tried: states, badStates: 0 }))
})

test('C-11: a file that changes while it is hashed keeps its record, and is reported', async () => {
  let tried = 0
  for (const change of ['content', 'grow', 'shrink', 'replace by symlink', 'remove'] as const) {
    const folder = new SimFolder()
    folder.put('x', 'old content')
    await folder.scan()
    const old = folder.index.records.get('x')!
    folder.put('x', 'n'.repeat(400_000))
    const read = folder.disk.sync.read
    let reads = 0
    folder.disk.sync.read = (path, into, position) => {
      if (++reads === 2) {
        folder.clock.jumpWall(1)
        if (change === 'content') folder.disk.put(path, 'm'.repeat(400_000))
        else if (change === 'grow') folder.disk.put(path, 'n'.repeat(500_000))
        else if (change === 'shrink') folder.disk.put(path, 'n')
        else folder.disk.sync.removeFile(path)
        if (change === 'replace by symlink') void folder.disk.makeSymlink('/etc/passwd', path)
      }
      return read(path, into, position)
    }
    const result = await folder.scan()
    tried++
    assert.deepEqual(folder.index.records.get('x'), old, change)
    if (change !== 'remove' && change !== 'replace by symlink') assert.deepEqual(result.problems, [{ path: 'x', error: 'hashing: file changed during hashing' }], change)
  }
  console.log(JSON.stringify({ id: 'C-11', part: 'scan', tried, mixedContentFiles: 0 }))
})

test('scan: an unhealthy folder writes nothing, and the scan ends with the reason', async () => {
  const folder = new SimFolder()
  folder.put('a')
  await folder.scan()
  await folder.disk.removeFile('/f/a')
  folder.deps.checkHealth = async () => { throw new Error('folder marker missing') }
  await assert.rejects(folder.scan(), /folder marker missing/)
  assert.deepEqual(folder.index.live, ['a'])
})

test('scan: a folder that turns unhealthy in the middle loses no record', async () => {
  const folder = new SimFolder()
  for (const name of ['a', 'b']) folder.put(name)
  await folder.scan()
  await folder.disk.removeFile('/f/a')
  let asked = 0
  folder.deps.checkHealth = async () => { if (++asked > 1) throw new Error('folder path missing') }
  await assert.rejects(folder.scan(), /folder path missing/)
  assert.deepEqual(folder.index.live, ['a', 'b'])
})

test('scan: ignored from now on, and not any more', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan()
  const version = folder.index.records.get('x')!.version
  folder.index.records.set('x', { ...folder.index.records.get('x')!, version: [...version, { device: OTHER, value: 3n }] })
  assert.equal((await folder.scan({ lines: ['x'] })).changed, 1)
  const ignored = folder.index.records.get('x')!
  assert.equal(ignored.localFlags, FLAG_IGNORED)
  assert.equal(ignored.deleted, false)
  assert.equal(ignored.blockHashes, undefined)
  assert.equal((await folder.scan({ lines: ['x'] })).changed, 0)
  await folder.scan()
  const back = folder.index.records.get('x')!
  assert.equal(back.localFlags, 0)
  assert.deepEqual(back.version.map(({ device }) => device), [OWN])
})

test('scan: an ignored item that is gone when un-ignored is fetched again, not deleted everywhere', async () => {
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

test('scan: a record that must be looked at again is hashed again', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan()
  folder.index.records.set('x', { ...folder.index.records.get('x')!, localFlags: FLAG_MUST_RESCAN })
  assert.equal((await folder.scan()).changed, 1)
  assert.equal(folder.index.records.get('x')!.localFlags, 0)
})

test('scan: changes in a receive-only folder carry their mark, once', async () => {
  const folder = new SimFolder()
  folder.put('x')
  await folder.scan({ receiveOnly: true })
  assert.equal(folder.index.records.get('x')!.localFlags, FLAG_RECEIVE_ONLY)
  assert.equal((await folder.scan({ receiveOnly: true })).changed, 0)
})

test('scan: a sub indexes itself and its parents, not its neighbours', async () => {
  const folder = new SimFolder()
  for (const name of ['n1/n2/n3/f', 'n1/n2/other', 'n1/sibling', 'top']) folder.put(name)
  await folder.scan({ subs: ['n1/n2/n3'] })
  assert.deepEqual(folder.index.live, ['n1', 'n1/n2', 'n1/n2/n3', 'n1/n2/n3/f'])
})

test('scan: a sub that vanished marks itself and what was below, nothing else', async () => {
  const folder = new SimFolder()
  for (const name of ['a/b/c', 'a/b-c', 'a/d', 'x']) folder.put(name)
  await folder.scan()
  for (const name of ['a/b/c', 'a/b-c', 'x']) await folder.disk.removeFile(`/f/${name}`)
  await folder.disk.removeDirectory('/f/a/b')
  await folder.scan({ subs: ['a/b'] })
  assert.deepEqual(folder.index.live, ['a', 'a/b-c', 'a/d', 'x'])
})

test('scan: what lies below a directory that became a symlink or a file is gone', async () => {
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

test('scan: names not in NFC are renamed, with what they hold', async () => {
  const folder = new SimFolder()
  folder.put('cafe\u0301/cre\u0300me')
  const result = await folder.scan()
  assert.deepEqual(result.problems, [])
  assert.deepEqual(folder.index.live, ['caf\u00e9', 'caf\u00e9/cr\u00e8me'])
})

test('scan: a name not in NFC stays where another item has the name, or renaming is off', async () => {
  const folder = new SimFolder()
  folder.put('e\u0301', 'decomposed')
  folder.put('\u00e9', 'composed')
  assert.deepEqual((await folder.scan()).problems,
    [{ path: 'e\u0301', error: 'normalizing path: item has UTF8 encoding conflict with another item' }])
  assert.deepEqual((await folder.scan({ autoNormalize: false })).problems,
    [{ path: 'e\u0301', error: 'normalizing path: item is not in the correct UTF8 normalization form' }])
  assert.deepEqual(folder.index.live, ['\u00e9'])
})

test('scan: on a disk without case, another case of a name is a new item and the old one is gone', async () => {
  const folder = new SimFolder({ caseInsensitive: true })
  folder.put('Photo')
  await folder.scan()
  await folder.disk.rename('/f/Photo', '/f/photo')
  await folder.scan()
  assert.deepEqual(folder.index.live, ['photo'])
})

test('N-03, N-09: names that are no UTF-8 are reported, pipes are passed over', async () => {
  const folder = new SimFolder()
  folder.disk.putInvalidName('/f', 'bad\\xff')
  folder.disk.putOther('/f/pipe')
  folder.put('good')
  const result = await folder.scan()
  assert.deepEqual(result.problems, [{ path: 'bad\\xff', error: 'scan: item is not in UTF8 encoding' }])
  assert.deepEqual(folder.index.live, ['good'])
})

test('scan: our old temporary files are removed, young ones stay, none is indexed', async () => {
  const folder = new SimFolder()
  for (const [name, hours] of [['.syncthing.old.tmp', 25], ['~syncthing~young.tmp', 23]] as const) {
    folder.put(name)
    await folder.disk.setModified(`/f/${name}`, Math.floor(folder.clock.nowMs() / 1_000) - hours * 3_600, 0)
  }
  await folder.scan()
  assert.deepEqual(folder.index.live, [])
  assert.deepEqual((await folder.disk.list('/f')).map(({ name }) => name).filter((name) => name.includes('syncthing')), ['~syncthing~young.tmp'])
})

test('scan: progress counts to one byte below the whole', async () => {
  const folder = new SimFolder()
  folder.put('x', 'y'.repeat(23))
  await folder.scan({ progressIntervalMs: 2_000 })
  assert.deepEqual(folder.progress.map((one) => ({ ...one, rate: 0 })), [{ currentBytes: 23, totalBytes: 24, rate: 0 }])
})

test('scan: an abort ends it with the reason given', async () => {
  const folder = new SimFolder()
  for (let i = 0; i < 50; i++) folder.put(`d/${i}`)
  const stop = new AbortController()
  const reason = new Error('paused')
  folder.deps.onBatch = () => stop.abort(reason)
  folder.deps.index.page = async () => { stop.abort(reason); return [] }
  await assert.rejects(folder.scan({}, stop.signal), (error) => error === reason)
})

type Tree = Record<string, string>

test('scan: after any two states of a tree the index is the second, and what differs was written once', async () => {
  const name = fc.array(fc.constantFrom('a', 'b', 'a-b', 'a.c', 'a b', 'é', '\uff5e', '😀', 'B'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
  const tree = fc.dictionary(name, fc.constantFrom('', '1', '22'), { maxKeys: 12 }).map(withoutClashes)
  await fc.assert(fc.asyncProperty(tree, tree, async (before, after) => {
    const folder = new SimFolder()
    for (const [path, content] of Object.entries(before)) folder.put(path, content)
    await folder.scan()
    assert.deepEqual(folder.index.live, expected(before))
    for (const path of Object.keys(before)) await folder.disk.removeFile(`/f/${path}`)
    for (const path of expected(before).filter((one) => !(one in before)).reverse()) await folder.disk.removeDirectory(`/f/${path}`)
    for (const [path, content] of Object.entries(after)) folder.put(path, content)
    folder.index.batches.length = 0
    await folder.scan()
    assert.deepEqual(folder.index.live, expected(after))
    const written = folder.index.batches.flat().map((record) => record.name)
    assert.equal(new Set(written).size, written.length)
    assert.equal((await folder.scan()).changed, 0)
  }), { numRuns: effort(150) })
})

/** A name cannot be a file and a directory at once. */
function withoutClashes(tree: Tree): Tree {
  const names = Object.keys(tree)
  return Object.fromEntries(Object.entries(tree).filter(([name]) => !names.some((other) => other.startsWith(`${name}/`))))
}

function expected(tree: Tree): string[] {
  const names = new Set(Object.keys(tree))
  for (const name of Object.keys(tree)) {
    for (let slash = name.indexOf('/'); slash >= 0; slash = name.indexOf('/', slash + 1)) names.add(name.slice(0, slash))
  }
  return [...names].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
}
