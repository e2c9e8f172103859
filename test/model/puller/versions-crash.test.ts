import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { casesOf, reportRow } from '../../support/effort.ts'
import { DOCS } from '../../support/model.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const MINUTE_MS = 60_000
type Type = 'trashcan' | 'simple' | 'staggered'

async function start(type: Type, seed: number, disableFsync = false): Promise<SimPull> {
  return await SimPull.start({
    seed,
    folder: { disableFsync, versioning: { type, params: {}, cleanupIntervalS: 0, fsPath: '', fsType: 'basic' } },
  })
}

/** The content of every file in the folder and among its versions, without temporary files. */
async function contentsOf(pull: SimPull): Promise<ReadonlyMap<string, string>> {
  const names = (await pull.tree()).filter((path) => !path.endsWith('/') && !path.includes('.syncthing.'))
  return new Map(await Promise.all(names.map(async (name) => [name, await pull.read(name)] as const)))
}

interface Outcome {
  readonly calls: number
  /** Missing names, missing contents and files with content that was never written. */
  readonly bad: readonly string[]
}

function judge(
  contents: ReadonlyMap<string, string>,
  expected: {
    readonly there: readonly string[]
    readonly somewhere: readonly string[]
    readonly any: readonly string[]
  },
): readonly string[] {
  const all = new Set(contents.values())
  return [
    ...expected.there.filter((name) => !contents.has(name)).map((name) => `${name} is missing`),
    ...expected.somewhere.filter((content) => !all.has(content)).map((content) => `${content.slice(0, 20)} is lost`),
    ...[...contents].filter(([, content]) => !expected.any.includes(content)).map(([name]) => `${name} is torn`),
  ]
}

/**
 * Two files are replaced and one is deleted; the power fails at the nth call, and survival of unsynced data is random.
 */
async function crashWhilePulling(type: Type, nth: number, seed: number, disableFsync = false): Promise<Outcome> {
  await using pull = await start(type, seed, disableFsync)
  const { peer, disk } = pull
  peer.directory('d')
  const old = { 'd/f': 'old f', large: `old large ${'o'.repeat(200_000)}`, 'd/gone': 'old gone' }
  for (const [name, content] of Object.entries(old)) peer.put(name, content)
  await pull.sync()
  disk.syncAll()
  const wanted = { 'd/f': 'new f', large: `new large ${'n'.repeat(200_000)}` }
  for (const [name, content] of Object.entries(wanted)) peer.put(name, content, { modifiedS: 1_700_000_100 })
  peer.delete('d/gone')
  const before = disk.faults.callCount
  disk.faults.powerOffAt(nth)
  await pull.sync()
  const calls = disk.faults.callCount - before
  disk.crash(new SimRandom(seed))
  const somewhere = Object.values(old)
  const bad = judge(await contentsOf(pull), {
    there: ['d/f', 'large'],
    somewhere,
    any: [...somewhere, ...Object.values(wanted)],
  })
  await pull.hub.pass(2 * MINUTE_MS)
  await pull.scan()
  await pull.rest()
  const after = await contentsOf(pull)
  for (const [name, content] of Object.entries(wanted))
    assert.equal(after.get(name), content, `${type}, crash at ${nth}, seed ${seed}`)
  assert.equal(after.get('d/gone'), undefined)
  const lost = judge(after, {
    there: [],
    somewhere: type === 'staggered' ? [] : somewhere,
    any: [...somewhere, ...Object.values(wanted)],
  })
  return { calls, bad: [...bad, ...lost] }
}

/** The newest version of a file is restored and the power fails at the nth call. Returns the number of calls. */
async function powerLostWhileRestoring(
  pull: Awaited<ReturnType<typeof start>>,
  name: string,
  nth: number,
  seed: number,
): Promise<number> {
  const { hub, disk } = pull
  await hub.pass(MINUTE_MS)
  const versions = await hub.while(hub.model.versions(DOCS))
  disk.syncAll()
  const before = disk.faults.callCount
  disk.faults.powerOffAt(nth)
  const wanted = new Map([[name, versions.get(name)?.[0]?.versionMs ?? 0]])
  await hub.while(hub.model.restoreVersions(DOCS, wanted)).catch(() => {})
  const calls = disk.faults.callCount - before
  disk.crash(new SimRandom(seed))
  return calls
}

/** A version is restored over the current file. */
async function crashWhileRestoring(type: Type, nth: number, seed: number): Promise<Outcome> {
  await using pull = await start(type, seed)
  const { peer } = pull
  peer.directory('d')
  peer.put('d/f', 'first')
  await pull.sync()
  await pull.hub.pass(MINUTE_MS)
  peer.put('d/f', 'second')
  await pull.sync()
  const calls = await powerLostWhileRestoring(pull, 'd/f', nth, seed)
  const contents = ['first', 'second']
  return { calls, bad: judge(await contentsOf(pull), { there: ['d/f'], somewhere: contents, any: contents }) }
}

/** A version is restored into a deleted directory. */
async function crashWhileRestoringDeep(type: Type, nth: number, seed: number): Promise<Outcome> {
  await using pull = await start(type, seed)
  const { peer } = pull
  for (const directory of ['d', 'd/e']) peer.directory(directory)
  peer.put('d/e/f', 'first')
  await pull.sync()
  await pull.hub.pass(MINUTE_MS)
  for (const name of ['d/e/f', 'd/e', 'd']) peer.delete(name)
  await pull.sync()
  const calls = await powerLostWhileRestoring(pull, 'd/e/f', nth, seed)
  return { calls, bad: judge(await contentsOf(pull), { there: [], somewhere: ['first'], any: ['first'] }) }
}

/** They differ only in what they remove, so every call is tested for one of them only, and for all in long runs. */
for (const [type, step] of [
  ['trashcan', 1],
  ['simple', casesOf(5, 1)],
  ['staggered', casesOf(7, 1)],
] as const) {
  test(`C-03, C-04: ${type}: a power loss at any call loses neither the old nor the new content`, async () => {
    const bad: string[] = []
    let tried = 0
    const pulling = await crashWhilePulling(type, 1_000_000, 1)
    for (let nth = 1; nth <= pulling.calls; nth += step, tried++)
      bad.push(...(await crashWhilePulling(type, nth, nth)).bad)
    const restoring = await crashWhileRestoring(type, 1_000_000, 1)
    for (let nth = 1; nth <= restoring.calls; nth += step, tried++)
      bad.push(...(await crashWhileRestoring(type, nth, nth)).bad)
    const deep = await crashWhileRestoringDeep(type, 1_000_000, 1)
    for (let nth = 1; nth <= deep.calls; nth += step, tried++)
      bad.push(...(await crashWhileRestoringDeep(type, nth, nth)).bad)
    reportRow({ id: 'C-03', part: `versions, ${type}`, tried, badStates: bad.length })
    reportRow({ id: 'C-04', part: `versions, ${type}`, tried, lost: bad.length })
    assert.deepEqual(bad, [])
    assert.deepEqual(pulling.bad.concat(restoring.bad, deep.bad), [])
  })
}

test('versions in new directories deep in the folder survive a power loss', async () => {
  await using pull = await SimPull.start({
    folder: {
      versioning: { type: 'simple', params: {}, cleanupIntervalS: 0, fsPath: '.stversions/old/kept', fsType: 'basic' },
    },
  })
  pull.peer.put('f', 'first')
  await pull.sync()
  pull.disk.syncAll()
  pull.peer.put('f', 'second', { modifiedS: 1_700_000_100 })
  await pull.sync()
  pull.disk.crash('nothing')
  assert.deepEqual([...(await contentsOf(pull)).values()].sort(), ['first', 'second'])
})

test('the crash test has power: without syncing old versions can be lost', async () => {
  let bad = 0
  for (let nth = 20; nth <= 80 && bad === 0; nth += 2)
    bad += (await crashWhilePulling('simple', nth, nth, true).catch(() => ({ bad: [''] }))).bad.length
  assert.ok(bad > 0)
})

test('whichever single call fails: the file stays, or is replaced and archived, and the retry succeeds', async () => {
  let tried = 0
  for (let nth = 1; nth <= 60; nth++, tried++) {
    await using pull = await start('simple', nth)
    pull.peer.put('f', 'old')
    await pull.sync()
    pull.peer.put('f', 'new', { modifiedS: 1_700_000_100 })
    pull.disk.fail({ call: 'any', code: 'EIO', nth, under: ROOT })
    await pull.sync()
    pull.disk.faults.clear()
    const contents = [...(await contentsOf(pull)).values()]
    assert.ok(contents.includes('old'), `call ${nth}`)
    await pull.hub.pass(5 * MINUTE_MS)
    await pull.rest()
    assert.equal(await pull.read('f'), 'new', `call ${nth}`)
  }
  reportRow({ id: 'versions-any-call-fails', tried })
})
