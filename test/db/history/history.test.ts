import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { deviceIdFromBytes, shortIdOf } from '../../../src/core/device-id.ts'
import { HISTORY_AGE_MS_MAX } from '../../../src/core/history/retention.ts'
import type { HistoryEntry } from '../../../src/core/history/entry.ts'
import type { FolderIndex } from '../../../src/db/types.ts'
import { nodeClock } from '../../../src/platform/node/clock.ts'
import { scratchDirectory } from '../../support/scratch.ts'
import { blocks, deletion, file, FOLDER, openTestStore, SELF, version } from '../records.ts'

/** A clock that the test sets. */
function clockAt(nowMs: number) {
  const clock = { ...nodeClock, now: nowMs, nowMs: () => clock.now }
  return clock
}

async function forwards(index: FolderIndex, after = 0): Promise<readonly HistoryEntry[]> {
  const all: HistoryEntry[] = []
  for (let batch: number | undefined = after; batch !== undefined;) {
    const { entries, next } = await index.history.after(batch)
    all.push(...entries) // at most the entries of a test
    batch = next
  }
  return all
}

function brief({ kind, name, origin }: HistoryEntry): string {
  return `${origin} ${kind} ${name}`.trim()
}

test('the first scan is one entry with counts; later changes are entries of their own', async () => {
  const clock = clockAt(5_000)
  await using store = await openTestStore(undefined, { clock })
  const index = await store.folder(FOLDER)
  await index.records.updateLocal([file('a'), file('b')], 'scan')
  await index.records.updateLocal([file('c')], 'scan')
  assert.equal(await index.history.sinceMs(), undefined)
  assert.deepEqual(await forwards(index), [])
  await index.history.begin()
  await index.history.begin() // a later scan of everything begins no second history
  assert.equal(await index.history.sinceMs(), 5_000)
  clock.now = 6_000
  await index.records.updateLocal([deletion('a', { version: version(2) }), file('d'), file('b')], 'scan')
  await index.records.updateLocal([file('e')])
  const [baseline, ...rest] = await forwards(index)
  assert.deepEqual(baseline?.baseline, { files: 3, directories: 0, symlinks: 0, bytes: 3_000 })
  assert.deepEqual(rest.map(brief), ['scan deleted a', 'scan added d'], 'what has no origin is no history')
  const [deleted, added] = rest
  assert.equal(deleted?.atMs, 6_000)
  assert.equal(deleted.by, SELF)
  assert.deepEqual([deleted.fromVersion, deleted.toVersion], ['1:1', '1:2'])
  assert.equal(deleted.before?.sizeBytes, 1_000)
  const head = await index.records.head('local', 'b')
  assert.match(deleted.before.blocksHash, /^[\w-]{43}$/)
  assert.equal(deleted.after, undefined)
  assert.equal(added?.before, undefined)
  assert.equal(added?.after?.sizeBytes, head?.sizeBytes)
  assert.deepEqual(
    rest.map(({ position }) => position.place),
    [0, 1],
  )
})

test('a pull begins the history before the first scan has ended, and names devices with the version', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  const peers = [1, 2].map((byte) => deviceIdFromBytes(new Uint8Array(32).fill(byte)))
  const mine = file('x', { version: version(0, 7) })
  await index.records.updateRemote(peers[0]!, [{ ...mine, sequence: 1 }])
  await index.records.updateRemote(peers[1]!, [{ ...mine, version: version(0, 6), sequence: 1 }])
  await index.records.updateLocal([mine], 'pull')
  const [baseline, pulled] = await forwards(index)
  assert.equal(baseline?.kind, 'baseline')
  assert.deepEqual(pulled?.via, [shortIdOf(peers[0]!)])
  assert.equal(pulled && brief(pulled), 'pull added x')
})

test('a restored version that a scan finds is one; the next change of the file is not', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  await index.records.updateLocal([file('a'), file('b')], 'scan')
  await index.history.begin()
  await index.history.expectRestored(['a'])
  const changed = (name: string, text: string) => file(name, { blockHashes: blocks(text) })
  await index.records.updateLocal([changed('a', '1'), changed('b', '1')], 'scan')
  await index.records.updateLocal([changed('a', '2')], 'scan')
  const found = (await forwards(index)).map(brief)
  assert.deepEqual(found.slice(1).sort(), ['restore changed a', 'scan changed a', 'scan changed b'])
})

test('what an interrupted rewind has put counts as rewound where a scan finds it with that content', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  const changed = (name: string, text: string) => file(name, { blockHashes: blocks(text) })
  await index.records.updateLocal([changed('a', '1'), changed('b', '1')], 'scan')
  await index.history.begin()
  await index.records.updateLocal([changed('a', '2'), changed('b', '2'), changed('c', '2')], 'scan')
  const before = new Map((await forwards(index)).flatMap(({ name, before: past }) => (past ? [[name, past]] : [])))
  await index.history.expectRewound(before)
  await index.records.updateLocal([changed('a', '1'), changed('b', '3'), changed('c', '1')], 'scan')
  await index.history.expectRewound(new Map())
  await index.records.updateLocal([changed('a', '2')], 'scan')
  await index.records.updateLocal([changed('a', '1')], 'scan')
  const found = (await forwards(index)).slice(4).map(brief)
  assert.deepEqual(found, ['scan changed b', 'scan changed c', 'rewind changed a', 'scan changed a', 'scan changed a'])
})

test('it is read in both directions in steps, and survives a restart', async () => {
  using scratch = scratchDirectory()
  const directory = join(scratch.path, 'index')
  const names = Array.from({ length: 2_600 }, (_, i) => `f${String(i).padStart(5, '0')}`)
  const clock = clockAt(1_000)
  {
    await using store = await openTestStore(directory, { clock })
    const index = await store.folder(FOLDER)
    await index.history.begin()
    for (let at = 0; at < names.length; at += 13) {
      clock.now += 1_000
      await index.records.updateLocal(
        names.slice(at, at + 13).map((name) => file(name)),
        'scan',
      )
    }
  }
  await using store = await openTestStore(directory, { clock })
  const index = await store.folder(FOLDER)
  const all = await forwards(index)
  assert.deepEqual(
    all.slice(1).map(({ name }) => name),
    names,
  )
  const back: HistoryEntry[] = []
  let steps = 0
  for (let batch: number | undefined = 1e15; batch !== undefined; steps++) {
    const { entries, next } = await index.history.before(batch)
    back.push(...entries) // at most the entries of a test
    batch = next
  }
  assert.ok(steps > 1, 'more than one step')
  assert.deepEqual(back.toReversed(), all)
  assert.equal(await index.history.lastBatch(), all.at(-1)?.position.batch)
  const at = await index.history.lastBatchAt(11_500)
  assert.equal((await forwards(index, at))[0]?.name, names[130], 'the changes after 11 s')
})

test('it is bounded by age and by size, and says from when on it is complete', async () => {
  const clock = clockAt(10_000)
  await using store = await openTestStore(undefined, { clock })
  const index = await store.folder(FOLDER)
  await index.history.begin()
  clock.now = 20_000
  await index.records.updateLocal([file('old')], 'scan')
  clock.now = 20_001 + HISTORY_AGE_MS_MAX
  await index.records.updateLocal([file('new')], 'scan')
  assert.deepEqual(
    (await forwards(index)).map(({ name }) => name),
    ['new'],
  )
  assert.equal(await index.history.sinceMs(), 20_000)
  const noise = randomBytes(750_000).toString('base64')
  // Entries of 0.75 MB when compressed: thirty of them are more than 16 MiB.
  const target = (round: number) => `${noise}${round}`
  for (let round = 0; round < 30; round++) {
    clock.now += 1_000
    await index.records.updateLocal([file('l', { type: 'symlink', symlinkTarget: target(round) })], 'scan')
  }
  const left = await forwards(index)
  assert.ok(left.length > 15 && left.length < 25, `${left.length} entries are left`)
  assert.equal(left.at(-1)?.after?.symlinkTarget, target(29))
  assert.ok((await index.history.sinceMs())! > 20_001 + HISTORY_AGE_MS_MAX)
})

test('a damaged row is a gap of the history, and no damage of the index', async () => {
  using scratch = scratchDirectory()
  const directory = join(scratch.path, 'index')
  {
    await using store = await openTestStore(directory)
    const index = await store.folder(FOLDER)
    await index.history.begin()
    for (const name of ['a', 'b', 'c']) await index.records.updateLocal([file(name)], 'scan')
  }
  const path = join(directory, `folder-${Buffer.from(FOLDER).toString('hex')}.db`)
  const database = new DatabaseSync(path)
  const damage = database.prepare("UPDATE history SET data = CAST(? AS BLOB) WHERE instr(data, x'006200') > 0")
  assert.equal(damage.run('damaged').changes, 1)
  database.close()
  await using store = await openTestStore(directory)
  const index = await store.folder(FOLDER)
  const { entries, hasGap } = await index.history.after(0)
  assert.deepEqual(
    entries.map(({ name }) => name),
    ['', 'a', 'c'],
  )
  assert.ok(hasGap)
  assert.equal((await index.records.get('local', 'b'))?.name, 'b')
  assert.deepEqual(store.recoveries, [])
})

test('what a page of the history needs is read: the batches that name an item, and no more than wanted', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  await index.history.begin()
  for (const names of [['a', 'b'], ['a/x', 'c'], ['ab'], ['d/a']])
    await index.records.updateLocal(
      names.map((name) => file(name)),
      'scan',
    )
  const last = (await index.history.lastBatch()) + 1
  const about = await index.history.before(last, { path: 'a' })
  assert.deepEqual(
    about.entries.map(({ name }) => name),
    ['c', 'a/x', 'b', 'a'],
  )
  assert.equal(about.next, undefined)
  const newest = await index.history.before(last, { entriesMax: 2 })
  assert.deepEqual(
    newest.entries.map(({ name }) => name),
    ['d/a', 'ab'],
  )
  const older = await index.history.before(newest.next!, { entriesMax: 2 })
  assert.deepEqual(
    older.entries.map(({ name }) => name),
    ['c', 'a/x'],
  )
})

test('a step ends when it has unpacked much, whether or not something was found', async () => {
  await using store = await openTestStore(undefined)
  const index = await store.folder(FOLDER)
  await index.history.begin()
  for (let batch = 0; batch < 4; batch++)
    await index.records.updateLocal(
      Array.from({ length: 1_500 }, (_none, at) => file(`${'directory/'.repeat(20)}${batch}-${at}`)),
      'scan',
    )
  const last = (await index.history.lastBatch()) + 1
  const step = await index.history.before(last, { path: 'nowhere' })
  assert.deepEqual(step.entries, [])
  assert.ok(step.next !== undefined && step.next > 1, 'other work runs before the rest is read')
})
