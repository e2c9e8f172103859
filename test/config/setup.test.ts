import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { AppliedSetupFile, type SetupRecord } from '../../src/config/applied-setup.ts'
import { defaultConfig } from '../../src/config/default-config.ts'
import { ExtensionSettings } from '../../src/config/extension-settings.ts'
import { Grants } from '../../src/config/grants.ts'
import { SetupApplier } from '../../src/config/setup.ts'
import { prepareConfig } from '../../src/core/config/config-prepare.ts'
import { parseDeviceId } from '../../src/core/device-id.ts'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { nodeDisk } from '../../src/platform/node/disk/disk.ts'
import { FakeConfigStore, fakeHash } from '../http/fake-config.ts'
import { quietLogger } from '../support/logger.ts'

const OWN = {
  ownDevice: parseDeviceId('P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2'),
  hostName: 'h',
}
const APPLY = { check: false, prune: false, resetDrift: false }
const passwords = {
  hash: (password: string) => Promise.resolve(fakeHash(password)),
  verify: (password: string, hash: string) => Promise.resolve(hash === fakeHash(password)),
}
let home = ''

before(async () => void (home = await mkdtemp(join(tmpdir(), 'setup-'))))
after(async () => await rm(home, { recursive: true, force: true }))

/** With something that happens before the record is written for the first time. */
async function applierIn(name: string, meanwhile: (config: FakeConfigStore) => Promise<unknown> = async () => {}) {
  const config = new FakeConfigStore(prepareConfig(defaultConfig(), { ...OWN, newApiKey: 'key' }).config)
  const random = { bytes: (count: number) => new Uint8Array(count), int: () => 0 }
  const log = quietLogger('config')
  const record = new AppliedSetupFile(nodeDisk, join(home, `${name}-applied.json`))
  const grants = await Grants.open({ disk: nodeDisk, clock: nodeClock, random, log }, join(home, `${name}-keys.json`))
  const extensions = await ExtensionSettings.open(nodeDisk, join(home, `${name}-settings.json`))
  const hooks = { all: async () => [], replace: async () => {} }
  let isFirst = true
  const watched = {
    read: () => record.read(),
    write: async (value: SetupRecord) => {
      if (isFirst) await meanwhile(config)
      isFirst = false
      await record.write(value)
    },
  }
  const patterns = new Map<string, readonly string[]>()
  const readOnly = new Set<string>()
  const ignores = {
    read: async (folder: string) => patterns.get(folder),
    write: async (folder: string, lines: readonly string[]) => {
      if (readOnly.has(folder)) throw new Error(`EACCES: permission denied, /srv/${folder}`)
      patterns.set(folder, lines)
    },
  }
  return {
    config,
    extensions,
    patterns,
    readOnly,
    applier: new SetupApplier({ config, extensions, grants, passwords, record: watched, ignores, hooks, log }, OWN),
  }
}

test('a setting that is changed while a file is applied stays changed', async () => {
  const { config, applier } = await applierIn('meanwhile', (store) =>
    store.change((current) => ({ ...current, options: { ...current.options, maxRecvKbps: 7 } })),
  )
  await applier.apply({ options: { maxSendKbps: 100 } }, APPLY)
  assert.deepEqual([config.current.options.maxSendKbps, config.current.options.maxRecvKbps], [100, 7])
})

test('a password that was changed here stays drift, however often the file is applied', async () => {
  const { config, applier } = await applierIn('password')
  const file = { gui: { user: 'anna', password: 'that of the file' } }
  await applier.apply(file, APPLY)
  assert.equal(config.current.gui.password, fakeHash('that of the file'))
  const changed = fakeHash('another one')
  await config.change((current) => ({ ...current, gui: { ...current.gui, password: changed } }))
  for (const round of [1, 2, 3]) {
    const { changes, drift } = await applier.apply(file, APPLY)
    assert.deepEqual([changes.length, drift.map(({ field }) => field)], [0, ['password']], `round ${round}`)
    assert.equal(config.current.gui.password, changed)
  }
})

test('settings of other folders are not written again', async () => {
  const { extensions, applier } = await applierIn('settings')
  await applier.apply({ folders: [{ id: 'a', path: '/a', collect: true }] }, APPLY)
  await extensions.change({ folders: { a: { sharedIgnores: true } } })
  await applier.apply({ folders: [{ id: 'b', path: '/b', collect: true }] }, APPLY)
  const { a, b } = extensions.current.folders
  assert.deepEqual([a?.collect, a?.sharedIgnores, b?.collect], [true, true, true])
})

test('a directory that cannot be written keeps its folder paused, and the next time does the rest', async () => {
  const { config, patterns, readOnly, applier } = await applierIn('read-only')
  const file = { folders: ['a', 'b'].map((id) => ({ id, path: `/srv/${id}`, ignores: ['*.tmp'] })) }
  const paused = () => config.current.folders.map((folder) => folder.paused)
  readOnly.add('a')
  const reason = /folder a did not get its ignore patterns and stays paused: EACCES.*\/srv\/a\. The rest was applied/
  await assert.rejects(applier.apply(file, APPLY), { code: 'folder-error', message: reason })
  assert.deepEqual([paused(), [...patterns.keys()]], [[true, false], ['b']])
  await applier.applyAtStart(file) // logged: the device starts nevertheless
  assert.deepEqual(paused(), [true, false])

  readOnly.clear()
  const { changes, drift } = await applier.apply(file, APPLY)
  assert.deepEqual([changes.map(({ field }) => field), drift], [['ignores'], []])
  assert.deepEqual([paused(), patterns.get('a')], [[false, false], ['*.tmp']])
})
