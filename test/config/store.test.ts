import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../src/core/config/config.ts'
import {
  patchDevice,
  patchFolder,
  patchGui,
  patchOptions,
  removeFolder,
  upsertFolder,
} from '../../src/core/config/config-edit.ts'
import type { FolderId } from '../../src/core/ids.ts'
import { type CrashKeep } from '../../src/platform/sim/disk.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { LAPTOP } from '../support/config.ts'
import { effort, reportRow } from '../support/effort.ts'
import { PATH, FULL, SMALL, setup, read, names, addFolder } from './store-setup.ts'

test('a missing configuration is created with private mode and private settings', async () => {
  const { disk, open } = setup()
  const store = await open()
  assert.ok(store.created)
  assert.equal(disk.sync.lstat(PATH).mode, 0o600)
  assert.match(read(disk), /<globalAnnounceEnabled>false</)
  assert.match(read(disk), /^<configuration version="37">\n/)
  assert.equal(store.current.gui.apiKey.length, 32)
  const again = await open()
  assert.ok(!again.created)
  assert.deepEqual(again.current, store.current)
})

test('a configuration of our format is used and left unchanged', async () => {
  const { disk, open } = setup(FULL)
  const modified = disk.sync.lstat(PATH).modifiedNs
  const store = await open()
  assert.equal(store.current.folders.length, 5)
  assert.equal(read(disk), FULL)
  assert.equal(disk.sync.lstat(PATH).modifiedNs, modified)
  assert.deepEqual(names(disk), ['config.xml'])
})

test('a change is saved atomically, emitted as an event and passed to listeners, in that order', async () => {
  const { disk, saved, open } = setup(FULL)
  const store = await open()
  const seen: string[] = []
  store.subscribe(async (from, to) => {
    assert.ok(read(disk).includes('id="new"'), 'saved before listeners run')
    assert.equal(store.current, to)
    assert.equal(saved.length, 1)
    await Promise.resolve()
    seen.push(`${from.folders.length} to ${to.folders.length}`)
  })
  const result = await store.change(addFolder('new'))
  assert.deepEqual(seen, ['5 to 6'])
  assert.equal(result, store.current)
  assert.deepEqual(names(disk), ['config.xml'])
})

test('changes are serialised: the next one starts when all listeners have handled the one before', async () => {
  const store = await setup().open()
  const log: string[] = []
  store.subscribe(async (_from, to) => {
    log.push(`start ${to.folders.length}`)
    for (let i = 0; i < 5; i++) await Promise.resolve()
    log.push(`end ${to.folders.length}`)
  })
  await Promise.all(['a', 'b', 'c'].map((id) => store.change(addFolder(id))))
  assert.deepEqual(log, ['start 1', 'end 1', 'start 2', 'end 2', 'start 3', 'end 3'])
})

test('at most a thousand changes are pending', async () => {
  const store = await setup().open()
  const results = await Promise.allSettled(Array.from({ length: 1_003 }, () => store.change((config) => config)))
  assert.equal(results.filter((one) => one.status === 'rejected').length, 3)
})

test('an invalid result changes nothing in memory and on disk, and notifies no listener', async () => {
  const { disk, saved, open } = setup(FULL)
  const store = await open()
  const before = store.current
  await assert.rejects(
    store.change((config) => upsertFolder(config, { path: '/x' })),
    { code: 'config-invalid', message: 'folder has empty ID' },
  )
  await assert.rejects(
    store.change((config) => patchFolder(config, 'vault' as FolderId, { type: 'sendonly' })),
    { code: 'config-invalid' },
  )
  assert.equal(store.current, before)
  assert.equal(read(disk), FULL)
  assert.equal(saved.length, 0)
})

test('C-06: a failed save changes nothing and rejects the call; the next one works', async () => {
  const { disk, open } = setup(FULL)
  const store = await open()
  disk.fail({ call: 'write', code: 'ENOSPC' })
  await assert.rejects(store.change(addFolder('new')), {
    code: 'config-unsaved',
    message: /^cannot save \S+config\.xml: .*(ENOSPC|no space left)/,
  })
  assert.equal(store.current.folders.length, 5)
  assert.equal(read(disk), FULL)
  assert.deepEqual(names(disk), ['config.xml'])
  await store.change(addFolder('new'))
  reportRow({ id: 'C-06', tried: 1 })
})

test('a device is resumed before the change is saved, and paused again if it cannot be', async () => {
  const { disk, saved, open } = setup(FULL)
  const store = await open()
  const isPaused = (config: Config) => config.devices.find(({ deviceID }) => deviceID === LAPTOP)?.paused
  await store.change((config) => patchDevice(config, LAPTOP, { paused: true }))
  const [before, savedBefore] = [read(disk), saved.length]
  const seen: string[] = []
  store.subscribe((from, to) => {
    seen.push(`${isPaused(from)} to ${isPaused(to)}, ${saved.length === savedBefore ? 'not saved' : 'saved'}`)
    assert.equal(store.current, to)
  })
  disk.fail({ call: 'write', code: 'ENOSPC' })
  const resume = () => store.change((config) => patchDevice(config, LAPTOP, { paused: false }))
  await assert.rejects(resume, { code: 'config-unsaved' })
  assert.deepEqual(seen, ['true to false, not saved', 'false to true, not saved'])
  assert.equal(read(disk), before)
  await resume()
  assert.equal(seen.at(-1), 'true to false, not saved')
  assert.equal(isPaused((await open()).current), false)
})

test('a failing listener is logged, and the others are still called', async () => {
  const { log, open } = setup()
  const store = await open()
  let called = false
  store.subscribe(() => Promise.reject(new Error('listener failed')))
  store.subscribe(() => void (called = true))
  await store.change(addFolder('a'))
  assert.ok(called)
  assert.match(log.lines.join('\n'), /ERROR .*listener failed/)
})

test('the mode of an existing file and a symlink are preserved', async () => {
  const { disk, open } = setup(FULL, 0o640)
  await (await open()).change(addFolder('a'))
  assert.equal(disk.sync.lstat(PATH).mode, 0o640)

  const linked = setup()
  linked.disk.put('/dotfiles/config.xml', FULL, 0o600)
  await linked.disk.makeSymlink('/dotfiles/config.xml', PATH)
  await (await linked.open()).change(addFolder('new'))
  assert.equal(linked.disk.sync.lstat(PATH).type, 'symlink')
  assert.match(read(linked.disk, '/dotfiles/config.xml'), /id="new"/)
})

test('a dangling symlink is refused: the configuration may be on a disk that is not mounted', async () => {
  const { disk, open } = setup()
  await disk.makeSymlink('/dotfiles/config.xml', PATH)
  await assert.rejects(open(), { code: 'config-invalid', message: /without a target/ })
})

test('a password in plain text is hashed before anything is stored', async () => {
  const { disk, open } = setup()
  const store = await open()
  await store.change((config) => patchGui(config, { user: 'u', password: 'pl\u00e4in' }))
  assert.match(store.current.gui.password, /^\$2a\$10\$.{53}$/)
  assert.doesNotMatch(read(disk), /pl\u00e4in/)
  const { compare } = await import('bcryptjs')
  assert.ok(await compare('pl\u00e4in', store.current.gui.password))
  const { password } = store.current.gui
  await store.change((config) => patchGui(config, { password }))
  assert.equal(store.current.gui.password, password)
  await assert.rejects(
    store.change((config) => patchGui(config, { password: 'x'.repeat(73) })),
    { code: 'config-invalid' },
  )
})

test('a required restart remains required', async () => {
  const store = await setup().open()
  await store.change((config) => patchOptions(config, { databaseTuning: 'large' }))
  await store.change((config) => patchOptions(config, { databaseTuning: 'auto' }))
  assert.ok(store.restartRequired)
})

test('CRLF line ends are preserved', async () => {
  const { disk, open } = setup(FULL.replaceAll('\n', '\r\n'))
  await (await open()).change((config) => config)
  assert.equal(read(disk), FULL.replaceAll('\n', '\r\n'))
})

test('no log line contains secrets', async () => {
  const { log, open } = setup(FULL)
  const store = await open()
  await store.change((config) => patchGui(config, { password: 'planted-secret' }))
  await store.change((config) => removeFolder(config, 'shared' as FolderId))
  assert.doesNotMatch(log.lines.join('\n'), /planted-secret|fixture-api-key|correct horse|\$2a\$/)
})

/** Runs a script of changes with a power failure at the n-th call, then restarts; returns the state found. */
async function crashAt(
  call: number,
  keep: CrashKeep,
): Promise<{ finished: boolean; folders: string; before: string[] }> {
  const { disk, clock, open } = setup(SMALL)
  disk.syncAll()
  const before: string[] = [SMALL]
  disk.faults.powerOffAt(call)
  const script = async () => {
    const store = await open()
    for (const change of [
      addFolder('one'),
      addFolder('two'),
      (config: Config) => removeFolder(config, 'inbox' as FolderId),
    ]) {
      await store.change(change)
      before.push(read(disk))
    }
  }
  const finished = await script().then(
    () => true,
    () => false,
  )
  disk.crash(keep)
  clock.jumpWall(1_000)
  const store = await open()
  assert.ok(!store.created, 'never a new configuration')
  return { finished, folders: store.current.folders.map((one) => one.id).join(), before }
}

test('C-03 D-06 after a power failure at any call the file is valid and has every confirmed change', async () => {
  const states = ['inbox', 'inbox,one', 'inbox,one,two', 'one,two']
  let tried = 0
  let bad = 0
  let calls = 1
  for (let finished = false; !finished; calls++) {
    const keeps: CrashKeep[] = ['nothing', 'everything']
    for (let seed = 1; seed <= effort(6); seed++) keeps.push(new SimRandom(seed * 1_000 + calls))
    for (const keep of keeps) {
      const result = await crashAt(calls, keep)
      finished = result.finished
      tried++
      const found = states.indexOf(result.folders)
      // Confirmed changes must be present; one in progress may be.
      const confirmed = result.before.length - 1
      if (found < confirmed || found > confirmed + 1) bad++
    }
  }
  reportRow({ id: 'C-03', what: 'config save', tried, calls: calls - 1, bad })
  reportRow({ id: 'D-06', what: 'config save interrupted', tried, validAfterwards: tried - bad, bad })
  assert.equal(bad, 0)
  assert.ok(calls > 20)
})
