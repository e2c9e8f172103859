/** What a plan says is what the action then does: random folders are planned, acted on and compared. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import type { FolderTypeName } from '../../../src/core/config/config.ts'
import { isConflictName } from '../../../src/core/paths.ts'
import type { Effect } from '../../../src/core/records/effect.ts'
import type { PlannedEffect } from '../../../src/model/queries/action-plan.ts'
import type { FolderIndex } from '../../../src/db/types.ts'
import { Explorer, type FolderExplorer } from '../../../src/model/queries/explorer.ts'
import { KeptFiles } from '../../../src/model/state/kept-files.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { effort } from '../../support/effort.ts'
import { LOCAL_ID } from '../../support/config.ts'
import { DOCS } from '../../support/model.ts'
import { testSeed } from '../../support/seed.ts'
import { PEER } from '../puller/sim-peer.ts'
import { ROOT, SimPull } from '../puller/sim-pull.ts'

type Action = Parameters<FolderExplorer['plan']>[1]

const NEVER = new AbortController().signal
const FILES = ['a', 'b', 'c', 'd/e', 'd/f', 'd/g/h', 'x/i', 'x/j', 'k', 'l']
const SHARED = { devices: [{ deviceID: PEER, introducedBy: '' as const, encryptionPassword: '' }] }

/** The items of the disk by path, with all that a user sees of them. */
async function itemsOf(pull: SimPull): Promise<ReadonlyMap<string, string>> {
  const items = new Map<string, string>()
  for (const line of await pull.tree()) {
    const name = line.replace(/\/$| -> .*$/, '')
    const { type, mode, modifiedS, modifiedNs } = await pull.disk.lstat(`${ROOT}/${name}`)
    const content = type === 'file' ? await pull.read(name) : line
    const time = type === 'file' ? `${modifiedS}.${modifiedNs}` : ''
    items.set(name, JSON.stringify([type, content, mode & 0o777, time]))
  }
  return items
}

/** How the disk has changed, counted as a plan does. */
function changesOf(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): Record<string, number> {
  const counts: Record<string, number> = {}
  const count = (effect: Effect) => (counts[effect] = (counts[effect] ?? 0) + 1)
  for (const [name, now] of after) {
    const was = before.get(name)
    if (was === now) continue
    const [type, content] = JSON.parse(now)
    const [typeBefore, contentBefore] = was === undefined ? [] : JSON.parse(was)
    if (was === undefined && isConflictName(name)) count('conflict')
    else if (type !== 'file') count(typeBefore === type ? 'metadata' : 'make')
    else if (typeBefore !== 'file') count('fetch')
    else count(content === contentBefore ? 'metadata' : 'replace')
  }
  for (const name of before.keys()) if (!after.has(name)) count('delete')
  return counts
}

const ON_DISK: ReadonlySet<Effect> = new Set(['fetch', 'replace', 'make', 'metadata', 'delete', 'conflict'])

function planned(effects: readonly PlannedEffect[], device?: string): Record<string, number> {
  const there = effects.filter((each) => each.device === device && ON_DISK.has(each.effect))
  return Object.fromEntries(there.map(({ effect, items }) => [effect, items]))
}

/** A folder in which both devices have changed files since they were in sync; the changes are not pulled yet. */
async function someFolder(random: SimRandom, type: FolderTypeName): Promise<SimPull> {
  const pick = () => FILES[random.int(FILES.length)]!
  const pull = await SimPull.start({ seed: random.int(1_000), folder: { type, ...SHARED } })
  const { disk, peer } = pull
  for (const directory of ['d', 'd/g', 'x']) peer.directory(directory)
  for (const name of FILES) if (random.chance(0.8)) peer.put(name, `base ${name} ${random.int(2)}`)
  if (type === 'sendonly') for (const [name, data] of peer.contents) await putAsPeer(pull, name, data)
  await pull.sync()
  if (type === 'sendonly') await pull.scan()
  for (let i = random.int(8); i > 0; i--) {
    const name = pick()
    const isThere = await disk.lstat(`${ROOT}/${name}`).then(
      () => true,
      () => false,
    )
    if (random.chance(0.3) && isThere) await disk.removeFile(`${ROOT}/${name}`)
    else if (random.chance(0.2) && isThere) await disk.chmod(`${ROOT}/${name}`, 0o600)
    else disk.put(`${ROOT}/${random.chance(0.3) ? `own${random.int(3)}` : name}`, `ours ${random.int(3)}`)
  }
  await pull.hub.pass(random.int(3) * 10_000)
  await pull.scan()
  for (let i = random.int(8); i > 0; i--) {
    const name = pick()
    const known = peer.records.get(name)
    const ours = await pull.index.records.head('local', name)
    const isSeen = ours !== undefined && ours.localFlags === 0 && random.chance(0.3)
    const modifiedS = 1_600_000_000 + random.int(300_000_000)
    const base = { modifiedS, ...(isSeen && { basedOn: ours.version }) }
    if (random.chance(0.3) && known !== undefined) peer.delete(name, base)
    else if (random.chance(0.1)) peer.symlink(`link${random.int(2)}`, name)
    else peer.put(name, random.chance(0.3) ? (peer.contents.get(name) ?? 'same') : `theirs ${random.int(3)}`, base)
  }
  return pull
}

/** A send-only folder has its files from its own user. */
async function putAsPeer(pull: SimPull, name: string, data: Buffer): Promise<void> {
  if (pull.peer.records.get(name)?.type === 'directory')
    return await pull.disk.makeDirectories(`${ROOT}/${name}`, 0o755)
  pull.disk.put(`${ROOT}/${name}`, data.toString())
}

async function planOf(pull: SimPull, action: Action): Promise<readonly PlannedEffect[]> {
  return await pull.hub.while((await pull.hub.model.explorer()).plan(DOCS, action, NEVER))
}

async function setFolder(pull: SimPull, change: object): Promise<void> {
  await pull.hub.change((config) => ({ ...config, folders: config.folders.map((each) => ({ ...each, ...change })) }))
}

const seed = testSeed()
const random = new SimRandom(seed)

async function compare(
  type: FolderTypeName,
  action: Action,
  act: (pull: SimPull) => Promise<unknown>,
  before: (pull: SimPull) => Promise<unknown> = async () => {},
): Promise<void> {
  const seen: Record<string, number> = {}
  for (let i = 0; i < effort(8, 15); i++) {
    await using pull = await someFolder(random.stream(`${type} ${action.kind} ${i}`), type)
    await before(pull)
    await pull.peer.announce(pull.index)
    const effects = await planOf(pull, action)
    const disk = await itemsOf(pull)
    await act(pull)
    pull.hub.pullSoon(DOCS)
    await pull.rest()
    assert.deepEqual(await pull.errors(), [])
    const changes = changesOf(disk, await itemsOf(pull))
    assert.deepEqual(planned(effects), changes, `seed ${seed}, case ${i}: ${JSON.stringify(effects)}`)
    for (const [effect, count] of Object.entries(changes)) seen[effect] = (seen[effect] ?? 0) + count
  }
  assert.ok(Object.keys(seen).length >= (action.kind === 'override' ? 0 : 2), JSON.stringify(seen))
}

test('resume: the counts of the plan are those of the pull', async () => {
  await compare(
    'sendreceive',
    { kind: 'resume' },
    (pull) => setFolder(pull, { paused: false }),
    (pull) => setFolder(pull, { paused: true }),
  )
})

test('revert: the counts of the plan are those of the revert and the pull after it', async () => {
  const sync = async (pull: SimPull) => {
    await pull.sync() // what others have changed is no part of it
  }
  await compare('receiveonly', { kind: 'revert' }, (pull) => pull.hub.while(pull.hub.model.revert(DOCS)), sync)
})

/** What the other device needs, as the index counts it. */
async function remoteNeed(pull: SimPull): Promise<number> {
  const { files, directories, symlinks, deleted } = await pull.index.needs.remoteNeedCounts(PEER)
  return files + directories + symlinks + deleted
}

function plannedThere(effects: readonly PlannedEffect[]): number {
  const { conflict: _copies, ...counts } = planned(effects, PEER)
  return Object.values(counts).reduce((sum, items) => sum + items, 0)
}

test('override: nothing changes here, and the other device needs what the plan says', async () => {
  let total = 0
  for (let i = 0; i < effort(8, 15); i++) {
    await using pull = await someFolder(random.stream(`override ${i}`), 'sendonly')
    await pull.peer.announce(pull.index)
    pull.hub.pullSoon(DOCS)
    await pull.rest() // equal items are adopted
    const [disk, before] = [await itemsOf(pull), await remoteNeed(pull)]
    const effects = await planOf(pull, { kind: 'override' })
    await pull.hub.while(pull.hub.model.override(DOCS))
    await pull.rest()
    assert.deepEqual([planned(effects), changesOf(disk, await itemsOf(pull))], [{}, {}])
    const expected = plannedThere(effects)
    assert.equal((await remoteNeed(pull)) - before, expected, `case ${i}: ${JSON.stringify(effects)}`)
    total += expected
  }
  assert.ok(total > 10, `${total}`)
})

for (const [from, to] of [
  ['sendonly', 'sendreceive'],
  ['sendonly', 'receiveonly'],
  ['receiveonly', 'sendreceive'],
  ['sendreceive', 'receiveonly'],
] as const) {
  test(`a folder that was ${from} becomes ${to}: the counts of the plan are those of the pull`, async () => {
    await compare(from, { kind: 'type', type: to }, async (pull) => {
      await setFolder(pull, { type: to })
      await pull.scan()
    })
  })
}

test('changes that stayed here are announced by another type, to the devices that the plan names', async () => {
  let total = 0
  for (let i = 0; i < effort(8, 15); i++) {
    await using pull = await someFolder(random.stream(`announced ${i}`), 'receiveonly')
    await pull.sync()
    assert.equal(await remoteNeed(pull), 0)
    const effects = await planOf(pull, { kind: 'type', type: 'sendreceive' })
    await setFolder(pull, { type: 'sendreceive' })
    await pull.scan()
    const copies = planned(effects)['conflict'] ?? 0 // they are new files for the other device
    assert.equal(await remoteNeed(pull), plannedThere(effects) + copies, `case ${i}: ${JSON.stringify(effects)}`)
    total += plannedThere(effects)
  }
  assert.ok(total > 10, `${total}`)
})

test('ignores: what they leave out stays, and what they no longer leave out is fetched', async () => {
  const setIgnores = async (pull: SimPull, lines: readonly string[]) => {
    await pull.hub.while(pull.hub.model.setIgnores(DOCS, lines))
    await pull.scan()
  }
  for (const [before, after] of [
    [[], ['/d', 'own*']],
    [['/d', '/k'], []],
    [['/d'], ['/x', '/k']],
  ] as const) {
    await using pull = await SimPull.start({ folder: SHARED })
    for (const directory of ['d', 'd/g', 'x']) pull.peer.directory(directory)
    for (const name of FILES) pull.peer.put(name, `base ${name}`)
    if (before.length > 0) await setIgnores(pull, before)
    await pull.sync()
    const effects = await planOf(pull, { kind: 'ignores', lines: after })
    const disk = await itemsOf(pull)
    await setIgnores(pull, after)
    const { '.stignore': _file, ...changes } = Object.fromEntries(await itemsOf(pull))
    const items = new Map(Object.entries(changes))
    const left = [...disk].filter(([name]) => name !== '.stignore')
    assert.deepEqual(planned(effects), changesOf(new Map(left), items))
    const records = await pull.index.records.page('local', { within: '', afterName: '', limit: 100 })
    const isIgnored = (name: string) => after.some((line) => `/${name}/`.startsWith(`${line}/`))
    const ignored = records.filter(({ name }) => disk.has(name) && isIgnored(name)).length
    assert.equal(effects.find(({ effect }) => effect === 'ignore')?.items ?? 0, ignored)
    assert.ok(effects.length > 0)
  }
})

test('ignored names that only the disk has are sent once no pattern ignores them', async () => {
  const arrange = (disk: SimPull['disk']) => {
    disk.put(`${ROOT}/.stignore`, '/d\n*.tmp\n')
    disk.put(`${ROOT}/d/never`, 'recorded')
    disk.put(`${ROOT}/x.tmp`, 'x')
  }
  await using pull = await SimPull.start({ folder: SHARED, arrange })
  const effects = await planOf(pull, { kind: 'ignores', lines: ['*.tmp'] })
  assert.deepEqual(
    effects.map(({ effect, items, bytes, examples }) => [effect, items, bytes, examples]),
    [['announce', 2, 8, ['d', 'd/never']]],
  )
})

test('an action that the folder does not allow is refused with the reason', async () => {
  await using pull = await SimPull.start({ folder: SHARED })
  const refusals: readonly (readonly [Action, RegExp])[] = [
    [{ kind: 'override' }, /only a sendonly folder/],
    [{ kind: 'revert' }, /only a receiveonly folder/],
    [{ kind: 'type', type: 'receiveencrypted' }, /cannot become encrypted/],
    [{ kind: 'share', device: PEER }, /shared with this device already/],
    [{ kind: 'unshare', device: pull.hub.config.devices[0]!.deviceID }, /not shared with this device/],
  ]
  for (const [action, reason] of refusals) await assert.rejects(planOf(pull, action), reason)
})

test('what a device alone has is lost without it, and what it lacks it does not get', async () => {
  await using pull = await SimPull.start({ folder: SHARED })
  pull.disk.put(`${ROOT}/ours`, 'ours')
  await pull.scan()
  pull.peer.put('theirs', 'theirs!')
  await pull.peer.announce(pull.index)
  const rows = (effects: readonly PlannedEffect[]) =>
    effects.map(({ effect, device, items, bytes, examples }) => [effect, device, items, bytes, ...examples])
  assert.deepEqual(rows(await planOf(pull, { kind: 'unshare', device: PEER })), [
    ['lose', undefined, 1, 7, 'theirs'],
    ['leave', PEER, 1, 4, 'ours'],
  ])
  assert.deepEqual(rows(await planOf(pull, { kind: 'remove' })), [
    ['leave', undefined, 1, 7, 'theirs'],
    ['lose', PEER, 1, 4, 'ours'],
  ])
})

test('a plan of many items lets other work run, names ten of them, and ends with its request', async () => {
  await using pull = await SimPull.start({ folder: SHARED })
  for (let i = 0; i < 3_000; i++) pull.peer.put(`f${i}`, 'x')
  await pull.peer.announce(pull.index)
  let [nowMs, turns] = [0, 0]
  const stop = new AbortController()
  const clock = {
    nowMs: () => 0,
    monotonicMs: () => nowMs++,
    sleep: async (_ms: number, signal: AbortSignal) => (turns++, signal.throwIfAborted()),
  }
  const never = () => assert.fail('not needed')
  const folders = {
    configured: () => pull.hub.config.folders[0]!,
    find: never,
    running: () => undefined,
    root: () => ROOT,
    storedKept: () =>
      new KeptFiles(
        { disk: pull.disk, log: pull.hub.log.logger('model') },
        { folder: DOCS, directory: '/kept', readOnly: true },
      ),
    collects: () => false,
  }
  const deps = {
    clock,
    disk: pull.disk,
    system: { platform: 'linux' },
    folders,
    query: <T>(_: string, read: (i: FolderIndex) => Promise<T>) => read(pull.index),
  }
  const explorer = new Explorer(deps, LOCAL_ID)
  const [fetched] = await explorer.plan(DOCS, { kind: 'resume' }, NEVER)
  assert.deepEqual([fetched?.effect, fetched?.items, fetched?.examples.length], ['fetch', 3_000, 10])
  assert.ok(turns >= 500, `${turns} turns`)
  stop.abort()
  await assert.rejects(explorer.plan(DOCS, { kind: 'resume' }, stop.signal), { name: 'AbortError' })
})

for (const [system, expected] of [
  ['linux', ['leave']],
  ['win32', []],
] as const)
  test(`other permission bits of a send-only folder are a difference only where there are any: ${system}`, async () => {
    await using pull = await SimPull.start({ system, folder: SHARED })
    pull.peer.put('a', 'same', { permissions: 0o644 })
    await pull.sync()
    await setFolder(pull, { type: 'sendonly' })
    await pull.rest()
    const { version } = (await pull.index.records.head('local', 'a'))!
    pull.peer.put('a', 'same', { permissions: 0o600, basedOn: version })
    await pull.peer.announce(pull.index)
    const effects = await planOf(pull, { kind: 'resume' })
    assert.deepEqual(
      effects.map(({ effect }) => effect),
      expected,
    )
    pull.hub.pullSoon(DOCS)
    await pull.rest()
    const { version: after } = (await pull.index.records.head('local', 'a'))!
    assert.equal(isDeepStrictEqual(after, version), expected.length > 0, 'the pull does the same')
  })
