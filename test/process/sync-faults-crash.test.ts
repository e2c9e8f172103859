import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { inSync, statusOf } from '../support/daemon-pair.ts'
import { contentsOf, converged, differences, startPair, type Device, type DevicePair } from '../support/device-pair.ts'
import { casesOf, reportRow } from '../support/effort.ts'
import { eventually, POLL_MS, scratchDirectory } from '../support/scratch.ts'
import { testSeed } from '../support/seed.ts'
import { assertConverged, conflicts, Contents, temporaries } from './crash-scene.ts'

/** So many that a kill finds some of them unfinished. */
const FILE_COUNT = casesOf(200, 400)
const PULL_MS_MAX = 60_000

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
const roundedS = (sinceMs: number) => Number(((performance.now() - sinceMs) / 1000).toFixed(1))

/**
 * Files that are changed together, each group once before all have arrived: a file which came just before a kill and
 * is not in the index yet counts as an edit of the receiver, so that another edit at the source would be a conflict.
 */
const GROUPS = 8
const FIRST_PULL_KILLS = 3
const PATHS = Array.from({ length: FILE_COUNT }, (_, i) => `d${i % 20}/f${i}`)
const groupOf = (round: number) => PATHS.filter((_, i) => i % GROUPS === round % GROUPS)

async function change(source: Device, contents: Contents, round: number): Promise<void> {
  for (const path of groupOf(round)) contents.write(path)
  await source.scan()
}

async function startWithFiles(directory: string): Promise<{ readonly pair: DevicePair; readonly contents: Contents }> {
  const pair = await startPair(directory)
  const contents = new Contents(pair.a.root, seed)
  for (const path of PATHS) contents.write(path)
  await pair.a.scan()
  return { pair, contents }
}

const seed = testSeed()

/** Resolves when the device pulls, or has done so before anybody could see it. */
async function whilePulling(device: Device): Promise<void> {
  const isPulling = async () => {
    const { state, needTotalItems, globalTotalItems } = await statusOf(device)
    return state === 'syncing' || (state === 'idle' && needTotalItems === 0 && globalTotalItems > 0) || undefined
  }
  await eventually('a pull', isPulling, PULL_MS_MAX, POLL_MS)
}

test(`C-01: the receiver killed at any moment of a pull leaves no torn file (TWINFOLD_SEED=${seed})`, async () => {
  using directory = scratchDirectory()
  const { pair, contents } = await startWithFiles(directory.path)
  await using _pair = pair
  const { a, b } = pair
  const startedMs = performance.now()
  const kills = casesOf(5, 200)
  const figures = { survived: 0, torn: 0, killedMidPull: 0, killedBehind: 0, temporariesSeen: 0, convergeSecs: 0 }
  for (let round = 0; round < kills; round++) {
    await b.whenConnectedTo(a.id)
    if (round % 4 !== 3) await whilePulling(b)
    await pause(contents.below(round % 2 === 0 ? 50 : 300))
    await b.kill()
    const begun = temporaries(b.root).length
    figures.torn += contents.torn(b.root).length
    figures.temporariesSeen += begun
    figures.killedMidPull += Number(begun > 0)
    figures.killedBehind += Number(differences(a.root, b.root).length > 0)
    // The first kills fall into the first pull of everything, which does not change meanwhile.
    if (round % GROUPS >= FIRST_PULL_KILLS) await change(a, contents, round)
    await b.startAgain()
    figures.survived += Number(b.isRunning)
    if (round % GROUPS !== FIRST_PULL_KILLS - 1) continue
    const killsDoneMs = performance.now()
    await assertConverged(pair, contents)
    figures.convergeSecs = Math.max(figures.convergeSecs, roundedS(killsDoneMs))
  }
  await assertConverged(pair, contents)
  reportRow({
    id: 'C-01',
    tried: kills,
    ...figures,
    bytes: contents.bytes,
    temporariesLeft: temporaries(b.root).length,
    peakRssMiB: b.peakRssMib(),
    seed,
    secs: roundedS(startedMs),
  })
  assert.equal(figures.torn, 0)
  assert.ok(figures.killedBehind > 0, 'no kill fell into a pull')
})

/** Who is killed, and what is under way then. */
const KILLS: readonly (readonly [
  name: string,
  act: (pair: DevicePair, contents: Contents) => Promise<readonly Device[]>,
])[] = [
  [
    'the sender in a pull',
    async ({ a, b }, contents) => {
      await b.whenConnectedTo(a.id)
      await whilePulling(b)
      await pause(contents.below(100))
      return [a]
    },
  ],
  [
    'both in a pull',
    async ({ a, b }, contents) => {
      await b.whenConnectedTo(a.id)
      await whilePulling(b)
      await pause(contents.below(100))
      return [a, b]
    },
  ],
  [
    'the sender in a scan',
    async ({ a }, contents) => {
      for (let i = 0; i < 100; i++) contents.write(`new/${i}`)
      a.scan().catch(() => {}) // it is killed before it can answer
      await pause(contents.below(150))
      return [a]
    },
  ],
  [
    'the receiver in a scan',
    async ({ b }, contents) => {
      b.scan().catch(() => {})
      await pause(contents.below(60))
      return [b]
    },
  ],
  [
    'the receiver in an exchange of indexes',
    async ({ a, b }) => {
      await b.whenConnectedTo(a.id)
      return [b]
    },
  ],
  [
    'the sender in an exchange of indexes',
    async ({ a, b }) => {
      await a.whenConnectedTo(b.id)
      return [a]
    },
  ],
  [
    'the receiver as it saves its configuration',
    async ({ b }, contents) => {
      b.daemon.request('PATCH', '/rest/config/options', { maxFolderConcurrency: 2 }).catch(() => {})
      await pause(contents.below(30))
      return [b]
    },
  ],
]

test(`C-02: killed at critical moments, both resume and converge (TWINFOLD_SEED=${seed})`, async () => {
  using directory = scratchDirectory()
  const { pair, contents } = await startWithFiles(directory.path)
  await using _pair = pair
  await assertConverged(pair, contents)
  const startedMs = performance.now()
  const figures = { tried: 0, survived: 0, torn: 0 }
  for (let round = 0; round < casesOf(1, 10); round++) {
    await change(pair.a, contents, figures.tried)
    for (const [name, act] of KILLS) {
      const victims = await act(pair, contents)
      await Promise.all(victims.map((victim) => victim.kill()))
      const torn = contents.torn(pair.b.root)
      figures.torn += torn.length
      assert.deepEqual(torn, [], name)
      await Promise.all(victims.map((victim) => victim.startAgain()))
      figures.survived += Number(pair.both.every(({ isRunning }) => isRunning))
      figures.tried += 1
      await change(pair.a, contents, figures.tried)
    }
    await assertConverged(pair, contents)
  }
  reportRow({
    id: 'C-02',
    ...figures,
    temporariesLeft: temporaries(pair.b.root).length,
    seed,
    secs: roundedS(startedMs),
  })
  assert.equal(figures.survived, figures.tried)
})

test('D-03: the index of one side deleted: no conflict, no resurrected items', async () => {
  using directory = scratchDirectory()
  await using pair = await startPair(directory.path)
  const { a, b, both } = pair
  const contents = new Contents(a.root, seed)
  for (const path of PATHS.slice(0, 120)) contents.write(path)
  await a.scan()
  await inSync(both)
  const deleted = PATHS.slice(0, 20)
  for (const path of deleted) rmSync(join(a.root, path))
  await a.scan()
  await inSync(both)
  await converged(pair)
  const before = contentsOf(a.root)
  let resurrected = 0
  for (const victim of [b, a]) {
    await victim.stop()
    assert.notDeepEqual(victim.deleteIndex(), [], 'there was an index to delete')
    await victim.startAgain()
    await converged(pair)
    resurrected += deleted.filter((path) => contentsOf(a.root).has(path) || contentsOf(b.root).has(path)).length
  }
  const found = both.flatMap(({ root }) => conflicts(root))
  reportRow({ id: 'D-03', tried: both.length, files: before.size, conflicts: found.length, resurrected })
  assert.deepEqual(found, [])
  assert.equal(resurrected, 0)
  for (const { root } of both) assert.deepEqual(contentsOf(root), before)
})
