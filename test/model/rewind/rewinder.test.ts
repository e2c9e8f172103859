import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DOCS } from '../../support/model.ts'
import { newMachine, ROOT, SimRewind } from './sim-rewind.ts'

const BEFORE: Readonly<Record<string, string>> = {
  'edited.txt': 'as it was',
  'deleted.txt': 'deleted, in the trash',
  'd/moved.txt': 'moved elsewhere, '.repeat(20_000),
  'gone.txt': 'nowhere any more',
  'empty.txt': '',
  'same.txt': 'untouched',
}

/** A machine with these files, and after that a disaster; resolves with the moment between. */
async function afterDisaster(sim: SimRewind): Promise<number> {
  const { disk } = sim
  for (const [name, content] of Object.entries(BEFORE)) disk.put(`${ROOT}/${name}`, content)
  await sim.scan()
  const moment = await sim.now()
  // What a pull would have kept there.
  disk.put(`${ROOT}/.stversions/edited.txt`, BEFORE['edited.txt']!)
  disk.put(`${ROOT}/.stversions/deleted~20260101-000000.txt`, BEFORE['deleted.txt']!)
  disk.put(`${ROOT}/.stversions/gone.txt`, 'another version')
  await sim.change({
    'edited.txt': 'damaged',
    'deleted.txt': undefined,
    'd/moved.txt': undefined,
    'elsewhere.txt': BEFORE['d/moved.txt'],
    'gone.txt': undefined,
    'empty.txt': undefined,
    'new.txt': 'newer',
  })
  return moment
}

const { 'gone.txt': _gone, ...FOUND } = BEFORE
const AFTER = { ...FOUND, 'elsewhere.txt': BEFORE['d/moved.txt'], 'new.txt': 'newer' }

test('a folder becomes as it was: from the trash and other files; newer items stay, gone ones are named', async () => {
  await using sim = await SimRewind.start(newMachine(1))
  const moment = await afterDisaster(sim)
  const preview = await sim.preview(moment)
  assert.deepEqual(preview.restorable.names, ['d/moved.txt', 'deleted.txt', 'edited.txt', 'empty.txt'])
  assert.deepEqual(preview.gone.names, ['gone.txt'])
  assert.deepEqual(preview.kept.names, ['elsewhere.txt', 'new.txt'])
  assert.equal(preview.replaced, 1)
  assert.ok(preview.isVerified)
  const damaged = await sim.files()
  const beforeRewind = await sim.now()
  const status = await sim.rewind(moment)
  assert.deepEqual([status.state, status.error], ['done', ''])
  assert.deepEqual(status.totals, {
    rewound: 4,
    bytes: preview.restorable.bytes,
    removed: 0,
    left: 2,
    gone: 1,
    failed: 0,
  })
  assert.deepEqual(
    status.problems.map(({ path }) => path),
    ['gone.txt'],
  )
  assert.deepEqual(await sim.files(), AFTER)
  assert.equal(await sim.read(`${ROOT}/.stversions/edited.txt`), 'damaged', 'what was replaced is an old version')
  const rewound = (await sim.history()).filter(({ origin }) => origin === 'rewind')
  assert.deepEqual(
    rewound.map(({ name, kind }) => `${kind} ${name}`),
    ['added d/moved.txt', 'added deleted.txt', 'changed edited.txt', 'added empty.txt'],
  )
  const index = await sim.hub.store.folder(DOCS)
  const record = await index.records.get('local', 'edited.txt')
  assert.equal(record?.modifiedBy, rewound[2]?.by)
  const local = await sim.hub.model.status(DOCS)
  await sim.scan()
  assert.equal((await sim.hub.model.status(DOCS)).sequence, local.sequence, 'a scan finds nothing to record')
  assert.deepEqual(await sim.preview(moment).then(({ restorable }) => restorable.items), 0, 'nothing is left to rewind')

  const undone = await sim.rewind(beforeRewind)
  assert.deepEqual(undone.totals, { rewound: 1, bytes: 7, removed: 3, left: 0, gone: 0, failed: 0 })
  assert.deepEqual(await sim.files(), damaged, 'a rewind is undone by a rewind')
})

test('the times and modes are those of the moment', async () => {
  await using sim = await SimRewind.start(newMachine(2))
  sim.disk.put(`${ROOT}/a`, 'old')
  await sim.disk.makeDirectories(`${ROOT}/d`, 0o755)
  await sim.disk.chmod(`${ROOT}/a`, 0o600)
  await sim.disk.setModified(`${ROOT}/a`, 1_000_000, 5)
  await sim.scan()
  const moment = await sim.now()
  await sim.disk.chmod(`${ROOT}/a`, 0o644)
  await sim.disk.chmod(`${ROOT}/d`, 0o700)
  await sim.disk.setModified(`${ROOT}/a`, 2_000_000, 0)
  await sim.scan()
  assert.equal((await sim.rewind(moment)).totals.rewound, 2)
  const { mode, modifiedS, modifiedNs } = await sim.disk.lstat(`${ROOT}/a`)
  assert.deepEqual([mode & 0o777, modifiedS, modifiedNs], [0o600, 1_000_000, 5])
  assert.equal((await sim.disk.lstat(`${ROOT}/d`)).mode & 0o777, 0o755)
})

test('a directory alone, and a file alone; symlinks and directories are made again', async () => {
  await using sim = await SimRewind.start(newMachine(3))
  const { disk } = sim
  for (const name of ['d/sub/f', 'd/keep', 'x']) disk.put(`${ROOT}/${name}`, `content of ${name}`)
  await disk.makeSymlink('target', `${ROOT}/d/link`)
  await sim.scan()
  const moment = await sim.now()
  for (const name of ['d/sub/f', 'x']) disk.put(`${ROOT}/.stversions/${name}`, `content of ${name}`)
  await disk.removeFile(`${ROOT}/d/sub/f`)
  await disk.removeDirectory(`${ROOT}/d/sub`)
  await sim.change({ 'd/link': undefined, x: undefined })
  const status = await sim.rewind(moment, { path: 'd' })
  assert.equal(status.totals.rewound, 3)
  assert.deepEqual(Object.keys(await sim.files()).sort(), ['d/keep', 'd/link', 'd/sub/f'])
  assert.equal(await disk.readSymlink(`${ROOT}/d/link`), 'target')
  assert.equal((await sim.rewind(moment, { path: 'x' })).totals.rewound, 1)
  assert.equal(await sim.read(`${ROOT}/x`), 'content of x')
})

test('beside: what changed since is put into a directory, and nothing else is touched', async () => {
  await using sim = await SimRewind.start(newMachine(4))
  const moment = await afterDisaster(sim)
  const present = await sim.files()
  const { beside, restorable } = await sim.preview(moment, { mode: 'beside' })
  assert.match(beside, /^as of \d{4}-\d\d-\d\d \d\d\.\d\d\.\d\d$/)
  assert.equal(restorable.items, 4)
  const status = await sim.rewind(moment, { mode: 'beside' })
  assert.deepEqual([status.totals.rewound, status.totals.gone, status.beside], [4, 1, beside])
  const { 'same.txt': _same, ...changed } = FOUND
  assert.deepEqual(await sim.files(`${ROOT}/${beside}`), changed)
  const prefixed = Object.fromEntries(Object.entries(changed).map(([name, text]) => [`${beside}/${name}`, text]))
  assert.deepEqual(await sim.files(), { ...present, ...prefixed })
  const again = await sim.rewind(moment, { mode: 'beside' })
  assert.deepEqual([again.totals.rewound, again.totals.failed], [0, 0], 'it is there already')
  const file = await sim.preview(moment, { mode: 'beside', path: 'edited.txt' })
  assert.match(file.beside, /^edited \(as of .*\)\.txt$/)
})

test('what is not there, or not possible, is refused with the reason', async () => {
  const machine = newMachine(5)
  await using sim = await SimRewind.start(machine)
  const early = machine.platform.clock.nowMs() - 1_000
  await sim.change({ a: '1' })
  await assert.rejects(sim.preview(early), /the history of the folder begins at .*: choose a later time/)
  await assert.rejects(sim.preview(machine.platform.clock.nowMs() + 1), /in the future/)
  await assert.rejects(sim.hub.while(sim.rewinder.stop(DOCS)), /not being rewound/)
  assert.equal(sim.status(), undefined)
})

test('an item that changes while the folder is rewound stays as it is then', async () => {
  await using sim = await SimRewind.start(newMachine(6))
  const moment = await afterDisaster(sim)
  const rewound = sim.hub.model.rewindItems.bind(sim.hub.model)
  let isFirst = true
  sim.hub.model.rewindItems = async (folder, chunk) => {
    if (isFirst) {
      isFirst = false
      sim.disk.put(`${ROOT}/edited.txt`, 'a second disaster')
      sim.disk.put(`${ROOT}/deleted.txt`, 'made again by its user')
      await sim.hub.model.scan(folder, ['deleted.txt'])
    }
    return await rewound(folder, chunk)
  }
  const { totals, problems } = await sim.rewind(moment)
  assert.deepEqual([totals.rewound, totals.failed], [2, 1])
  assert.equal(
    problems.find(({ path }) => path === 'edited.txt')?.reason,
    'checking existing file: file modified but not rescanned; will try again later',
  )
  const files = await sim.files()
  assert.deepEqual([files['edited.txt'], files['deleted.txt']], ['a second disaster', 'made again by its user'])
})

test('it stops on request, and waits for a paused folder', async () => {
  await using sim = await SimRewind.start(newMachine(7))
  const moment = await afterDisaster(sim)
  const pause = (paused: boolean) =>
    sim.hub.change((config) => ({ ...config, folders: config.folders.map((folder) => ({ ...folder, paused })) }))
  const rewound = sim.hub.model.rewindItems.bind(sim.hub.model)
  let gate = Promise.withResolvers<void>()
  sim.hub.model.rewindItems = async (folder, chunk) => {
    await gate.promise
    return await rewound(folder, { ...chunk, items: chunk.items.slice(0, 1) })
  }
  await sim.begin(moment)
  await sim.hub.pass(100)
  await assert.rejects(sim.begin(moment), /being rewound already/)
  await sim.hub.while(sim.rewinder.stop(DOCS))
  gate.resolve()
  const stopped = await sim.ended()
  assert.deepEqual([stopped.state, stopped.totals.rewound], ['stopped', 1])
  gate = Promise.withResolvers<void>()
  await sim.begin(moment)
  await sim.hub.pass(100)
  await pause(true)
  gate.resolve()
  await sim.hub.pass(100)
  assert.deepEqual([sim.status()?.state, sim.status()?.error], ['running', 'folder is paused'])
  await assert.rejects(sim.preview(moment), /paused/)
  await pause(false)
  await sim.hub.pass(10_000)
  const done = await sim.ended()
  assert.deepEqual([done.state, done.error, done.totals.rewound], ['done', '', 3])
  assert.deepEqual(await sim.files(), AFTER)
})
