import assert from 'node:assert/strict'
import { test } from 'node:test'
import { patchFolder, patchGui, removeFolder, replaceConfig } from '../../src/core/config/config-edit.ts'
import { configToJson } from '../../src/core/config/config-json.ts'
import type { FolderId } from '../../src/core/ids.ts'
import { LOCAL_ID } from '../support/config.ts'
import { HOME, PATH, FULL, DAY_MS, setup, read, names, addFolder } from './store-setup.ts'

test('an older format is archived with mode 0600 and written in ours; a newer one only when allowed', async () => {
  const old = FULL.replace('version="37"', 'version="30"')
  const { disk, open } = setup(old, 0o644)
  const store = await open()
  assert.equal(store.current.version, 37)
  assert.equal(read(disk, `${PATH}.v30`), old)
  assert.equal(disk.sync.lstat(`${PATH}.v30`).mode, 0o600)
  assert.match(read(disk), /^<configuration version="37">/)

  const newer = setup(FULL.replace('version="37"', 'version="99"'))
  await assert.rejects(newer.open(), { code: 'config-newer' })
  assert.deepEqual(names(newer.disk), ['config.xml'])
  const opened = await newer.open(true)
  assert.equal(opened.current.version, 99)
  await opened.change(addFolder('x'))
  assert.match(read(newer.disk), /^<configuration version="99">/)
  assert.ok(names(newer.disk).includes('config.xml.v99'))
})

test('the format of Syncthing 1.19 is kept, until a setting needs a later one', async () => {
  const old = FULL.replace('version="37"', 'version="36"').replaceAll(/<sendOwnership>true/g, '<sendOwnership>false')
  const { disk, open } = setup(old)
  const store = await open()
  assert.deepEqual(names(disk), ['config.xml'])
  assert.equal(read(disk), old)
  await store.change(addFolder('x'))
  assert.match(read(disk), /^<configuration version="36">/)
  assert.equal(store.current.version, 36)

  const before = read(disk)
  await store.change((config) => patchFolder(config, 'x' as FolderId, { sendOwnership: true }))
  assert.match(read(disk), /^<configuration version="37">/)
  const copies = names(disk).filter((name) => name.startsWith('config.xml.backup-'))
  assert.deepEqual(
    copies.map((name) => read(disk, `${HOME}/${name}`)),
    [before],
  )
})

test('archived formats are removed after thirty days, leftovers of crashes at once', async () => {
  const { disk, clock, open } = setup(FULL)
  disk.put(`${PATH}.v28`, 'old')
  disk.put('/home/.syncthing.tmp.12345', 'half')
  disk.put('/home/.syncthing.photo.jpg.tmp', 'not ours')
  clock.jumpWall(31 * DAY_MS)
  disk.put(`${PATH}.v29`, 'newer')
  await open()
  assert.deepEqual(names(disk), ['.syncthing.photo.jpg.tmp', 'config.xml', 'config.xml.v29'])
})

test('a removal and a full replace keep a copy of the previous file; at most five', async () => {
  const { disk, clock, open } = setup(FULL)
  const store = await open()
  await store.change((config) => removeFolder(config, 'inbox' as FolderId))
  const copies = () => names(disk).filter((name) => name.startsWith('config.xml.backup-'))
  assert.equal(copies().length, 1)
  assert.equal(read(disk, `${HOME}/${copies()[0] ?? ''}`), FULL)
  assert.equal(disk.sync.lstat(`${HOME}/${copies()[0] ?? ''}`).mode, 0o600)
  for (let i = 0; i < 8; i++) {
    clock.jumpWall(1_000)
    await store.change((config) => replaceConfig(config, configToJson(config), LOCAL_ID))
  }
  assert.equal(copies().length, 5)
})

test('an ordinary change keeps no copy', async () => {
  const { disk, open } = setup(FULL)
  const store = await open()
  await store.change(addFolder('a'))
  await store.change((config) => patchGui(config, { theme: 'light' }))
  assert.deepEqual(names(disk), ['config.xml'])
})

test('a file that another program changed is copied before it is overwritten', async () => {
  const { disk, log, open } = setup(FULL)
  const store = await open()
  disk.put(PATH, FULL.replace('Inbox', 'Edited by hand'))
  await store.change(addFolder('a'))
  const [copy] = names(disk).filter((name) => name.startsWith('config.xml.backup-'))
  assert.match(read(disk, `${HOME}/${copy ?? ''}`), /Edited by hand/)
  assert.match(log.lines.join('\n'), /WARN .*changed by another program/)
})

test('D-06 a missing file is replaced by the newest good copy, with a warning', async () => {
  const { disk, clock, log, open } = setup()
  disk.put(`${PATH}.v36`, FULL.replace('version="37"', 'version="36"').replace('Inbox', 'Oldest'))
  clock.jumpWall(5_000)
  disk.put(`${PATH}.backup-20260101-000000.000`, FULL)
  clock.jumpWall(5_000)
  disk.put(`${PATH}.backup-20260101-000005.000`, FULL.slice(0, 500))
  const store = await open()
  assert.ok(!store.created)
  assert.equal(store.current.folders.length, 5)
  assert.match(log.lines.join('\n'), /WARN .*is missing; using the newest kept copy .*000000\.000/)
  assert.equal(read(disk), FULL)
})

test('D-06 a missing file whose copies are all damaged is not replaced by a new one', async () => {
  const { disk, open } = setup()
  disk.put(`${PATH}.backup-20260101-000000.000`, 'rubbish')
  await assert.rejects(open(), { code: 'config-invalid', message: /none of its kept copies can be read/ })
  assert.ok(!names(disk).includes('config.xml'))
})

test('D-06 a damaged file is refused, and the message names the copy to restore', async () => {
  const { disk, open } = setup(FULL.slice(0, 3_000))
  disk.put(`${PATH}.backup-20260101-000000.000`, FULL)
  await assert.rejects(open(), {
    code: 'config-invalid',
    message: /line \d+: .*kept copy \/home\/config\.xml\.backup-20260101-000000\.000/,
  })
  assert.equal(read(disk), FULL.slice(0, 3_000))
})
