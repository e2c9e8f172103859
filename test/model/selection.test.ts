import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLAG_IGNORED } from '../../src/core/records/file-info.ts'
import { compareVersions } from '../../src/core/records/version-vector.ts'
import type { PathChoice } from '../../src/model/types.ts'
import { DOCS, NEVER } from '../support/model.ts'
import { PEER } from './puller/sim-peer.ts'
import { ROOT, SimPull, type Setup } from './puller/sim-pull.ts'

const drop = (...paths: readonly string[]): PathChoice[] => paths.map((path) => ({ path, state: 'dropped' }))
const keep = (...paths: readonly string[]): PathChoice[] => paths.map((path) => ({ path, state: 'kept' }))

const FILES = { 'a/b/one': 'first', 'a/b/two': 'second', 'a/three': 'third', 'z/four': 'fourth', five: 'fifth' }

/** A folder with everything of the other device. */
async function synced(setup: Setup = {}, files: Record<string, string> = FILES): Promise<SimPull> {
  const pull = await SimPull.start(setup)
  const directories = new Set<string>()
  for (const name of Object.keys(files)) {
    const parts = name.split('/').slice(0, -1)
    parts.forEach((_, at) => directories.add(parts.slice(0, at + 1).join('/')))
  }
  for (const name of directories) pull.peer.directory(name)
  for (const [name, content] of Object.entries(files)) pull.peer.put(name, content)
  await pull.sync()
  return pull
}

async function select(pull: SimPull, choices: readonly PathChoice[], isForced = false) {
  const left = await pull.hub.while(pull.hub.model.select(DOCS, choices, isForced, NEVER))
  await pull.rest()
  return left
}

/** Files on the disk, without the ignore file. */
async function files(pull: SimPull): Promise<readonly string[]> {
  return (await pull.tree()).filter((path) => !path.endsWith('/') && path !== '.stignore')
}

/** The patterns of the section. */
async function patterns(pull: SimPull): Promise<readonly string[]> {
  const text = await pull.read('.stignore')
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('//'))
}

/** Names that we announce as deleted. */
async function deletions(pull: SimPull): Promise<readonly string[]> {
  const records = await pull.index.records.page('local', { within: '', afterName: '', limit: 1_000 })
  return records.filter((record) => record.deleted && record.version.length > 0).map(({ name }) => name)
}

test('selection: dropped items leave this disk, nothing announces a deletion, and keep brings them back', async () => {
  await using pull = await synced()
  assert.deepEqual([...(await select(pull, drop('a')))], [])
  assert.deepEqual(await pull.tree(), ['.stignore', 'five', 'z/', 'z/four'])
  assert.deepEqual(await deletions(pull), [])
  for (const name of ['a', 'a/b', 'a/b/one', 'a/three']) {
    const record = await pull.index.records.get('local', name)
    assert.equal((record?.localFlags ?? 0) & FLAG_IGNORED, FLAG_IGNORED, name)
  }
  await pull.assertSettled()
  // A change and a new file elsewhere stay there.
  pull.peer.put('a/three', 'changed')
  pull.peer.put('a/b/new', 'new')
  await pull.sync()
  assert.deepEqual(await files(pull), ['five', 'z/four'])
  await pull.assertSettled()
  await select(pull, keep('a/b'))
  assert.deepEqual(await files(pull), ['a/b/new', 'a/b/one', 'a/b/two', 'five', 'z/four'])
  assert.deepEqual(await patterns(pull), ['!/a/b', '/a'])
  await select(pull, keep('a'))
  assert.equal(await pull.read('a/three'), 'changed')
  assert.deepEqual(await deletions(pull), [])
  assert.ok(!(await pull.tree()).includes('.stignore'), 'a selection of everything has no section')
  await pull.assertSettled()
})

test('selection: a preview counts what is freed and fetched, and names who has it', async () => {
  await using pull = await synced()
  const freed = await pull.hub.while(pull.hub.model.previewSelection(DOCS, drop('a', 'a/b'), NEVER))
  assert.deepEqual(freed.effect, {
    freed: { files: 3, bytes: 16 },
    fetched: { files: 0, bytes: 0 },
    onlyHere: { files: 0, bytes: 0, examples: [] },
    holders: new Map([[PEER, { files: 3, bytes: 16 }]]),
    truncated: false,
  })
  assert.ok(!(await pull.tree()).includes('.stignore'), 'a preview changes nothing')
  await select(pull, drop(''))
  const fetched = await pull.hub.while(pull.hub.model.previewSelection(DOCS, keep('z', 'five'), NEVER))
  assert.deepEqual(fetched.effect.fetched, { files: 2, bytes: 11 })
  assert.deepEqual(fetched.effect.freed, { files: 0, bytes: 0 })
})

test('selection: the only copy is not dropped, unless it is forced', async () => {
  await using pull = await synced()
  await pull.write('a/mine', 'only here')
  await pull.write('a/b/mine', 'only here')
  await assert.rejects(select(pull, drop('a')), { code: 'refused', message: /"a\/b\/mine" and 1 more/ })
  assert.equal((await files(pull)).length, 7)
  assert.ok(!(await pull.tree()).includes('.stignore'))
  // An edit that no other device has is found by the scan before.
  await pull.write('z/four.new', 'edited')
  await pull.disk.rename(`${ROOT}/z/four.new`, `${ROOT}/z/four`)
  await assert.rejects(select(pull, drop('z')), { code: 'refused' })
  await select(pull, drop('a'), true)
  assert.deepEqual(await files(pull), ['five', 'z/four'])
  assert.deepEqual(await deletions(pull), [])
})

test('selection: of a forced drop the only copy becomes an old version where the folder keeps them', async () => {
  const versioning = {
    type: 'simple',
    params: { keep: '5' },
    cleanupIntervalS: 0,
    fsPath: '',
    fsType: 'basic',
  } as const
  await using pull = await synced({ folder: { versioning } })
  await pull.write('a/mine', 'only here')
  await select(pull, drop('a'), true)
  const left = (await pull.tree()).filter((path) => path.startsWith('.stversions/') && !path.endsWith('/'))
  assert.equal(left.length, 1, 'what other devices have takes no space')
  assert.match(left[0]!, /^\.stversions\/a\/mine~/)
})

test('selection: a file that changes while its directory is dropped stays here and stays kept', async () => {
  await using pull = await synced()
  const rename = pull.disk.rename.bind(pull.disk)
  pull.disk.rename = async (from, to) => {
    await rename(from, to)
    if (!to.endsWith('/.stignore')) return
    pull.disk.rename = rename
    pull.disk.direct.remove(`${ROOT}/a/b/two`)
    await pull.write('a/b/two', 'an edit at the last moment')
  }
  const left = await select(pull, drop('a'))
  assert.deepEqual([...left.keys()], ['a/b/two'])
  assert.deepEqual(await files(pull), ['a/b/two', 'five', 'z/four'])
  assert.deepEqual(await patterns(pull), ['!/a/b/two', '/a'])
  await pull.rest()
  const record = await pull.index.records.get('local', 'a/b/two')
  assert.equal(record?.sizeBytes, 26)
  assert.equal(record.localFlags, 0)
  assert.equal((await pull.index.records.both('a/b/two')).global?.sizeBytes, 26, 'the edit continues the version')
})

test('selection: what is made here in a dropped directory is kept, and a log line says so', async () => {
  await using pull = await synced()
  await select(pull, drop('a', 'z'))
  await pull.disk.makeDirectories(`${ROOT}/a/fresh/deep`, 0o755)
  await pull.write('a/fresh/deep/note', 'new')
  await pull.write('a/fresh/more', 'new')
  await pull.write('a/single', 'new')
  await pull.disk.makeDirectories(`${ROOT}/z`, 0o755)
  await pull.scan()
  assert.deepEqual(await patterns(pull), ['!/a/fresh', '!/a/single', '/a', '/z'])
  for (const name of ['a/fresh/deep/note', 'a/fresh/more', 'a/single']) {
    assert.equal((await pull.index.records.get('local', name))?.localFlags, 0, name)
  }
  assert.match(pull.hub.lines.join('\n'), /"a\/single" was made here in a dropped directory: it is kept/)
  const { entries } = await pull.hub.model.selection(DOCS)
  assert.deepEqual(
    entries.filter(({ reason }) => reason === 'made-here').map(({ path }) => path),
    ['a/fresh', 'a/single'],
  )
  await pull.assertSettled()
  // Programs make files for a moment: their exceptions do not pile up.
  pull.disk.direct.remove(`${ROOT}/a/single`)
  await pull.scan()
  await pull.write('a/other', 'new')
  await pull.scan()
  assert.deepEqual(await patterns(pull), ['!/a/fresh', '!/a/other', '/a', '/z'])
})

test('selection: a file with the name of a dropped one is kept, and the other version is not lost', async () => {
  await using pull = await synced()
  await select(pull, drop('a'))
  await pull.disk.makeDirectories(`${ROOT}/a`, 0o755)
  await pull.write('a/three', 'another file of that name')
  await pull.scan()
  assert.deepEqual(await patterns(pull), ['!/a/three', '/a'])
  const { global } = await pull.index.records.both('a/three')
  const texts = await Promise.all(
    (await files(pull)).filter((name) => name.startsWith('a/')).map((name) => pull.read(name)),
  )
  assert.ok(texts.includes('another file of that name'))
  assert.ok(global?.sizeBytes === 25 || texts.includes('third'))
})

test('selection: a new file in the place of a dropped one of ours is concurrent with it', async () => {
  await using pull = await synced()
  await pull.write('a/mine', 'the first')
  await pull.scan()
  const first = (await pull.index.records.get('local', 'a/mine'))!
  await pull.index.records.updateRemote(PEER, [{ ...first, sequence: 1_000 }])
  await select(pull, drop('a'))
  await pull.disk.makeDirectories(`${ROOT}/a`, 0o755)
  await pull.write('a/mine', 'another of that name')
  // Chosen before any scan has seen the new file.
  await select(pull, keep('a/mine'))
  const second = (await pull.index.records.get('local', 'a/mine'))!
  assert.equal(second.sizeBytes, 20)
  assert.match(compareVersions(second.version, first.version), /^concurrent/)
})

test('selection: a kept file that is renamed here stays kept, and others receive a rename', async () => {
  await using pull = await synced()
  await select(pull, drop('a'))
  await select(pull, keep('a/b/one'))
  assert.deepEqual(await files(pull), ['a/b/one', 'five', 'z/four'])
  const requests = pull.peer.requests.length
  await pull.disk.rename(`${ROOT}/a/b/one`, `${ROOT}/a/b/renamed`)
  await pull.scan('a/b/one', 'a/b/renamed')
  assert.deepEqual(await files(pull), ['a/b/renamed', 'five', 'z/four'])
  assert.deepEqual(await deletions(pull), ['a/b/one'])
  const [gone, made] = [
    await pull.index.records.get('local', 'a/b/one'),
    await pull.index.records.get('local', 'a/b/renamed'),
  ]
  assert.equal(made?.localFlags, 0)
  assert.ok(Math.abs((gone?.sequence ?? 0) - made.sequence) <= 1, 'both are announced together')
  assert.equal(pull.peer.requests.length, requests, 'nothing was fetched again')
})

test('selection: a kept file that is renamed elsewhere is followed by its block list', async () => {
  await using pull = await synced()
  await select(pull, drop('a'))
  await select(pull, keep('a/b/one'))
  const requests = pull.peer.requests.length
  pull.peer.put('a/b/moved', 'first')
  pull.peer.delete('a/b/one')
  await pull.sync()
  assert.deepEqual(await files(pull), ['a/b/moved', 'five', 'z/four'])
  assert.equal(pull.peer.requests.length, requests, 'nothing was fetched again')
  assert.match(pull.hub.lines.join('\n'), /"a\/b\/moved" was renamed on another device: it is kept/)
  await pull.assertSettled()
})

for (const order of ['the new name', 'the deletion'] as const) {
  test(`selection: a rename elsewhere is followed when ${order} arrives first`, async () => {
    await using pull = await synced()
    await select(pull, drop('a'))
    await select(pull, keep('a/b/one'))
    const steps = [() => pull.peer.put('a/b/moved', 'first'), () => pull.peer.delete('a/b/one')]
    for (const step of order === 'the deletion' ? steps.toReversed() : steps) {
      step()
      await pull.sync()
    }
    await pull.scan()
    assert.deepEqual(await files(pull), ['a/b/moved', 'five', 'z/four'])
  })
}

test('selection: a kept directory that is renamed elsewhere is followed as one', async () => {
  await using pull = await synced()
  await select(pull, drop('a'))
  await select(pull, keep('a/b'))
  pull.peer.directory('a/c')
  pull.peer.put('a/c/one', 'first')
  pull.peer.put('a/c/two', 'second')
  for (const name of ['a/b/one', 'a/b/two', 'a/b']) pull.peer.delete(name)
  await pull.sync()
  assert.deepEqual(await files(pull), ['a/c/one', 'a/c/two', 'five', 'z/four'])
  assert.deepEqual(await patterns(pull), ['!/a/b', '!/a/c', '/a'])
})

test('selection: a file that is moved elsewhere into a dropped directory is dropped with it', async () => {
  await using pull = await synced()
  await select(pull, drop('a'))
  pull.peer.put('a/five', 'fifth')
  pull.peer.delete('five')
  await pull.sync()
  assert.deepEqual(await files(pull), ['z/four'])
  await pull.assertSettled()
})

test('selection: a dropped directory that becomes a file is dropped as well, and fails nothing', async () => {
  await using pull = await synced()
  await select(pull, drop('a'))
  for (const name of ['a/b/one', 'a/b/two', 'a/three', 'a/b']) pull.peer.delete(name)
  pull.peer.put('a', 'a file now')
  await pull.sync()
  assert.deepEqual(await files(pull), ['five', 'z/four'])
  await pull.assertSettled()
  await select(pull, keep('a'))
  assert.equal(await pull.read('a'), 'a file now')
  await pull.assertSettled()
})

test('selection: an interrupted removal continues before the next scan', async () => {
  await using pull = await synced()
  await pull.hub.change((config) => ({ ...config, folders: config.folders.map((one) => ({ ...one, paused: true })) }))
  // Paused, the patterns are written and nothing is removed, as after a crash.
  await pull.hub.while(pull.hub.model.select(DOCS, drop('a'), false, NEVER))
  assert.equal((await files(pull)).length, 5)
  assert.equal((await pull.hub.model.selection(DOCS)).isRemoving, true)
  await pull.hub.change((config) => ({ ...config, folders: config.folders.map((one) => ({ ...one, paused: false })) }))
  await pull.scan()
  assert.deepEqual(await files(pull), ['five', 'z/four'])
  assert.equal((await pull.hub.model.selection(DOCS)).isRemoving, false)
  assert.deepEqual(await deletions(pull), [])
  await pull.assertSettled()
})

test('selection: a removal that is stopped continues when the folder runs again', async () => {
  const many = Array.from({ length: 40 }, (_, number) => [`a/${number}`, `content ${number}`])
  await using pull = await synced({}, { ...Object.fromEntries(many), five: 'fifth' })
  const setPaused = (paused: boolean) =>
    pull.hub.change((config) => ({ ...config, folders: config.folders.map((one) => ({ ...one, paused })) }))
  const rename = pull.disk.rename.bind(pull.disk)
  let pausing: Promise<void> | undefined
  pull.disk.rename = async (from, to) => {
    await rename(from, to)
    if (to.includes('.aside')) pausing ??= setPaused(true)
  }
  const stopped = pull.hub.model.select(DOCS, drop('a'), false, NEVER)
  await assert.rejects(pull.hub.while(stopped), { code: 'stopped' })
  pull.disk.rename = rename
  await pausing
  const left = (await files(pull)).length
  assert.ok(left > 20 && left < 41, `${left} files are left`)
  await setPaused(false)
  await pull.scan()
  assert.deepEqual(await pull.tree(), ['.stignore', 'five'])
  assert.deepEqual(await deletions(pull), [])
})

test('selection: a removal that continues leaves what no other device has any more, and keeps it', async () => {
  await using pull = await synced()
  const setPaused = (paused: boolean) =>
    pull.hub.change((config) => ({ ...config, folders: config.folders.map((one) => ({ ...one, paused })) }))
  await setPaused(true)
  await pull.hub.while(pull.hub.model.select(DOCS, drop('a'), false, NEVER))
  const before = await pull.index.records.get('local', 'a/three')
  await pull.index.records.dropDevice(PEER)
  await setPaused(false)
  await pull.scan()
  assert.equal((await files(pull)).length, 5)
  const after = await pull.index.records.get('local', 'a/three')
  assert.deepEqual([after?.localFlags, after?.version], [0, before?.version])
  assert.match(pull.hub.lines.join('\n'), /"a\/three" is not dropped: no other device has it/)
})

test('selection: what is being fetched while it is dropped does not arrive', async () => {
  await using pull = await SimPull.start()
  pull.peer.directory('a')
  pull.peer.put('a/large', 'content')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  pull.peer.serve = async (_request, data, signal) => {
    await Promise.race([released, new Promise((done) => signal.addEventListener('abort', done, { once: true }))])
    signal.throwIfAborted()
    return data
  }
  await pull.announce()
  for (let turn = 0; turn < 100; turn++) await pull.hub.pass(0)
  assert.equal(pull.peer.requests.length, 1)
  await select(pull, drop('a'))
  release()
  await pull.rest()
  assert.deepEqual(await files(pull), [])
  await pull.assertSettled()
})

test('selection: of a paused folder whose disk is not mounted nothing is written', async () => {
  await using pull = await synced()
  await pull.hub.change((config) => ({ ...config, folders: config.folders.map((one) => ({ ...one, paused: true })) }))
  pull.disk.direct.remove(ROOT)
  await assert.rejects(select(pull, drop('a')), { code: 'folder-error', message: /folder path missing/ })
  assert.equal(pull.disk.direct.look(ROOT), undefined)
})

test('selection: a new folder with nothing yet fetches nothing, and then what is kept', async () => {
  await using pull = await SimPull.start()
  await select(pull, drop(''))
  pull.peer.directory('a')
  pull.peer.put('a/one', 'first')
  pull.peer.put('two', 'second')
  await pull.sync()
  assert.deepEqual(await files(pull), [])
  await pull.assertSettled()
  await select(pull, keep('a/one'))
  assert.deepEqual(await files(pull), ['a/one'])
  await pull.assertSettled()
})

test('selection: of several choices the deepest decides, in any order', async () => {
  await using pull = await synced()
  await select(pull, [...keep('a/b/one', 'z'), ...drop('a', 'z/four'), ...keep('a/b'), ...drop('a/b/two')])
  assert.deepEqual(await files(pull), ['a/b/one', 'five'])
  assert.deepEqual(await patterns(pull), ['/a/b/two', '!/a/b', '/a', '/z/four'])
  await assert.rejects(select(pull, [...keep('a'), ...drop('a/')]), {
    code: 'bad-request',
    message: /kept and dropped/,
  })
})

test('selection: lines of the user decide first, and are named where they do', async () => {
  await using pull = await synced({ arrange: (disk) => void disk.put(`${ROOT}/.stignore`, '!/a/b\nfive') })
  const { overruled } = await pull.hub.while(
    pull.hub.model.previewSelection(DOCS, [...drop('a/b', 'a/three'), ...keep('five')], NEVER),
  )
  assert.deepEqual(overruled, [
    { path: 'a/b', line: '!/a/b' },
    { path: 'five', line: 'five' },
  ])
  await select(pull, drop('a'))
  assert.deepEqual(await files(pull), ['a/b/one', 'a/b/two', 'z/four'])
  assert.ok((await pull.read('.stignore')).startsWith('!/a/b\nfive\n//'))
})

test('selection: shared ignores and a selection are in force together', async () => {
  await using pull = await synced({}, { ...FILES, 'a/x.tmp': 'no', 'z/x.tmp': 'no', '.stglobalignore': '*.tmp\n' })
  pull.hub.extensions = { ...pull.hub.extensions, sharedIgnores: true }
  await pull.scan()
  await select(pull, drop('a'))
  assert.deepEqual(await files(pull), ['.stglobalignore', 'a/x.tmp', 'five', 'z/four', 'z/x.tmp'])
  const { effect } = await pull.hub.while(pull.hub.model.previewSelection(DOCS, keep('a'), NEVER))
  assert.equal(effect.fetched.files, 3)
})

test('selection: a section that was edited to something else changes nothing and is said', async () => {
  const text = '// twinfold selection: begin\n*.jpg\n// twinfold selection: end\n'
  await using pull = await synced({ arrange: (disk) => void disk.put(`${ROOT}/.stignore`, text) })
  assert.match((await pull.hub.model.selection(DOCS)).error ?? '', /"\*\.jpg", which is not the pattern of one path/)
  await assert.rejects(select(pull, drop('a')), { code: 'ignore-invalid' })
  assert.equal(await pull.read('.stignore'), text)
  assert.equal((await files(pull)).length, 5)
})

test('selection: folders that cannot fetch a dropped item back refuse it, and paths outside are no items', async () => {
  await using pull = await SimPull.start({ folder: { type: 'sendonly' } })
  await assert.rejects(select(pull, drop('a')), { code: 'bad-request', message: /send-only/ })
  await using other = await SimPull.start()
  await assert.rejects(select(other, drop('../x')), { code: 'path-escapes-folder' })
  await assert.rejects(select(other, drop('.stfolder')), { code: 'bad-request' })
})
