import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testProgram } from '../../tools/test-program.ts'
import { startDaemon } from '../support/daemon.ts'
import { eventually, scratchDirectory } from '../support/scratch.ts'
import {
  apiKeyOf,
  editConfig,
  generateSyncthingHome,
  insideNamespaceOf,
  missingSyncthing,
  quietConfig,
  runSyncthing,
  startSyncthing,
  syncthingDeviceId,
} from '../support/syncthing.ts'
import { field } from './pair.ts'

const skip = missingSyncthing() ?? false

/** An older Syncthing refuses the version that Twinfold writes unless a flag allows it. */
const ALLOW_NEWER = ['--allow-newer-config']

function twinfold(...args: string[]): string {
  const result = spawnSync(process.execPath, [testProgram(), ...args], { encoding: 'utf8', timeout: 60_000 })
  assert.equal(result.status, 0, result.stderr)
  return result.stdout
}

function ids(list: unknown, key: string): unknown[] {
  assert.ok(Array.isArray(list))
  return list.map((item: unknown) => field(item, key)).sort()
}

test('a home of Syncthing is used as it stands, and given back as good as it was', { skip }, async () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  const root = join(scratch.path, 'share')
  const other = otherDevice(scratch.path)
  mkdirSync(root)
  generateSyncthingHome(home)
  quietConfig(home)
  const deviceId = syncthingDeviceId(home)
  const apiKey = apiKeyOf(home)
  const files = ['cert.pem', 'key.pem'].map((name) => readFileSync(join(home, name), 'utf8'))
  {
    await using before = await startSyncthing({ home })
    await before.post('/rest/config/devices', {
      deviceID: other,
      name: 'Stranger & <friend>',
      addresses: ['tcp://127.0.0.1:1'],
    })
    await before.addFolder('share', root, {
      label: 'Ünïcode',
      devices: [{ deviceID: other }],
      versioning: { type: 'simple', params: { keep: '7' } },
    })
    await before.post('/rest/db/scan?folder=share')
  }
  addUnknownElements(home)

  assert.equal(twinfold('device-id', `--home=${home}`).trim(), deviceId)
  {
    await using daemon = await startDaemon({ home })
    assert.equal(daemon.apiKey, apiKey)
    assert.equal(field(await daemon.get('/rest/system/status'), 'myID'), deviceId)
    assert.deepEqual(ids(await daemon.get('/rest/config/folders'), 'id'), ['share'])
    assert.deepEqual(ids(await daemon.get('/rest/config/devices'), 'deviceID'), [deviceId, other].sort())
    await daemon.post('/rest/db/scan?folder=share')
    const changed = await daemon.request('PATCH', '/rest/config/folders/share', { label: 'Changed by Twinfold' })
    assert.equal(changed.status, 200)
  }

  assert.deepEqual(
    ['cert.pem', 'key.pem'].map((name) => readFileSync(join(home, name), 'utf8')),
    files,
    'the identity is untouched',
  )
  assert.equal(apiKeyOf(home), apiKey)
  const text = readFileSync(join(home, 'config.xml'), 'utf8')
  assert.match(text, /<fromTheFuture kind="option">kept<\/fromTheFuture>/)
  assert.match(text, /<fromTheFuture kind="root">kept<\/fromTheFuture>/)
  assert.equal(statSync(join(home, 'config.xml')).mode & 0o777, 0o600)

  await using again = await startSyncthing({ home, args: ALLOW_NEWER })
  assert.equal(field(await again.get('/rest/system/status'), 'myID'), deviceId)
  const [folder] = Object(await again.get('/rest/config/folders'))
  assert.equal(field(folder, 'label'), 'Changed by Twinfold')
  assert.equal(field(folder, 'path'), root)
  assert.deepEqual(ids(field(folder, 'devices'), 'deviceID'), [deviceId, other].sort())
  assert.equal(field(field(field(folder, 'versioning'), 'params'), 'keep'), '7')
  const devices = await again.get('/rest/config/devices')
  assert.deepEqual(ids(devices, 'name').includes('Stranger & <friend>'), true)
  await again.post('/rest/db/scan?folder=share')
})

test('a home of Twinfold is accepted by Syncthing, and its Ed25519 certificate by another one', { skip }, async () => {
  using scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  twinfold('generate', `--home=${home}`, '--no-port-probing')
  const deviceId = twinfold('device-id', `--home=${home}`).trim()
  assert.equal(syncthingDeviceId(home), deviceId)
  assert.match(readFileSync(join(home, 'cert.pem'), 'utf8'), /BEGIN CERTIFICATE/)

  await using first = await startSyncthing({ home, args: ALLOW_NEWER })
  assert.equal(field(await first.get('/rest/system/status'), 'myID'), deviceId)
  const options = await first.get('/rest/config/options')
  for (const name of [
    'globalAnnounceEnabled',
    'localAnnounceEnabled',
    'relaysEnabled',
    'natEnabled',
    'crashReportingEnabled',
  ]) {
    assert.equal(field(options, name), false, `${name}: a generated configuration contacts no other host`)
  }

  const otherHome = join(scratch.path, 'other')
  generateSyncthingHome(otherHome)
  quietConfig(otherHome)
  await using second = await startSyncthing({ home: otherHome, before: insideNamespaceOf(first.child) })
  const otherId = syncthingDeviceId(otherHome)
  await first.post('/rest/config/devices', { deviceID: otherId, addresses: ['dynamic'] })
  await second.post('/rest/config/devices', { deviceID: deviceId, addresses: ['tcp://127.0.0.1:22000'] })
  const connection = await eventually('the two to connect', async () => {
    const known = field(field(await second.get('/rest/system/connections'), 'connections'), deviceId)
    return field(known, 'connected') === true ? known : undefined
  })
  console.log(
    JSON.stringify({
      interop: 'certificate',
      key: 'Ed25519',
      with: field(await second.get('/rest/system/version'), 'version'),
      crypto: field(connection, 'crypto'),
    }),
  )
})

/** The ID of a device that exists nowhere else. */
function otherDevice(scratch: string): string {
  const home = join(scratch, 'other')
  generateSyncthingHome(home)
  return syncthingDeviceId(home)
}

function addUnknownElements(home: string): void {
  editConfig(home, (document) => {
    const root = document.documentElement
    for (const [kind, parent] of [
      ['root', root],
      ['option', document.getElementsByTagName('options')[0]],
    ] as const) {
      const element = document.createElement('fromTheFuture')
      element.setAttribute('kind', kind)
      element.appendChild(document.createTextNode('kept'))
      parent?.appendChild(element)
    }
  })
  assert.equal(runSyncthing([`--home=${home}`, '--device-id']).code, 0)
}
