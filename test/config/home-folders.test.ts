import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldersAroundHome } from '../../src/config/home-folders.ts'
import { Passwords } from '../../src/config/password.ts'
import { openConfig } from '../../src/config/store.ts'
import { patchFolder, upsertFolder } from '../../src/core/config/config-edit.ts'
import type { FolderId } from '../../src/core/ids.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { simPasswords } from '../../src/platform/sim/passwords.ts'
import { SimRandom } from '../../src/platform/sim/random.ts'
import { newConfig, LOCAL_ID, prepared, xmlOf } from '../support/config.ts'
import { quietLogger } from '../support/logger.ts'

const HOME = { directories: ['/home/ann/state', '/var/ann'], userHome: '/home/ann' }

async function diskWithHome(): Promise<SimDisk> {
  const disk = new SimDisk(new SimClock(), { umask: 0 })
  disk.put('/home/ann/state/key.pem', '')
  disk.put('/var/ann/index', '')
  await disk.makeSymlink('/home/ann', '/mine')
  return disk
}

const cases: [path: string, isAround: boolean][] = [
  ['/home/ann/state', true],
  ['/home/ann', true],
  ['/home', true],
  ['/', true],
  ['~', true],
  ['/mine', true],
  ['/mine/state', true],
  ['/home/ann/x/..', true],
  ['/var', true],
  ['/home/ann/state/../Sync', false],
  ['/home/ann/Sync', false],
  ['~/Sync/new/deep', false],
  ['/home/ann/state2', false],
  ['/home/ann/sta', false],
  ['/elsewhere', false],
]
for (const [path, isAround] of cases) {
  test(`a folder at ${path} ${isAround ? 'contains' : 'does not contain'} the home`, async () => {
    const { folders } = prepared(upsertFolder(newConfig(), { id: 'x', path }))
    const around = await foldersAroundHome(await diskWithHome(), folders, HOME)
    assert.equal(around.length, isAround ? 1 : 0)
  })
}

test('a home made by another program keeps such a folder; a new one, or a new path, is refused', async () => {
  const disk = await diskWithHome()
  const path = '/home/ann/state/config.xml'
  const config = prepared(upsertFolder(newConfig(), { id: 'old', path: '/home/ann' }))
  disk.put(path, xmlOf({ config, unknowns: new Map() }), 0o600)
  const log = quietLogger('config')
  const clock = new SimClock()
  const random = new SimRandom(7)
  const passwords = new Passwords({ hasher: simPasswords, random, clock, log })
  const options = { path, ownDevice: LOCAL_ID, hostName: 'host', allowNewer: false, home: HOME }
  const store = await openConfig({ disk, clock, random, passwords, log }, options)
  await store.change((current) => patchFolder(current, 'old' as FolderId, { label: 'All' }))
  assert.equal(store.current.folders[0]?.label, 'All')
  const refused = { code: 'bad-request', message: /contains the home of this device \(\/home\/ann\/state\)/ }
  await assert.rejects(
    store.change((current) => patchFolder(current, 'old' as FolderId, { path: '/home' })),
    refused,
  )
  await assert.rejects(
    store.change((current) => upsertFolder(current, { id: 'new', path: '/mine' })),
    refused,
  )
  assert.deepEqual(
    store.current.folders.map(({ path: at }) => at),
    ['/home/ann'],
  )
})
