import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FileHead } from '../../../src/core/records/file-info.ts'
import { MARKER_MISSING } from '../../../src/core/folder-stop.ts'
import { bumpVersion } from '../../../src/core/records/version-vector.ts'
import type { FoundItems, Item } from '../../../src/model/queries/explorer-types.ts'
import { deletion, directory, file, SELF, version } from '../../db/records.ts'
import { DOCS, folderId, simFolder } from '../../support/model.ts'
import { FIRST_PAGE, ANNA, BEN, explored, NEVER, ROOT } from './explored.ts'

/** The version after a change by another device. */
const changed = ({ version: before }: FileHead) => bumpVersion(before, SELF, 1_800_000_000)

const shown = ({ records, state, children, devices }: Item): string => {
  return [
    records.name,
    state,
    ...(children === undefined ? [] : [children ? 'full' : 'empty']),
    ...devices.map(({ version: each }) => each),
  ].join(' ')
}

test('a tree shows one level, directories first, with our state and the versions of the others', async () => {
  await using it = await explored({ 'b.txt': 'b', 'a.txt': 'a', 'zoo/lion': 'x', 'zoo/deep/cat': 'x' })
  const { hub, explorer } = it
  const index = await hub.store.folder(DOCS)
  const own = await index.listing.recordsOf(['a.txt', 'b.txt'])
  await index.records.updateRemote(ANNA, [
    { ...own[0]!.global, blockHashes: undefined, sequence: 1 },
    file('new.txt', { sequence: 2 }),
    directory('empty', { sequence: 3 }),
    deletion('b.txt', { version: changed(own[1]!.global), sequence: 4 }),
  ])
  const page = await explorer.tree(DOCS, '', FIRST_PAGE, NEVER)
  assert.deepEqual([page.total, page.truncated], [5, false])
  assert.deepEqual(page.items.map(shown), [
    'empty missing empty newest none',
    'zoo here full none none',
    'a.txt here newest none',
    'b.txt older newest none',
    'new.txt missing newest none',
  ])
  assert.deepEqual((await explorer.tree(DOCS, 'zoo', FIRST_PAGE, NEVER)).items.map(shown), [
    'zoo/deep here full none none',
    'zoo/lion here none none',
  ])
  const second = await explorer.tree(DOCS, '', { page: 2, perPage: 2 }, NEVER)
  assert.deepEqual([second.total, second.items.map(({ records }) => records.name)], [5, ['a.txt', 'b.txt']])
  assert.deepEqual((await explorer.tree(DOCS, 'nowhere', FIRST_PAGE, NEVER)).items, [])
  await assert.rejects(explorer.tree(folderId('unknown'), '', FIRST_PAGE, NEVER), { code: 'folder-missing' })
})

test('a large directory is listed once for all its pages, and again after a change', async () => {
  await using it = await explored({})
  const { hub, explorer } = it
  const index = await hub.store.folder(DOCS)
  const names = Array.from({ length: 3_000 }, (_, i) => `f${String(i).padStart(5, '0')}`)
  await index.records.updateRemote(
    ANNA,
    names.map((name, i) => file(name, { sequence: i + 1 })),
  )
  const nameOn = async (page: number) => {
    const found = await hub.while(explorer.tree(DOCS, '', { page, perPage: 1 }, NEVER))
    return [found.total, found.items[0]?.records.name]
  }
  assert.deepEqual(await nameOn(1), [3_000, 'f00000'])
  assert.deepEqual(await nameOn(3_000), [3_000, 'f02999'])
  await index.records.updateRemote(ANNA, [file('a', { sequence: 9_000 })])
  assert.deepEqual(await nameOn(1), [3_001, 'a'])
})

const WHOLE_SEARCH = { after: '', workMs: 1_000_000 }

test('a search matches names in any case, paths when there is a slash, and stops at its limit', async () => {
  await using it = await explored({ 'Photos/Été.JPG': 'x', 'photos.txt': 'x', 'Photos/b.png': 'x' })
  const { hub, explorer } = it
  const found = async (text: string, limit = 200) => {
    const { items, next } = await hub.while(explorer.search(DOCS, { ...WHOLE_SEARCH, text, limit }, NEVER))
    return [items.map(({ records }) => records.name).join(), next]
  }
  assert.deepEqual(await found('PHOTO'), ['Photos,photos.txt', undefined])
  assert.deepEqual(await found('e\u0301te\u0301.j'), ['Photos/Été.JPG', undefined])
  assert.deepEqual(await found('photos/'), ['Photos/b.png,Photos/Été.JPG', undefined])
  assert.deepEqual(await found('p', 1), ['Photos', 'Photos'])
  assert.deepEqual(await found('%'), ['', undefined])
})

test('a search stops after its time, wherever it is, and goes on behind the last name', async () => {
  await using it = await explored({ 'last.txt': 'x' })
  const { hub, explorer } = it
  const index = await hub.store.folder(DOCS)
  const names = Array.from({ length: 3_000 }, (_, i) => `f${String(i).padStart(4, '0')}`)
  await index.records.updateRemote(
    ANNA,
    names.map((name, i) => file(name, { sequence: i + 1 })),
  )
  const found: string[] = []
  let requests = 0
  let searched = 0
  for (let after: string | undefined = ''; after !== undefined; requests++) {
    const wanted = { text: 'la', limit: 200, after, workMs: 0 }
    const page: FoundItems = await hub.while(explorer.search(DOCS, wanted, NEVER))
    found.push(...page.items.map(({ records }) => records.name))
    searched += page.searched
    after = page.next
  }
  assert.deepEqual(found, ['last.txt'])
  assert.ok(requests > 2, `${requests} requests`)
  assert.equal(searched, names.length + 1, 'each name once')
})

test('a search ends when its signal aborts', async () => {
  await using it = await explored({})
  const { hub, explorer } = it
  const index = await hub.store.folder(DOCS)
  await index.records.updateRemote(
    ANNA,
    Array.from({ length: 5_000 }, (_, i) => file(`f${i}`, { sequence: i + 1 })),
  )
  const stop = new AbortController()
  let ticks = 0
  const slow = {
    nowMs: () => 0,
    monotonicMs: () => ticks++ * 10,
    sleep: async (_ms: number, signal: AbortSignal) => (stop.abort(), signal.throwIfAborted()),
  }
  const { Explorer } = await import('../../../src/model/queries/explorer.ts')
  const find = () => assert.fail('not needed')
  const folders = {
    configured: () => simFolder('docs'),
    find,
    running: () => undefined,
    root: () => ROOT,
    storedKept: find,
    collects: () => false,
  }
  const leaving = new Explorer(
    {
      clock: slow,
      disk: hub.platform.disk,
      system: { platform: 'linux' },
      folders,
      query: (_folder, read) => read(index),
    },
    ANNA,
  )
  await assert.rejects(leaving.search(DOCS, { ...WHOLE_SEARCH, text: 'nothing', limit: 1 }, stop.signal), {
    name: 'AbortError',
  })
  assert.ok(explorer !== leaving)
})

test('needed items are listed with action, stage and holders', async () => {
  await using it = await explored({ 'same.txt': 'x' })
  const { hub, explorer } = it
  const index = await hub.store.folder(DOCS)
  const [own] = await index.listing.recordsOf(['same.txt'])
  await index.records.updateRemote(ANNA, [
    directory('dir', { sequence: 1 }),
    file('dir/b', { sequence: 2, sizeBytes: 7 }),
    { ...own!.global, version: changed(own!.global), permissions: 0o600, blockHashes: undefined, sequence: 3 },
  ])
  await index.records.updateRemote(BEN, [file('dir/b', { sequence: 1, sizeBytes: 7 }), file('c', { sequence: 2 })])
  hub.model.bringToFront(DOCS, 'c')
  const page = await hub.while(explorer.waiting(DOCS, FIRST_PAGE, NEVER))
  const quiet = { ignoreDelete: false, scanning: false, watchError: '' }
  assert.deepEqual(page.folder, { paused: false, type: 'sendreceive', error: '', ...quiet })
  assert.equal(page.total, 4)
  assert.deepEqual(
    page.items.map(({ records, action, stage, holders }) => [records.name, action, stage, holders.length]),
    [
      ['c', 'download', 'waiting', 1],
      ['dir', 'directory', 'waiting', 1],
      ['dir/b', 'download', 'waiting', 2],
      ['same.txt', 'metadata', 'waiting', 1],
    ],
  )
  const second = await hub.while(explorer.waiting(DOCS, { page: 2, perPage: 3 }, NEVER))
  assert.deepEqual([second.total, second.items.map(({ records }) => records.name)], [4, ['same.txt']])
})

test('the facts about one file, known and unknown', async () => {
  await using it = await explored({ 'a.txt': 'a' })
  const { hub, explorer } = it
  const index = await hub.store.folder(DOCS)
  await index.records.updateRemote(BEN, [file('b.txt', { sequence: 1 })])
  const here = await explorer.file(DOCS, 'a.txt')
  assert.deepEqual([here.records?.name, here.queue, here.problem], ['a.txt', undefined, undefined])
  const there = await explorer.file(DOCS, 'b.txt')
  assert.deepEqual(there.queue, { stage: 'waiting' })
  assert.deepEqual(there.devices, [
    { deviceID: ANNA, version: 'none' },
    { deviceID: BEN, version: 'newest' },
  ])
  assert.equal((await explorer.file(DOCS, 'nothing')).records, undefined)
})

test('the facts about a file that should be here are read from the disk', async () => {
  await using it = await explored({ 'a.txt': 'a' })
  const { hub, explorer } = it
  assert.equal((await explorer.file(DOCS, 'a.txt')).disk?.kind, 'present')
  await hub.platform.disk.removeFile(`${ROOT}/a.txt`)
  assert.equal((await explorer.file(DOCS, 'a.txt')).disk?.kind, 'absent')
})

test('the facts about a folder whose marker is gone name the path where no disk may be mounted', async () => {
  await using it = await explored({ 'a.txt': 'a' })
  const { hub, explorer } = it
  await hub.platform.disk.rename(`${ROOT}/.stfolder`, `${ROOT}/.moved`)
  await assert.rejects(hub.while(hub.model.scan(DOCS)), { message: MARKER_MISSING })
  const { folder } = await explorer.file(DOCS, 'a.txt')
  assert.match(
    folder.error,
    new RegExp(`^the folder marker is missing: the disk is probably not mounted at ${ROOT}\\.`),
  )
})

test('a preview of patterns: the deciding line, examples, includes, and errors', async () => {
  await using it = await explored({
    'a.tmp': '',
    'keep.tmp': '',
    'b/c.tmp': '',
    'b/d.txt': '',
    '.more': 'd.*\n*.tmp\n',
  })
  const { hub, explorer } = it
  const preview = (...lines: string[]) => hub.while(explorer.previewIgnores(DOCS, lines, NEVER))
  const found = await preview('// mine', '!keep.tmp', ' *.tmp ', '#include .more', '')
  assert.deepEqual(found, {
    error: null,
    errorLine: null,
    ignoredTotal: 3,
    checkedTotal: 6,
    truncated: false,
    lines: [
      { kind: 'other', matches: 0, examples: [] },
      { kind: 'keep', matches: 1, examples: ['keep.tmp'] },
      { kind: 'ignore', matches: 2, examples: ['a.tmp', 'b/c.tmp'] },
      { kind: 'include', matches: 1, examples: ['b/d.txt'] },
      { kind: 'other', matches: 0, examples: [] },
    ],
  })
  const wrong = await preview('*.a', '[', '*.b')
  assert.deepEqual([wrong.errorLine, /invalid pattern "\["/.test(wrong.error ?? ''), wrong.checkedTotal], [2, true, 0])
  const lost = await preview('#include nothing')
  assert.deepEqual([lost.errorLine, /file not found/.test(lost.error ?? '')], [1, true])
  assert.equal((await preview('#include .more', '#include ./.more')).errorLine, null, 'neither is wrong by itself')
  assert.deepEqual((await hub.model.ignores(DOCS)).ignore, null, 'nothing is written')
})

test('a preview is bounded to five examples and its maximum of names', async () => {
  await using it = await explored({})
  const { hub, explorer } = it
  const index = await hub.store.folder(DOCS)
  for (let at = 0; at < 51_000; at += 1_000) {
    await index.records.updateRemote(
      ANNA,
      Array.from({ length: 1_000 }, (_, i) => directory(`f${at + i}`, { sequence: at + i + 1 })),
    )
  }
  const found = await hub.while(explorer.previewIgnores(DOCS, ['f*'], NEVER))
  assert.deepEqual(
    [found.checkedTotal, found.truncated, found.lines[0]?.matches, found.lines[0]?.examples.length],
    [50_000, true, 50_000, 5],
  )
})

test('conflict copies are listed, and updated as they are added and removed', async () => {
  const copy = 'b/x.sync-conflict-20260131-235959-ABCDEFG.txt'
  await using it = await explored({ 'b/x.txt': 'x', [copy]: 'y', 'no.sync-conflict-2026.txt': '' })
  const { hub, explorer } = it
  const names = async () => {
    const { total, items } = await hub.while(explorer.conflicts(DOCS, FIRST_PAGE, NEVER))
    assert.equal(total, items.length)
    return items.map(({ name }) => name)
  }
  assert.deepEqual(await names(), [copy])
  const other = 'a.sync-conflict-20260131-235959'
  hub.platform.disk.put(`${ROOT}/${other}`, '')
  await hub.platform.disk.removeFile(`${ROOT}/${copy}`)
  await hub.while(hub.model.scan(DOCS))
  assert.deepEqual(await names(), [other])
  await (await hub.store.folder(DOCS)).records.updateRemote(ANNA, [file(copy, { sequence: 1, version: version(9) })])
  assert.deepEqual(await names(), [other], 'only what is here')
})

test('both files of a conflict are read as their records describe them, and no other file', async () => {
  const copy = 'b/x.sync-conflict-20260131-235959-ABCDEFG.txt'
  const lone = 'lone.sync-conflict-20260131-235959-ABCDEFG.txt'
  const large = 'large.sync-conflict-20260131-235959-ABCDEFG.txt'
  const files = { 'b/x.txt': 'left', [copy]: 'right', [lone]: 'x', 'large.txt': 'x'.repeat(2 ** 20 + 1), [large]: 'y' }
  await using it = await explored(files)
  const { hub, explorer } = it
  const texts = async (name: string) => {
    const { left, right } = await explorer.conflictSides(DOCS, name)
    return [left?.content, right.content].map((content) => content && Buffer.from(content).toString())
  }
  assert.deepEqual(await texts(copy), ['left', 'right'])
  assert.deepEqual(await texts(lone), [undefined, undefined])
  assert.deepEqual(await texts(large), [undefined, undefined], 'too large to be compared')
  const [listed] = (await hub.while(explorer.conflicts(DOCS, FIRST_PAGE, NEVER))).items
  assert.deepEqual([listed?.name, listed?.file?.name], [copy, 'b/x.txt'])

  const HOSTILE = ['b/x.txt', '', '../b.sync-conflict-20260131-235959.txt', '/b.sync-conflict-20260131-235959.txt']
  const INSIDE = ['.stfolder/a.sync-conflict-20260131-235959.txt', 'no.sync-conflict-20260131-235959.txt']
  for (const name of [...HOSTILE, ...INSIDE, 'b/x\0.sync-conflict-20260131-235959.txt'])
    await assert.rejects(explorer.conflictSides(DOCS, name), { code: 'file-missing' }, name)
  await assert.rejects(explorer.conflictSides(folderId('unknown'), copy), { code: 'folder-missing' })

  hub.platform.disk.put(`${ROOT}/b/x.txt`, 'LEFT')
  await assert.rejects(explorer.conflictSides(DOCS, copy), { code: 'refused' }, 'changed since the last scan')
  await hub.platform.disk.removeFile(`${ROOT}/b/x.txt`)
  hub.platform.disk.put('/data/secret', 'left')
  await hub.platform.disk.makeSymlink('/data/secret', `${ROOT}/b/x.txt`)
  await assert.rejects(explorer.conflictSides(DOCS, copy), { code: 'refused' }, 'a symlink is not followed')
})

test('20,000 conflict copies are listed in pages', async () => {
  await using it = await explored({})
  const { hub, explorer } = it
  const index = await hub.store.folder(DOCS)
  const names = Array.from({ length: 20_001 }, (_, n) => `${n}.sync-conflict-20260131-235959-ABCDEFG.txt`)
  await index.records.updateLocal(names.map((name) => file(name)))
  const range = (from: number, count: number) => hub.while(explorer.conflictRange(DOCS, { from, count }, NEVER))
  assert.deepEqual([(await range(0, 0)).total, (await range(19_990, 500)).items.length], [20_000, 10])
  const first = await range(100, 500)
  assert.equal(first.items.length, 500)
})

test('a paused folder shows its stored index, and a new one gets no index', async () => {
  await using it = await explored({ 'a.txt': 'a' })
  const { hub, explorer } = it
  await hub.change((config) => ({ ...config, folders: config.folders.map((folder) => ({ ...folder, paused: true })) }))
  assert.deepEqual((await hub.while(explorer.tree(DOCS, '', FIRST_PAGE, NEVER))).items.map(shown), [
    'a.txt here none none',
  ])
  assert.equal((await explorer.waiting(DOCS, FIRST_PAGE, NEVER)).folder.paused, true)

  await using fresh = await explored({}, { paused: true })
  assert.deepEqual(await fresh.explorer.tree(DOCS, '', FIRST_PAGE, NEVER), {
    total: 0,
    truncated: false,
    items: [],
    ignored: [],
  })
  assert.deepEqual((await fresh.explorer.conflicts(DOCS, FIRST_PAGE, NEVER)).items, [])
  assert.deepEqual((await fresh.explorer.previewIgnores(DOCS, ['*'], NEVER)).checkedTotal, 0)
  assert.deepEqual(await fresh.hub.store.folders(), [])
})

test('the items of the global tree, of a folder that runs only', async () => {
  await using it = await explored({ 'd/here': 'x' })
  const { hub, explorer } = it
  const index = await hub.store.folder(DOCS)
  await index.records.updateRemote(ANNA, [file('d/there', { sequence: 1 })])
  const level = async (directory: string) => {
    const names: string[] = []
    for await (const heads of explorer.globalLevel(DOCS, directory, NEVER))
      names.push(heads.map(({ name }) => name).join())
    return names
  }
  assert.deepEqual(await hub.while(level('d')), ['d/here,d/there'])
  assert.deepEqual(await hub.while(level('')), ['d'])
  assert.equal((await hub.while(explorer.globalItem(DOCS, 'd/there')))?.name, 'd/there')

  await using paused = await explored({}, { paused: true })
  await assert.rejects(paused.explorer.globalItem(DOCS, 'd'), { code: 'folder-paused' })
  await assert.rejects(paused.explorer.globalLevel(DOCS, '', NEVER).next(), { code: 'folder-paused' })
})

test('a listing of the global tree lets other work run, and ends when its signal aborts', async () => {
  await using it = await explored({})
  const { hub, explorer } = it
  const index = await hub.store.folder(DOCS)
  await index.records.updateRemote(
    ANNA,
    Array.from({ length: 1_200 }, (_, i) => file(`f${i}`, { sequence: i + 1 })),
  )
  const stop = new AbortController()
  const level = explorer.globalLevel(DOCS, '', stop.signal)
  assert.equal((await hub.while(level.next())).done, false)
  stop.abort()
  await assert.rejects(hub.while(level.next()), { name: 'AbortError' })
})
