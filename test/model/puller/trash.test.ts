import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { FOLDER_EXTENSIONS } from '../../../src/core/config/extensions.ts'
import { nodeClock } from '../../../src/platform/node/clock.ts'
import { nodeDisk } from '../../../src/platform/node/disk/disk.ts'
import { nodePrograms } from '../../../src/platform/node/programs.ts'
import { quietLogger } from '../../support/logger.ts'
import { DOCS, simFolder } from '../../support/model.ts'
import { scratchDirectory } from '../../support/scratch.ts'
import { createVersioner } from '../../../src/versioner/versioner.ts'
import { DAY_MS, keeping, keptVersions, listed, MINUTE_MS, restore } from './kept-versions.ts'
import { ROOT, SimPull, type Setup } from './sim-pull.ts'

const HOUR_MS = 60 * MINUTE_MS

/** A folder with the trash can of folders that are made here. */
async function startSafe(setup: Setup = {}): Promise<SimPull> {
  const versioning = keeping('trashcan', { cleanoutDays: '30' })
  const pull = await SimPull.start({ ...setup, folder: { rescanIntervalS: 0, versioning, ...setup.folder } })
  pull.hub.extensions = { ...FOLDER_EXTENSIONS, versionsPercentMax: 10 }
  return pull
}

const namesOf = async (pull: SimPull) => (await keptVersions(pull)).map((line) => line.split('=')[0])

for (const isTimeSet of [true, false]) {
  const more = isTimeSet ? '' : ', also if no time can be set'
  test(`a file with an old time is kept 30 days from its deletion${more}`, async () => {
    await using pull = await startSafe()
    const nowS = Math.floor(pull.hub.platform.clock.nowMs() / 1_000)
    pull.peer.put('old', 'content', { modifiedS: nowS - 5 * 365 * 86_400 })
    await pull.sync()
    assert.ok((await pull.disk.lstat(`${ROOT}/old`)).modifiedS < nowS - 86_400)
    const { disk } = pull
    const setModified = disk.setModified.bind(disk)
    disk.setModified = async (path, ...time) => {
      if (!isTimeSet && path.includes('.stversions')) throw Object.assign(new Error('EPERM'), { code: 'EPERM' })
      await setModified(path, ...time)
    }
    pull.peer.delete('old')
    await pull.sync()
    await pull.hub.pass(29 * DAY_MS)
    assert.equal((await keptVersions(pull)).length, 1)
    await pull.hub.pass(2 * DAY_MS)
    assert.deepEqual(await keptVersions(pull), [])
  })
}

test('old versions have at most their share of the disk: the oldest are removed first', async () => {
  await using pull = await startSafe({ disk: { capacityBytes: 100_000 } })
  for (let n = 0; n < 15; n++) pull.peer.put(`f${n}`, 'x'.repeat(1_000))
  await pull.sync()
  for (let n = 0; n < 15; n++) {
    pull.peer.delete(`f${n}`)
    await pull.sync()
    await pull.hub.pass(HOUR_MS / 2)
  }
  await pull.hub.pass(2 * HOUR_MS)
  const expected = Array.from({ length: 10 }, (_, n) => `f${n + 5}`).sort()
  assert.deepEqual(await namesOf(pull), expected)
  const used = await pull.hub.while(pull.hub.model.versionsUsed(DOCS))
  assert.deepEqual(used, { files: 10, sizeBytes: 10_000, maxBytes: 10_000 })

  // What alone is larger is not kept; that must not remove everything else.
  pull.peer.put('large', 'x'.repeat(20_000))
  await pull.sync()
  pull.peer.delete('large')
  await pull.sync()
  assert.ok((await namesOf(pull)).includes('large'), 'within the first hour')
  await pull.hub.pass(3 * HOUR_MS)
  assert.deepEqual(await namesOf(pull), expected)

  // A smaller share is in force when something is archived.
  pull.hub.extensions = { ...pull.hub.extensions, versionsPercentMax: 3 }
  pull.peer.put('next', 'x'.repeat(1_000))
  await pull.sync()
  pull.peer.delete('next')
  await pull.sync()
  assert.deepEqual(await namesOf(pull), ['f13', 'f14', 'next'])
})

test('what was archived within the last hour is not removed for its size', async () => {
  await using pull = await startSafe({ disk: { capacityBytes: 100_000 } })
  for (let n = 0; n < 15; n++) pull.peer.put(`f${n}`, `${n}`.padEnd(1_000, 'x'))
  await pull.sync()
  for (let n = 0; n < 15; n++) pull.peer.delete(`f${n}`)
  await pull.sync()
  assert.equal((await namesOf(pull)).length, 15)
  await pull.hub.pass(4 * HOUR_MS)
  assert.equal((await namesOf(pull)).length, 10)
})

test('versions removed by other programs, and restored ones, do not count', async () => {
  await using pull = await startSafe({ disk: { capacityBytes: 100_000 } })
  for (let n = 0; n < 12; n++) pull.peer.put(`f${String(n).padStart(2, '0')}`, 'x'.repeat(1_000))
  await pull.sync()
  for (let n = 0; n < 9; n++) pull.peer.delete(`f0${n}`)
  await pull.sync()
  const versions = await listed(pull)
  assert.deepEqual(await restore(pull, 'f00', versions['f00']![0]!), [])
  await pull.disk.removeFile(`${ROOT}/.stversions/f01`)
  await pull.hub.pass(2 * HOUR_MS) // the clean-up counts them
  for (const name of ['f09', 'f10', 'f11']) pull.peer.delete(name)
  await pull.sync()
  assert.equal((await namesOf(pull)).length, 10)
})

test('an idle day makes no disk access', async () => {
  await using pull = await startSafe()
  pull.peer.put('f', 'one')
  await pull.sync()
  pull.peer.delete('f')
  await pull.sync()
  await pull.hub.pass(2 * HOUR_MS)
  let calls = 0
  const disk = pull.disk as unknown as Record<string, unknown>
  for (const name of ['delay', 'begin'] as const) {
    const before = disk[name] as (...args: unknown[]) => unknown
    disk[name] = (...args: unknown[]) => {
      calls++
      return before.apply(disk, args)
    }
  }
  await pull.hub.pass(DAY_MS)
  assert.equal(calls, 0)
  await pull.hub.pass(30 * DAY_MS)
  assert.notEqual(calls, 0, 'the calls are counted')
  assert.deepEqual(await keptVersions(pull), [])
})

test('every replaced version is kept, the older ones with their time; later they are thinned', async () => {
  await using pull = await startSafe()
  for (const content of ['one', 'two', 'three', 'four']) {
    pull.peer.put('d.txt', content)
    await pull.sync()
    await pull.hub.pass(MINUTE_MS)
  }
  const contents = (await keptVersions(pull)).map((line) => line.split('=')[1])
  assert.deepEqual([...contents].sort(), ['one', 'three', 'two'])
  assert.equal((await keptVersions(pull)).at(0), 'd.txt=three', 'the newest has the name of the file')
  assert.equal((await listed(pull))['d.txt']?.length, 3)
  await pull.hub.pass(2 * HOUR_MS)
  assert.deepEqual((await keptVersions(pull)).map((line) => line.split('=')[1]).sort(), ['one', 'three'])
  await pull.hub.pass(31 * DAY_MS)
  assert.deepEqual(await keptVersions(pull), [])
})

test('versions that are replaced within one second are all kept, and found by their times', async () => {
  await using pull = await startSafe()
  for (const content of ['one', 'two', 'three', 'four']) {
    pull.peer.put('f', content)
    await pull.sync()
  }
  const times = (await listed(pull))['f']!
  assert.equal(new Set(times).size, 3, String(times))
  const found: string[] = []
  for (const time of times) {
    assert.deepEqual(await restore(pull, 'f', time), [])
    found.push(await pull.read('f'))
  }
  assert.deepEqual(found.sort(), ['one', 'three', 'two'])
})

test('files that have the name of a version are not thinned', async () => {
  await using pull = await startSafe()
  const names = ['01', '02', '03'].map((second) => `a~20260101-1200${second}.txt`)
  for (const name of names) pull.peer.put(name, name)
  await pull.sync()
  for (const name of names) pull.peer.delete(name)
  await pull.sync()
  await pull.hub.pass(3 * DAY_MS)
  assert.deepEqual(await namesOf(pull), names)
})

test('what a mass deletion removes stays, whatever its size, until it is dismissed', async () => {
  await using pull = await startSafe({ disk: { capacityBytes: 1_000_000 } })
  pull.hub.extensions = { ...pull.hub.extensions, guard: true, versionsPercentMax: 1 }
  for (let n = 0; n < 40; n++) pull.peer.put(`f${n}`, `${n} `.padEnd(1_000, 'x'))
  await pull.sync()
  assert.equal((await pull.tree()).length, 40)
  await pull.hub.pass(2 * HOUR_MS)
  for (let n = 0; n < 40; n++) pull.peer.delete(`f${n}`)
  await pull.sync()
  await pull.hub.pass(2 * HOUR_MS)
  assert.equal((await namesOf(pull)).length, 40)
  await pull.hub.while(pull.hub.model.dismissGuard(DOCS))
  await pull.hub.pass(2 * HOUR_MS)
  assert.equal((await namesOf(pull)).length, 10)
})

test('while versions are frozen none is removed or replaced', async () => {
  for (const type of ['simple', 'trashcan']) {
    using scratch = scratchDirectory()
    const root = scratch.path
    let isFrozen = true
    const versioner = createVersioner(
      { clock: nodeClock, disk: nodeDisk, programs: nodePrograms, log: quietLogger('versioner') },
      {
        folder: { ...simFolder('docs'), versioning: keeping(type, { keep: '1' }) },
        root,
        userHome: root,
        versionsPercentMax: () => 0,
        isFrozen: () => isFrozen,
      },
    )!
    const { signal } = new AbortController()
    const archive = async (content: string) => {
      writeFileSync(join(root, 'f'), content)
      await versioner.archive('f', signal)
    }
    for (const content of ['one', 'two', 'three']) await archive(content)
    assert.equal(versioner.isCleanDue, false)
    await versioner.clean(signal)
    assert.equal((await versioner.versions(signal)).get('f')?.length, 3, type)
    isFrozen = false
    assert.equal(versioner.isCleanDue, true)
    await archive('four')
    assert.equal((await versioner.versions(signal)).get('f')?.length, type === 'simple' ? 1 : 3, type)
  }
})

test('the trash is emptied: all of it, single paths, or what is older', async () => {
  await using pull = await startSafe()
  const { model } = pull.hub
  for (const name of ['a', 'd/b', 'd/c', 'e']) pull.peer.put(name, 'xx')
  pull.peer.directory('d')
  await pull.sync()
  const empty = async (paths: readonly string[], beforeMs?: number) =>
    await pull.hub.while(model.emptyVersions(DOCS, { paths, beforeMs }))
  pull.peer.delete('a')
  await pull.sync()
  await pull.hub.pass(DAY_MS)
  const betweenMs = pull.hub.platform.clock.nowMs()
  await pull.hub.pass(DAY_MS)
  for (const name of ['d/b', 'd/c', 'e']) pull.peer.delete(name)
  await pull.sync()
  assert.deepEqual(await empty(['nothing', 'd/']), { files: 0, sizeBytes: 0 })
  assert.deepEqual(await empty(['d/b']), { files: 1, sizeBytes: 2 })
  assert.deepEqual(await namesOf(pull), ['a', 'd/c', 'e'])
  assert.deepEqual(await empty([], betweenMs), { files: 1, sizeBytes: 2 })
  assert.deepEqual(await namesOf(pull), ['d/c', 'e'])
  assert.deepEqual(await empty(['d']), { files: 1, sizeBytes: 2 })
  assert.deepEqual(await empty([]), { files: 1, sizeBytes: 2 })
  assert.deepEqual(await pull.tree('.stversions'), [])
  assert.deepEqual((await pull.hub.while(model.versionsUsed(DOCS))).files, 0)
})
