import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Size } from '../../src/core/config/config.ts'
import { parseFolderId } from '../../src/core/ids.ts'
import { MARKER_MISSING, PATH_MISSING, PATH_NO_DIRECTORY } from '../../src/core/folder-stop.ts'
import { shortageOf } from '../../src/core/config/disk-space.ts'
import type { FolderIndex } from '../../src/db/types.ts'
import { FolderChecks } from '../../src/model/folder/folder-checks.ts'
import { checkHealth, checkSameRoot, ROOT_REPLACED } from '../../src/model/state/health.ts'
import { SharedIgnores } from '../../src/model/folder/shared-ignores.ts'
import { IgnoreFile, loadIgnores, viewIgnores, writeIgnores } from '../../src/model/folder/ignore-file.ts'
import { createMarker, removeMarker } from '../../src/model/folder/marker.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk, type SimDiskOptions } from '../../src/platform/sim/disk.ts'
import { newConfig } from '../support/config.ts'
import { settle, simFolder } from '../support/model.ts'

const ROOT = '/data/docs'
const FOLDER = parseFolderId('mark')!
const NOON_MS = Date.UTC(2026, 10, 15, 12)

function make(options: SimDiskOptions = {}) {
  return new SimDisk(new SimClock(), options)
}

function health(disk: SimDisk, minHomeDiskFree: Size = { value: 0, unit: '' }) {
  return { root: ROOT, markerName: '.stfolder', databaseDirectory: '/home/index', minHomeDiskFree, disk }
}

async function textOf(disk: SimDisk, path: string): Promise<string> {
  await using file = await disk.open(path, 'read')
  const data = new Uint8Array(10_000)
  return new TextDecoder().decode(data.subarray(0, await file.read(data, 0)))
}

const names = async (disk: SimDisk, path: string) => (await disk.list(path)).map((each) => each.name).sort()

test('the marker is a directory with a file that names the folder', async () => {
  const disk = make()
  await createMarker(disk, ROOT, FOLDER, NOON_MS)
  assert.deepEqual(await names(disk, `${ROOT}/.stfolder`), ['syncthing-folder-6201eb.txt'])
  const text = await textOf(disk, `${ROOT}/.stfolder/syncthing-folder-6201eb.txt`)
  const wanted = new RegExp(
    String.raw`^# This directory is a Syncthing folder marker\.\n# Do not delete\.\n\nfolderID: mark\n` +
      String.raw`created: (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d))\n$`,
  )
  assert.match(text, wanted)
  assert.equal(Date.parse(wanted.exec(text)?.[1] ?? ''), NOON_MS) // in the time zone of the machine
})

test('a new marker is hidden; where that fails it is used all the same', async () => {
  const disk = make()
  await createMarker(disk, ROOT, FOLDER, NOON_MS)
  assert.deepEqual([...disk.hidden], [`${ROOT}/.stfolder`])
  disk.fail({ call: 'hide', code: 'EIO' })
  await createMarker(disk, '/data/other', FOLDER, NOON_MS)
  assert.deepEqual([...disk.hidden], [`${ROOT}/.stfolder`])
  assert.deepEqual(await names(disk, '/data/other/.stfolder'), ['syncthing-folder-6201eb.txt'])
})

test('an existing marker of any kind is left unchanged', async () => {
  const disk = make()
  disk.put(`${ROOT}/.stfolder`, 'mine')
  await createMarker(disk, ROOT, FOLDER, NOON_MS)
  assert.equal(disk.hidden.size, 0, 'its user may want to see it')
  assert.equal(await textOf(disk, `${ROOT}/.stfolder`), 'mine')
})

test('removing a folder removes its marker and nothing else', async () => {
  const disk = make()
  disk.put(`${ROOT}/photo.jpg`, 'x')
  await createMarker(disk, ROOT, FOLDER, NOON_MS)
  await removeMarker(disk, ROOT, FOLDER, NOON_MS)
  assert.deepEqual(await names(disk, ROOT), ['photo.jpg'])
})

test('a marker that holds other files is renamed', async () => {
  const disk = make()
  await createMarker(disk, ROOT, FOLDER, NOON_MS)
  disk.put(`${ROOT}/.stfolder/mine`, 'x')
  await removeMarker(disk, ROOT, FOLDER, NOON_MS)
  const [renamed] = await names(disk, ROOT)
  assert.match(renamed ?? '', /^\.stfolder\.removed-2026111\d-\d{6}$/)
  assert.deepEqual(await names(disk, `${ROOT}/${renamed}`), ['mine'])
})

test('removing a marker whose root is missing succeeds', async () => {
  const disk = make()
  await removeMarker(disk, ROOT, FOLDER, NOON_MS)
  await assert.rejects(disk.lstat(ROOT), { code: 'ENOENT' })
})

test('health: root missing, root no directory, marker missing, in this order and wording', async () => {
  const disk = make()
  const check = () => checkHealth(disk, health(disk))
  await assert.rejects(check(), { code: 'folder-error', message: PATH_MISSING })
  disk.put(ROOT, 'a file')
  await assert.rejects(check(), { code: 'folder-error', message: PATH_NO_DIRECTORY })
  await disk.removeFile(ROOT)
  await disk.makeDirectory(ROOT, 0o755)
  await assert.rejects(check(), { code: 'folder-error', message: MARKER_MISSING })
  disk.put(`${ROOT}/.stfolder`, 'any kind of item counts')
  await check()
  assert.equal(
    MARKER_MISSING,
    'folder marker missing (this indicates potential data loss, ' +
      'search docs/forum to get information about how to proceed)',
  )
})

test('health: a root that may be a symlink to a directory is fine', async () => {
  const disk = make()
  disk.put('/elsewhere/.stfolder/x', '')
  await disk.makeDirectories('/data', 0o755)
  await disk.makeSymlink('/elsewhere', ROOT)
  await assert.doesNotReject(checkHealth(disk, health(disk)))
})

test('health: an unreadable root reports the error of the system', async () => {
  const disk = make()
  disk.put(`${ROOT}/.stfolder/x`, '')
  disk.fail({ call: 'stat', code: 'EIO', under: ROOT })
  await assert.rejects(checkHealth(disk, health(disk)), { code: 'folder-error', message: /EIO/ })
})

test('health: enough free space is looked at once a second, too little before every scan', async (t) => {
  const clock = new SimClock()
  const disk = new SimDisk(clock, { capacityBytes: 1_000_000 })
  disk.put('/home/index/db', '')
  await createMarker(disk, ROOT, FOLDER, NOON_MS)
  const index = {} as FolderIndex
  let minHomeDiskFree: Size = { value: 1, unit: 'kB' }
  const checks = new FolderChecks(
    {
      clock,
      disk,
      store: { folder: async () => index },
      sharedIgnores: { load: async () => [] },
      options: () => ({ ...newConfig().options, minHomeDiskFree }),
    },
    { folder: simFolder('mark'), root: ROOT, databaseDirectory: '/home/index' },
  )
  const space = t.mock.method(disk, 'space')
  for (let i = 0; i < 3; i++) await checks.check()
  assert.equal(space.mock.callCount(), 1)
  await clock.advance(1_000, settle)
  minHomeDiskFree = { value: 2, unit: 'MB' }
  for (let i = 0; i < 2; i++) await assert.rejects(checks.check(), { message: /^insufficient space/ })
  assert.equal(space.mock.callCount(), 3)
})

const spaces: [size: Size, usedBytes: number, expected: RegExp | undefined][] = [
  [{ value: 1, unit: '%' }, 500_000, undefined],
  [
    { value: 90, unit: '%' },
    500_000,
    /^insufficient space on disk for database \(\/home\/index\): current 4\d\.\d\d % < required 90 %$/,
  ],
  [
    { value: 2, unit: 'MB' },
    0,
    /^insufficient space on disk for database \(\/home\/index\): current .* [kM]?B < required 2 MB$/,
  ],
  [{ value: 2, unit: 'kB' }, 0, undefined],
  [{ value: 0, unit: '%' }, 999_000, undefined],
]
for (const [size, usedBytes, expected] of spaces) {
  test(`health: ${size.value} ${size.unit} free for the database with ${usedBytes} of 1000000 bytes used`, async () => {
    const disk = make({ capacityBytes: 1_000_000 })
    disk.put(`${ROOT}/.stfolder/x`, '')
    disk.put('/home/index/db', new Uint8Array(usedBytes))
    const check = checkHealth(disk, health(disk, size))
    if (expected === undefined) await check
    else await assert.rejects(check, { code: 'folder-error', message: expected })
  })
}

test('health: another directory in the place of the root is not the same root', async () => {
  const disk = make()
  disk.put(`${ROOT}/.stfolder/x`, '')
  const before = await checkHealth(disk, health(disk))
  await checkSameRoot(disk, health(disk), before)
  await disk.rename(ROOT, '/data/old')
  disk.put(`${ROOT}/.stfolder/x`, '')
  await assert.rejects(checkSameRoot(disk, health(disk), before), { code: 'folder-error', message: ROOT_REPLACED })
})

test('ignores: what is written is what is read, blank lines and comments included', async () => {
  const disk = make()
  disk.put(`${ROOT}/x`, '')
  const lines = ['// comment', '', '*.tmp', '(?d).DS_Store']
  await writeIgnores(disk, ROOT, lines)
  const view = await viewIgnores(disk, ROOT)
  assert.deepEqual(view.ignore, lines)
  assert.equal(view.error, null)
  assert.deepEqual(view.expanded?.slice(0, 4), ['*.tmp', '**/*.tmp', '*.tmp/**', '**/*.tmp/**'])
  assert.deepEqual(await names(disk, ROOT), ['.stignore', 'x'])
})

test('ignores: no lines remove the file; no file gives null', async () => {
  const disk = make()
  disk.put(`${ROOT}/.stignore`, '*.tmp\n')
  await writeIgnores(disk, ROOT, [])
  await writeIgnores(disk, ROOT, [])
  assert.deepEqual(await viewIgnores(disk, ROOT), { ignore: null, expanded: null, error: null })
  assert.equal(await loadIgnores(disk, ROOT), undefined)
})

test('ignores: invalid patterns are written and returned with the error', async () => {
  const disk = make()
  disk.put(`${ROOT}/x`, '')
  await writeIgnores(disk, ROOT, ['#include nofile', '[bad'])
  assert.deepEqual(await viewIgnores(disk, ROOT), {
    ignore: ['#include nofile', '[bad'],
    expanded: [],
    error: 'parse error: failed to load include file nofile: file not found',
  })
  await assert.rejects(loadIgnores(disk, ROOT), { code: 'ignore-invalid' })
})

test('ignores: includes are found, also from includes, and only inside the folder', async () => {
  const disk = make()
  disk.put(`${ROOT}/.stignore`, 'a\n#include lists/one\nb\n')
  disk.put(`${ROOT}/lists/one`, 'c\n#include two\n')
  disk.put(`${ROOT}/lists/two`, 'd\n')
  assert.deepEqual((await loadIgnores(disk, ROOT))?.lines, ['a', 'c', 'd', 'b'])
  disk.put('/data/secret', 'password')
  disk.put(`${ROOT}/.stignore`, '#include ../secret\n')
  await assert.rejects(loadIgnores(disk, ROOT), /not inside the folder/)
  await disk.makeSymlink('/data/secret', `${ROOT}/link`)
  disk.put(`${ROOT}/.stignore`, '#include link\n')
  await assert.rejects(loadIgnores(disk, ROOT), /not inside the folder/)
})

test('ignores: an unreadable or huge file is an error, never "nothing is ignored"', async () => {
  const disk = make()
  disk.put(`${ROOT}/.stignore`, 'a\n')
  disk.fail({ call: 'read', code: 'EIO', under: ROOT })
  await assert.rejects(loadIgnores(disk, ROOT), { code: 'ignore-invalid', message: /EIO/ })
  disk.put(`${ROOT}/.stignore`, 'x'.repeat(9 * 1_024 * 1_024))
  await assert.rejects(loadIgnores(disk, ROOT), { code: 'ignore-invalid', message: /larger/ })
})

test('ignores: the file is read again only if its state has changed, or changed a moment ago', async (t) => {
  const clock = new SimClock()
  const disk = new SimDisk(clock)
  const file = new IgnoreFile({ clock, disk }, ROOT)
  const open = t.mock.method(disk, 'open')
  const path = `${ROOT}/.stignore`
  const load = async () => (await file.load(await disk.lstat(path)))?.lines
  disk.put(path, 'a\n')
  for (const times of [1, 2]) {
    assert.deepEqual(await load(), ['a'])
    assert.equal(open.mock.callCount(), times)
  }
  await clock.advance(10_000, settle)
  for (let i = 0; i < 3; i++) assert.deepEqual(await load(), ['a'])
  assert.equal(open.mock.callCount(), 3)
  const { modifiedS, modifiedNs } = await disk.lstat(path)
  disk.put(path, 'b\n')
  await disk.setModified(path, modifiedS, modifiedNs)
  assert.deepEqual(await load(), ['b'])
  disk.put(path, '#include other\n')
  disk.put(`${ROOT}/other`, 'c\n')
  await clock.advance(10_000, settle)
  assert.deepEqual(await load(), ['c'])
  disk.put(`${ROOT}/other`, 'd\n')
  assert.deepEqual(await load(), ['d'])
  await disk.rename(path, `${ROOT}/target`)
  await disk.makeSymlink('target', path)
  disk.put(`${ROOT}/target`, 'e\n')
  await clock.advance(10_000, settle)
  assert.deepEqual(await load(), ['e'])
  disk.put(`${ROOT}/target`, 'f\n')
  assert.deepEqual(await load(), ['f'])
})

test('ignores: rules of unchanged files, own and shared, are not made again for every check', async () => {
  const clock = new SimClock()
  const disk = new SimDisk(clock)
  await createMarker(disk, ROOT, FOLDER, NOON_MS)
  const keyValue = { get: async () => undefined, set: async () => {} }
  const deps = {
    clock,
    disk,
    store: { folder: async () => ({}) as FolderIndex },
    sharedIgnores: new SharedIgnores({ disk, keyValue, isEnabled: () => true }, { folder: FOLDER, root: ROOT }),
    options: () => newConfig().options,
  }
  const checks = new FolderChecks(deps, { folder: simFolder('mark'), root: ROOT, databaseDirectory: ROOT })
  disk.put(`${ROOT}/.stignore`, 'own\n')
  disk.put(`${ROOT}/.stglobalignore`, 'shared\n')
  await clock.advance(10_000, settle)
  const { ignore } = await checks.check()
  assert.ok(ignore.match('own').ignored && ignore.match('shared').ignored)
  assert.equal((await checks.check()).ignore, ignore)
  disk.put(`${ROOT}/.stglobalignore`, 'other\n')
  const { ignore: changed } = await checks.check()
  assert.ok(changed.match('own').ignored && changed.match('other').ignored && !changed.match('shared').ignored)
  disk.put(`${ROOT}/.stignore`, 'mine\n')
  const { ignore: again } = await checks.check()
  assert.ok(again.match('mine').ignored && again.match('other').ignored && !again.match('own').ignored)
  await disk.removeFile(`${ROOT}/.stignore`)
  await disk.removeFile(`${ROOT}/.stglobalignore`)
  assert.deepEqual((await checks.check()).ignore.lines, [])
})

test('ignores: a loss of power at any call leaves the old lines or the new', async () => {
  for (let call = 1; ; call++) {
    const disk = make()
    disk.put(`${ROOT}/.stignore`, 'old\n')
    const before = disk.faults.callCount
    disk.faults.powerOffAt(call)
    const written = await writeIgnores(disk, ROOT, ['new']).then(
      () => true,
      () => false,
    )
    const calls = disk.faults.callCount - before
    disk.crash()
    const lines = (await loadIgnores(disk, ROOT))?.lines
    assert.ok(lines?.[0] === 'new' || (!written && lines?.[0] === 'old'), `after call ${call}: ${String(lines)}`)
    if (written || calls < call) break
  }
})

test('the shortage of space for a file names its size and what is free, never less than nothing', () => {
  const percent = { value: 1, unit: '%' }
  const disk = { freeBytes: 400_000_000, totalBytes: 1_000_000_000 }
  assert.equal(shortageOf(disk, percent, 390_000_000), undefined)
  const large = shortageOf(disk, percent, 2_000_000_000)
  assert.equal(large, '2.0 GB do not fit: 400.0 MB are free, and 1 % must stay free')
  assert.equal(shortageOf({ ...disk, freeBytes: 5_000_000 }, percent, 9e9), 'current 0.50 % < required 1 %')
  assert.equal(shortageOf({ ...disk, freeBytes: -7 }, percent), 'current 0.00 % < required 1 %')
  assert.equal(shortageOf({ ...disk, freeBytes: -7 }, { value: 1, unit: 'GB' }), 'current 0 B < required 1 GB')
})
