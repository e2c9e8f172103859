/** Conflicting edits that are merged while a file is pulled, with failures and power losses at every call. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FolderConfig } from '../../../src/core/config/config.ts'
import { compareVersions } from '../../../src/core/records/version-vector.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { DOCS } from '../../support/model.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const MINUTE_MS = 60_000
const NAME = 'd/notes.txt'
const LINES = ['one', 'two', 'three', 'four', 'five', 'six']
const text = (lines: readonly string[]) => lines.map((line) => `${line}\n`).join('')
const OURS = text(LINES.with(0, 'ONE'))
const THEIRS = text(LINES.with(5, 'SIX'))
const MERGED = text(LINES.with(0, 'ONE').with(5, 'SIX'))
const LATER = { modifiedS: 4_000_000_000 }

/** A file in sync, and then edited here and by the other device, which does not announce that yet. */
async function startConflict({
  theirs = THEIRS,
  ours = OURS,
  merge = 'on' as 'on' | 'offer',
  seed = 1,
  folder = {} as Partial<FolderConfig>,
} = {}): Promise<SimPull> {
  const pull = await SimPull.start({ seed, folder })
  pull.hub.extensions = { ...pull.hub.extensions, merge }
  await pull.scan() // from now on versions that meet are noted
  pull.peer.directory('d')
  pull.peer.put(NAME, text(LINES))
  await pull.sync()
  pull.disk.put(`${ROOT}/${NAME}`, ours)
  await pull.scan()
  pull.disk.syncAll()
  pull.peer.put(NAME, theirs, LATER)
  return pull
}

test('a merged file follows both versions, and is announced as a change of ours', async () => {
  await using pull = await startConflict()
  const ours = (await pull.index.records.get('local', NAME))!
  const theirs = pull.peer.records.get(NAME)!
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['d/', NAME])
  assert.equal(await pull.read(NAME), MERGED)
  const merged = (await pull.index.records.get('local', NAME))!
  for (const side of [ours, theirs]) assert.equal(compareVersions(merged.version, side.version), 'newer')
  assert.equal(merged.modifiedBy, ours.modifiedBy)
  assert.equal(merged.localFlags, 0)
  assert.equal(merged.modifiedS, LATER.modifiedS, 'the later time of both')
  assert.deepEqual((await pull.index.records.global(NAME))?.version, merged.version)
  await pull.assertSettled()
})

test('a file of several blocks is merged, too, where old versions are kept', async () => {
  const versioning = {
    type: 'simple',
    params: { keep: '5' },
    cleanupIntervalS: 0,
    fsPath: '',
    fsType: 'basic',
  } as const
  const long = Array.from({ length: 40_000 }, (_, index) => `line ${index}`)
  await using pull = await SimPull.start({ folder: { versioning } })
  pull.hub.extensions = { ...pull.hub.extensions, merge: 'on' }
  await pull.scan()
  pull.peer.put('long.txt', text(long))
  await pull.sync()
  pull.disk.put(`${ROOT}/long.txt`, text(long.with(7, 'ours')))
  await pull.scan()
  pull.peer.put('long.txt', text(long.with(30_000, 'theirs')), LATER)
  await pull.sync()
  assert.equal(await pull.read('long.txt'), text(long.with(7, 'ours').with(30_000, 'theirs')))
  assert.ok((await pull.tree()).some((path) => path.startsWith('.stversions/long~')))
  await pull.assertSettled()
})

test('what cannot be merged becomes a conflict copy', async () => {
  const refused = [
    { theirs: text(LINES.with(0, 'eins')) },
    { theirs: text(LINES.slice(1)) },
    { theirs: `${THEIRS}\0` },
    { theirs: 'x'.repeat(1_100_000) },
    { merge: 'offer' as const },
    { folder: { type: 'receiveonly' as const } },
  ]
  for (const given of refused) {
    await using pull = await startConflict(given)
    await pull.sync()
    const copies = (await pull.tree()).filter((path) => path.includes('sync-conflict'))
    assert.equal(copies.length, 1, JSON.stringify(given).slice(0, 60))
    assert.equal(await pull.read(copies[0]!), OURS)
    assert.equal(await pull.read(NAME), given.theirs ?? THEIRS)
  }
})

test('an edit that the winner contains is no conflict, and makes no version', async () => {
  await using pull = await startConflict({ theirs: MERGED })
  await pull.sync()
  assert.deepEqual(await pull.tree(), ['d/', NAME])
  assert.deepEqual((await pull.index.records.get('local', NAME))?.version, pull.peer.records.get(NAME)?.version)
})

test('without a base there is an ordinary conflict', async () => {
  await using pull = await SimPull.start({ arrange: (disk) => disk.put(`${ROOT}/f.txt`, OURS) })
  pull.hub.extensions = { ...pull.hub.extensions, merge: 'on' }
  pull.peer.put('f.txt', THEIRS, LATER)
  await pull.sync()
  assert.equal((await pull.tree()).length, 2)
})

test('keeping bases reads nothing that was in memory, and an idle folder does nothing for them', async () => {
  const calls: number[] = []
  for (const merge of ['off', 'offer'] as const) {
    await using pull = await SimPull.start()
    pull.hub.extensions = { ...pull.hub.extensions, merge }
    await pull.scan()
    for (let number = 0; number < 5; number++) pull.peer.put(`f${number}.txt`, text(LINES.with(0, `${number}`)))
    const before = pull.disk.faults.callCount
    await pull.sync()
    await pull.hub.pass(30 * MINUTE_MS)
    calls.push(pull.disk.faults.callCount - before)
    const stored = await pull.hub.store.bases.of(DOCS, 'f3.txt')
    assert.equal(stored.length, merge === 'off' ? 0 : 1)
    pull.hub.extensions = { ...pull.hub.extensions, merge: 'off' }
    await pull.scan()
    assert.deepEqual(await pull.hub.store.bases.of(DOCS, 'f3.txt'), [], 'nothing is kept of a folder without merges')
  }
  assert.equal(calls[1], calls[0])
})

/** All lines of both edits are in the file or in a conflict copy. */
async function assertNothingLost(pull: SimPull, what: string): Promise<void> {
  const names = (await pull.tree()).filter((path) => path.startsWith('d/notes'))
  const lines = new Set((await Promise.all(names.map((name) => pull.read(name)))).join('').split('\n'))
  for (const line of ['ONE', 'SIX', 'three'])
    assert.ok(lines.has(line), `${what}: ${line} is lost of ${names.join(' ')}`)
}

test('no line is lost, whichever disk call of a merge fails', async () => {
  let tried = 0
  for (let nth = 1, calls = 1; nth <= calls; nth++, tried++) {
    await using pull = await startConflict()
    const before = pull.disk.faults.callCount
    pull.disk.fail({ call: 'any', code: 'EIO', nth, times: 1, under: `${ROOT}/d` })
    await pull.sync()
    calls = Math.max(calls, Math.min(200, pull.disk.faults.callCount - before))
    pull.disk.faults.clear()
    const now = await pull.read(NAME)
    assert.ok([OURS, THEIRS, MERGED].includes(now), `call ${nth} leaves a torn file`)
    await pull.hub.pass(5 * MINUTE_MS)
    await pull.rest()
    await assertNothingLost(pull, `call ${nth}`)
    assert.deepEqual([await pull.errors(), await pull.needed()], [[], []], `call ${nth}`)
  }
  assert.ok(tried > 10, `only ${tried} calls`)
})

async function crashAt(nth: number): Promise<number> {
  await using pull = await startConflict({ seed: nth })
  const before = pull.disk.faults.callCount
  pull.disk.faults.powerOffAt(nth)
  await pull.sync()
  const calls = pull.disk.faults.callCount - before
  pull.disk.crash(new SimRandom(nth))
  await pull.hub.pass(10 * MINUTE_MS)
  await pull.scan()
  pull.hub.pullSoon(DOCS)
  await pull.rest()
  await assertNothingLost(pull, `power loss at call ${nth}`)
  assert.equal(await pull.read(NAME), MERGED, `power loss at call ${nth}`)
  assert.deepEqual(await pull.tree(), ['d/', NAME], `power loss at call ${nth}`)
  return calls
}

test('after a power loss at any call of a merge the next start merges the same', async () => {
  const calls = await crashAt(1_000_000)
  for (let nth = 1; nth <= calls; nth++) await crashAt(nth)
  assert.ok(calls > 10, `only ${calls} calls`)
})

const COPY = 'd/notes.sync-conflict-20260101-000000-ABCDEFG.txt'

/** The other device has lost: it takes our version, and announces its own as a conflict copy. */
async function startCopied(seed: number): Promise<SimPull> {
  const pull = await startConflict({ seed })
  pull.peer.put(NAME, THEIRS, { modifiedS: 1_000_000_000, basedOn: pull.peer.records.get(NAME)!.version })
  await pull.sync()
  assert.equal(await pull.read(NAME), OURS, 'ours wins')
  pull.peer.contents.set(NAME, Buffer.from(OURS))
  pull.peer.records.set(NAME, (await pull.index.records.get('local', NAME))!)
  pull.peer.put(COPY, THEIRS)
  return pull
}

async function crashWhileSettling(nth: number): Promise<number> {
  await using pull = await startCopied(nth)
  pull.disk.syncAll()
  const before = pull.disk.faults.callCount
  pull.disk.faults.powerOffAt(nth)
  await pull.sync()
  const calls = pull.disk.faults.callCount - before
  pull.disk.crash(new SimRandom(nth))
  await pull.hub.pass(10 * MINUTE_MS)
  await pull.scan()
  pull.hub.pullSoon(DOCS)
  await pull.rest()
  await assertNothingLost(pull, `power loss at call ${nth}`)
  if (nth > calls) assert.deepEqual([await pull.tree(), await pull.read(NAME)], [['d/', NAME], MERGED])
  return calls
}

test('a conflict copy of another device is merged into its file; a power loss at any call loses no line', async () => {
  const calls = await crashWhileSettling(1_000_000)
  for (let nth = 1; nth <= calls; nth += 2) await crashWhileSettling(nth)
  assert.ok(calls > 10, `only ${calls} calls`)
})
