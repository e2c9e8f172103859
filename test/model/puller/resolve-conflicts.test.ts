import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { VersioningConfig } from '../../../src/core/config/config.ts'
import { conflictOriginal } from '../../../src/core/paths.ts'
import { contentHash } from '../../../src/core/records/block-range.ts'
import { compareVersions } from '../../../src/core/records/version-vector.ts'
import type { ConflictChoice, ResolvedConflict, ShownSides } from '../../../src/model/types.ts'
import type { SimDisk } from '../../../src/platform/sim/disk.ts'
import { SimRandom } from '../../../src/platform/sim/random.ts'
import { DOCS } from '../../support/model.ts'
import { keptVersions, keeping } from './kept-versions.ts'
import { ROOT, SimPull } from './sim-pull.ts'

const COPY = 'd/plan.sync-conflict-20250102-030405-ABCDEFG.txt'
const OTHER = 'd/plan.sync-conflict-20250102-030406-ABCDEFG.txt'
const KEEP_FILE: ConflictChoice = { keep: 'original', mayRemove: false }
const KEEP_COPY: ConflictChoice = { keep: 'copy', mayRemove: false }
const KEEP_BOTH: ConflictChoice = { keep: 'both', mayRemove: false, deviceName: () => 'vm: "1"/..' }

const FILES = { 'd/plan.txt': 'mine', [COPY]: 'yours' }

function start(files: Readonly<Record<string, string>> = FILES, versioning?: VersioningConfig): Promise<SimPull> {
  const arrange = (disk: SimDisk) => {
    for (const [name, content] of Object.entries(files)) disk.put(`${ROOT}/${name}`, content)
  }
  return SimPull.start({ arrange, folder: versioning === undefined ? {} : { versioning } })
}

async function resolve(pull: SimPull, choice: ConflictChoice, ...names: string[]): Promise<readonly string[]> {
  const failures = await pull.hub.while(pull.hub.model.resolveConflicts(DOCS, names, choice))
  await pull.rest()
  return [...failures].map(([name, reason]) => `${name}: ${reason}`)
}

/** The names and contents of the folder, and the old versions without their times. */
async function contents(pull: SimPull): Promise<readonly string[]> {
  const files = (await pull.tree()).filter((path) => !path.endsWith('/') && !path.startsWith('.stversions'))
  const versions = (await keptVersions(pull)).map((line) => `version ${line.replace(/~\d{8}-\d{6}/, '')}`)
  return [...(await Promise.all(files.map(async (path) => `${path}=${await pull.read(path)}`))), ...versions]
}

test('keeping the file makes the copy an old version', async () => {
  await using pull = await start(FILES, keeping('simple'))
  assert.deepEqual(await resolve(pull, KEEP_FILE, COPY), [])
  assert.deepEqual(await contents(pull), ['d/plan.txt=mine', `version ${COPY}=yours`])
  assert.equal((await pull.index.records.get('local', COPY))?.deleted, true, 'announced as deleted')
  await pull.assertSettled()
})

test('keeping the copy gives it the name, and makes the file an old version', async () => {
  await using pull = await start(FILES, keeping('trashcan'))
  const before = await pull.index.records.get('local', 'd/plan.txt')
  assert.deepEqual(await resolve(pull, KEEP_COPY, COPY), [])
  assert.deepEqual(await contents(pull), ['d/plan.txt=yours', 'version d/plan.txt=mine'])
  const after = await pull.index.records.get('local', 'd/plan.txt')
  assert.ok(after!.sequence > before!.sequence)
  assert.equal((await pull.index.records.get('local', COPY))?.deleted, true)
  await pull.assertSettled()
})

test('a folder without old versions loses nothing unless the user has agreed to it', async () => {
  await using pull = await start()
  for (const choice of [KEEP_FILE, KEEP_COPY]) {
    const [failure] = await resolve(pull, choice, COPY)
    assert.match(failure ?? '', /keeps no old versions/)
    assert.deepEqual(await contents(pull), [`${COPY}=yours`, 'd/plan.txt=mine'])
  }
  assert.deepEqual(await resolve(pull, { keep: 'copy', mayRemove: true }, COPY), [])
  assert.deepEqual(await contents(pull), ['d/plan.txt=yours'])
  await pull.assertSettled()
})

test('an agreed removal removes the copies, and no other item', async () => {
  await using pull = await start({ ...FILES, [OTHER]: 'theirs', 'd/else.txt': 'else' })
  assert.deepEqual(await resolve(pull, { keep: 'original', mayRemove: true }, COPY, OTHER), [])
  assert.deepEqual(await contents(pull), ['d/else.txt=else', 'd/plan.txt=mine'])
  await pull.assertSettled()
})

test('a copy whose original is gone gets its name without a question', async () => {
  await using pull = await start({ [COPY]: 'yours' })
  assert.deepEqual(await resolve(pull, KEEP_COPY, COPY), [])
  assert.deepEqual(await contents(pull), ['d/plan.txt=yours'])
  await pull.assertSettled()
})

test('of several copies of one file only one can be kept', async () => {
  await using pull = await start({ ...FILES, [OTHER]: 'theirs' }, keeping('simple'))
  const failures = await resolve(pull, KEEP_COPY, COPY, OTHER, COPY)
  assert.deepEqual(failures, [`${OTHER}: another copy of this file was kept`])
  assert.deepEqual(await contents(pull), [`${OTHER}=theirs`, 'd/plan.txt=yours', 'version d/plan.txt=mine'])
})

test('what was changed since the last scan is neither replaced nor removed', async () => {
  for (const [changed, choice] of [
    [COPY, KEEP_FILE],
    [COPY, KEEP_COPY],
    ['d/plan.txt', KEEP_COPY],
  ] as const) {
    await using pull = await start()
    pull.disk.put(`${ROOT}/${changed}`, 'a later edit')
    const [failure] = await resolve(pull, { ...choice, mayRemove: true }, COPY)
    assert.match(failure ?? '', /modified but not rescanned/)
    const found = await contents(pull)
    assert.ok(found.includes(`${changed}=a later edit`), found.join())
    assert.equal(found.length, 2)
  }
})

test('names that are no conflict copies of files of the folder are refused', async () => {
  const ODD = [
    'd/plan.txt',
    '',
    '../outside.sync-conflict-20250102-030405-ABCDEFG.txt',
    '/etc/x.sync-conflict-20250102-030405-ABCDEFG.txt',
    '.stignore.sync-conflict-20250102-030405-ABCDEFG',
    '.stfolder/x.sync-conflict-20250102-030405-ABCDEFG.txt',
    'd/.sync-conflict-20250102-030405-ABCDEFG',
    'd//x.sync-conflict-20250102-030405-ABCDEFG.txt',
    'd/x\0.sync-conflict-20250102-030405-ABCDEFG.txt',
    'd/missing.sync-conflict-20250102-030405-ABCDEFG.txt',
    'missing/x.sync-conflict-20250102-030405-ABCDEFG.txt',
  ]
  await using pull = await start({ ...FILES, '.stignore.sync-conflict-20250102-030405-ABCDEFG': '*' })
  pull.disk.put('/data/outside.sync-conflict-20250102-030405-ABCDEFG.txt', 'outside')
  await pull.disk.makeSymlink('/data/outside', `${ROOT}/x.sync-conflict-20250102-030405-ABCDEFG.txt`)
  await pull.scan()
  const before = await pull.tree()
  for (const keep of ['original', 'copy'] as const) {
    const names = [...ODD, 'x.sync-conflict-20250102-030405-ABCDEFG.txt']
    const failures = await resolve(pull, { keep, mayRemove: true }, ...names)
    assert.equal(failures.length, names.length, failures.join('\n'))
  }
  assert.deepEqual(await pull.tree(), before)
  assert.deepEqual(
    await pull.disk.lstat('/data/outside.sync-conflict-20250102-030405-ABCDEFG.txt').then((it) => it.type),
    'file',
  )
})

const KEEP_MERGED: ConflictChoice = { keep: 'merged', mayRemove: false, merged: Buffer.from('mine, yours') }

for (const choice of [KEEP_FILE, KEEP_COPY, KEEP_BOTH, KEEP_MERGED]) {
  test(`C-03, C-04: a power loss at any call while the ${choice.keep} is kept loses no content`, async () => {
    let nth = 0
    for (let isReached = true; isReached;) {
      nth++
      await using pull = await start(FILES, keeping('simple'))
      pull.disk.syncAll()
      const before = pull.disk.faults.callCount
      pull.disk.faults.powerOffAt(nth)
      await pull.hub.while(pull.hub.model.resolveConflicts(DOCS, [COPY], choice)).catch(() => {})
      isReached = pull.disk.faults.callCount - before >= nth
      pull.disk.crash(new SimRandom(nth))
      await pull.hub.pass(120_000)
      await pull.scan()
      const found = await contents(pull)
      for (const content of ['mine', 'yours'])
        assert.ok(
          found.some((line) => line.endsWith(`=${content}`)),
          `${content} is lost after a crash at call ${nth}: ${found.join()}`,
        )
      assert.ok(
        found.some((line) => line.startsWith('d/plan.txt=')),
        `no file after a crash at call ${nth}: ${found.join()}`,
      )
    }
    assert.ok(nth > 10, `only ${nth} calls`)
  })
}

test('a directory in the place of the original stays', async () => {
  await using pull = await start({ [COPY]: 'yours', 'd/plan.txt/inside': 'x' })
  const [failure] = await resolve(pull, { keep: 'copy', mayRemove: true }, COPY)
  assert.match(failure ?? '', /something else has the name/)
  assert.deepEqual(await contents(pull), [`${COPY}=yours`, 'd/plan.txt/inside=x'])
})

/** Names, contents, modes and times of all items except old versions. */
async function exactTree(pull: SimPull): Promise<readonly string[]> {
  const names = (await pull.tree()).filter((path) => !path.startsWith('.stversions') && !path.endsWith('/'))
  return await Promise.all(
    names.map(async (name) => {
      const { mode, modifiedS, modifiedNs } = await pull.disk.lstat(`${ROOT}/${name}`)
      return `${name} ${mode.toString(8)} ${modifiedS}.${modifiedNs}=${await pull.read(name)}`
    }),
  )
}

for (const versioning of ['simple', 'staggered', 'trashcan'] as const) {
  for (const choice of [KEEP_FILE, KEEP_COPY]) {
    test(`${versioning}: the undo of a conflict whose ${choice.keep} was kept brings back both files`, async () => {
      await using pull = await start({ ...FILES, [OTHER]: 'theirs, longer' }, keeping(versioning))
      await pull.disk.chmod(`${ROOT}/d/plan.txt`, 0o640)
      await pull.disk.chmod(`${ROOT}/${COPY}`, 0o600)
      await pull.disk.setModified(`${ROOT}/d/plan.txt`, 1_600_000_001, 5_000_000)
      await pull.disk.setModified(`${ROOT}/${COPY}`, 1_600_000_002, 7_000_000)
      await pull.scan()
      const before = await exactTree(pull)
      const resolved: ResolvedConflict[] = []
      const names = choice.keep === 'copy' ? [COPY] : [COPY, OTHER]
      // Not scanned in between: the undo may be the next request.
      const onResolved = (conflict: ResolvedConflict) => void resolved.push(conflict)
      await pull.hub.while(pull.hub.model.resolveConflicts(DOCS, names, { ...choice, onResolved }))
      assert.notDeepEqual(await exactTree(pull), before)
      await pull.hub.while(pull.hub.model.undoConflicts(DOCS, resolved))
      await pull.rest()
      assert.deepEqual(await exactTree(pull), before)
      assert.deepEqual(await keptVersions(pull), [])
      for (const name of ['d/plan.txt', COPY, OTHER]) {
        const record = await pull.index.records.head('local', name)
        const { mode, modifiedS } = await pull.disk.lstat(`${ROOT}/${name}`)
        assert.deepEqual([record?.deleted, record?.permissions, record?.modifiedS], [false, mode & 0o777, modifiedS])
      }
      await pull.assertSettled()
    })
  }
}

test('an undo is refused as a whole, with nothing changed, where something was changed since', async () => {
  const changes: Readonly<Record<string, (pull: SimPull) => unknown>> = {
    'd/plan.txt: the file was changed since': (pull) => pull.disk.put(`${ROOT}/d/plan.txt`, 'later'),
    'there is a conflict copy of this name again': (pull) => pull.disk.put(`${ROOT}/${COPY}`, 'again'),
    'its old version is gone': async (pull) => {
      for (const line of await keptVersions(pull))
        if (line.startsWith('d/plan')) await pull.disk.removeFile(`${ROOT}/.stversions/${line.split('=')[0]!}`)
    },
  }
  for (const [reason, change] of Object.entries(changes)) {
    await using pull = await start({ ...FILES, 'e.txt': 'e', [copyOfE]: 'copy' }, keeping('simple'))
    const resolved: ResolvedConflict[] = []
    const onResolved = (conflict: ResolvedConflict) => void resolved.push(conflict)
    await pull.hub.while(pull.hub.model.resolveConflicts(DOCS, [copyOfE, COPY], { ...KEEP_COPY, onResolved }))
    await change(pull)
    const before = [await exactTree(pull), await keptVersions(pull)]
    const undone = pull.hub.while(pull.hub.model.undoConflicts(DOCS, resolved))
    await assert.rejects(undone, (error: Error) => error.message.includes(reason.split(': ').at(-1)!))
    assert.deepEqual([await exactTree(pull), await keptVersions(pull)], before)
  }
})

const copyOfE = 'e.sync-conflict-20250102-030405-ABCDEFG.txt'

test('what was removed for good is not offered to be undone', async () => {
  await using pull = await start()
  const resolved: ResolvedConflict[] = []
  const onResolved = (conflict: ResolvedConflict) => void resolved.push(conflict)
  await pull.hub.while(pull.hub.model.resolveConflicts(DOCS, [COPY], { keep: 'original', mayRemove: true, onResolved }))
  assert.deepEqual(resolved, [])
})

test('what an undo brings back succeeds the versions that it undoes', async () => {
  await using pull = await start(FILES, keeping('simple'))
  const resolved: ResolvedConflict[] = []
  const onResolved = (conflict: ResolvedConflict) => void resolved.push(conflict)
  await pull.hub.while(pull.hub.model.resolveConflicts(DOCS, [COPY], { ...KEEP_COPY, onResolved }))
  await pull.rest()
  const names = ['d/plan.txt', COPY]
  const records = () => Promise.all(names.map((name) => pull.index.records.head('local', name)))
  const before = await records()
  assert.deepEqual(
    before.map((record) => record?.deleted),
    [false, true],
  )
  await pull.hub.while(pull.hub.model.undoConflicts(DOCS, resolved))
  await pull.rest()
  for (const [i, record] of (await records()).entries())
    assert.equal(compareVersions(record!.version, before[i]!.version), 'newer', names[i])
})

/** The hashes of what a client sees. */
async function shownOf(pull: SimPull, ...names: string[]): Promise<ReadonlyMap<string, ShownSides>> {
  const hashOf = async (name: string) => contentHash(await pull.index.records.head('local', name))
  const sides = names.map(async (name) => {
    const [left, right] = [await hashOf(conflictOriginal(name)), await hashOf(name)]
    return [name, { left, right }] as const
  })
  return new Map(await Promise.all(sides))
}

test('both are kept: the copy gets an ordinary name with its device and day, which no other file has', async () => {
  const taken = 'd/plan (vm 1 .. 2020-09-13).txt'
  await using pull = await start({ ...FILES, [taken]: 'taken' })
  await pull.disk.setModified(`${ROOT}/${COPY}`, 1_600_000_002, 0) // at noon, UTC
  await pull.scan()
  assert.deepEqual(await resolve(pull, KEEP_BOTH, COPY), [])
  assert.deepEqual(await contents(pull), [
    'd/plan (vm 1 .. 2020-09-13 2).txt=yours',
    `${taken}=taken`,
    'd/plan.txt=mine',
  ])
  assert.equal((await pull.index.records.get('local', COPY))?.deleted, true)
  await pull.assertSettled()
})

test('a merged text replaces the file, with its mode; both sides become old versions', async () => {
  await using pull = await start(FILES, keeping('simple'))
  await pull.disk.chmod(`${ROOT}/d/plan.txt`, 0o640)
  await pull.scan()
  const before = await pull.index.records.get('local', 'd/plan.txt')
  const choice: ConflictChoice = { keep: 'merged', mayRemove: false, merged: Buffer.from('mine and yours') }
  assert.deepEqual(await resolve(pull, choice, COPY), [])
  assert.deepEqual(await contents(pull), [
    'd/plan.txt=mine and yours',
    `version ${COPY}=yours`,
    'version d/plan.txt=mine',
  ])
  const after = await pull.index.records.get('local', 'd/plan.txt')
  assert.equal(after?.permissions, 0o640)
  assert.equal(compareVersions(after.version, before!.version), 'newer', 'it descends from the file')
  assert.equal((await pull.index.records.get('local', COPY))?.deleted, true)
  await pull.assertSettled()
})

for (const keep of ['original', 'copy', 'both', 'merged'] as const) {
  for (const changed of ['d/plan.txt', COPY, OTHER]) {
    test(`${keep}: nothing is resolved if ${changed} is not what was shown`, async () => {
      await using pull = await start({ ...FILES, [OTHER]: 'theirs' }, keeping('simple'))
      const shown = await shownOf(pull, COPY, OTHER)
      pull.disk.put(`${ROOT}/${changed}`, 'edit') // not scanned yet, of the same size as the file
      const before = await contents(pull)
      const choice: ConflictChoice = { keep, mayRemove: true, shown, merged: Buffer.from('merged') }
      await assert.rejects(resolve(pull, choice, COPY, OTHER), { code: 'refused', detail: 'modified' })
      assert.deepEqual(await contents(pull), before)
    })
  }
}

test('what is as it was shown is resolved, also where there is no file', async () => {
  const lone = 'lone.sync-conflict-20250102-030405-ABCDEFG.txt'
  await using pull = await start({ ...FILES, [lone]: 'lone' }, keeping('simple'))
  const shown = await shownOf(pull, COPY, lone)
  assert.equal(shown.get(lone)?.left, '')
  assert.deepEqual(await resolve(pull, { ...KEEP_COPY, shown }, COPY, lone), [])
  assert.deepEqual(await contents(pull), ['d/plan.txt=yours', 'lone.txt=lone', 'version d/plan.txt=mine'])
})

for (const [keep, files] of [
  ['both', FILES],
  ['merged', FILES],
  ['merged', { [COPY]: 'yours' }],
] as const) {
  test(`the undo of ${keep} of ${Object.keys(files).length} brings back every name, mode and time`, async () => {
    await using pull = await start(files, keeping('simple'))
    await pull.disk.chmod(`${ROOT}/${COPY}`, 0o600)
    await pull.disk.setModified(`${ROOT}/${COPY}`, 1_600_000_002, 7_000_000)
    await pull.scan()
    const before = await exactTree(pull)
    const resolved: ResolvedConflict[] = []
    const onResolved = (conflict: ResolvedConflict) => void resolved.push(conflict)
    const choice: ConflictChoice = { keep, mayRemove: false, merged: Buffer.from('merged'), onResolved }
    await pull.hub.while(pull.hub.model.resolveConflicts(DOCS, [COPY], choice))
    assert.notDeepEqual(await exactTree(pull), before)
    await pull.hub.while(pull.hub.model.undoConflicts(DOCS, resolved))
    await pull.rest()
    assert.deepEqual(await exactTree(pull), before)
    await pull.assertSettled()
  })
}

test('a merged file that was edited since is not undone', async () => {
  await using pull = await start(FILES, keeping('simple'))
  const resolved: ResolvedConflict[] = []
  const onResolved = (conflict: ResolvedConflict) => void resolved.push(conflict)
  const choice: ConflictChoice = { keep: 'merged', mayRemove: false, merged: Buffer.from('merged'), onResolved }
  await pull.hub.while(pull.hub.model.resolveConflicts(DOCS, [COPY], choice))
  pull.disk.put(`${ROOT}/d/plan.txt`, 'edited')
  await assert.rejects(pull.hub.while(pull.hub.model.undoConflicts(DOCS, resolved)), /changed since/)
  assert.equal(await pull.read('d/plan.txt'), 'edited')
})
