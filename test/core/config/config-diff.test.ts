import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../../src/core/config/config.ts'
import { checkChange, guiAddressProblem } from '../../../src/core/config/config-check.ts'
import { diffFolders, isResumeOnly, needsRestart, pausedOrResumed } from '../../../src/core/config/config-diff.ts'
import {
  patchDevice,
  patchFolder,
  patchGui,
  patchOptions,
  removeDevice,
  removeFolder,
  upsertDevice,
  upsertFolder,
} from '../../../src/core/config/config-edit.ts'
import type { Json } from '../../../src/core/config/config-json.ts'
import type { FolderId } from '../../../src/core/ids.ts'
import { LAPTOP, SERVER, fullConfig, newConfig, prepared } from '../../support/config.ts'

const A = 'a' as FolderId

function base(): Config {
  const config = upsertFolder(upsertDevice(newConfig(), { deviceID: LAPTOP }), { id: 'a', path: '/a' })
  return prepared(upsertFolder(config, { id: 'p', path: '/p', paused: true }))
}

/** The kinds of actions with their subjects: `restart-folder a`. */
function actions(change: (config: Config) => Config): string[] {
  const after = prepared(change(base()))
  const devices = pausedOrResumed(base(), after)
  return [
    ...diffFolders(base(), after).map(
      (action) => `${action.kind} ${'folder' in action ? action.folder.id : action.id}`,
    ),
    ...devices.map(({ deviceID, paused }) => `${paused ? 'pause' : 'resume'}-device ${deviceID.slice(0, 4)}`),
  ]
}

const inA = (json: Json) => (config: Config) => patchFolder(config, A, json)
const inP = (json: Json) => (config: Config) => patchFolder(config, 'p' as FolderId, json)

const rows: [name: string, change: (config: Config) => Config, expected: string[]][] = [
  ['nothing', (config) => config, []],
  ['a new label restarts nothing', inA({ label: 'L' }), []],
  ['nor does a new group', inA({ group: 'G' }), []],
  ['another interval restarts', inA({ rescanIntervalS: 5 }), ['restart-folder a']],
  ['sharing restarts', inA({ devices: [{ deviceID: LAPTOP }] }), ['restart-folder a']],
  ['versioning restarts', inA({ versioning: { type: 'simple' } }), ['restart-folder a']],
  ['a paused folder does not restart', inP({ rescanIntervalS: 5 }), []],
  ['pausing', inA({ paused: true, label: 'x' }), ['pause-folder a']],
  ['resuming', inP({ paused: false }), ['resume-folder p']],
  ['removing', (config) => removeFolder(config, A), ['remove-folder a']],
  ['adding', (config) => upsertFolder(config, { id: 'n', path: '/n' }), ['add-folder n']],
  ['pausing a device', (config) => patchDevice(config, LAPTOP, { paused: true }), ['pause-device V7KS']],
  ['another address of a device', (config) => patchDevice(config, LAPTOP, { addresses: ['tcp://h:1'] }), []],
  ['removing a device', (config) => removeDevice(config, LAPTOP), []],
  ['adding a paused device', (config) => upsertDevice(config, { deviceID: SERVER, paused: true }), []],
  ['other settings', (config) => patchOptions(patchGui(config, { useTLS: true }), { maxSendKbps: 1 }), []],
]
for (const [name, change, expected] of rows)
  test(`actions of a change: ${name}`, () => assert.deepEqual(actions(change), expected))

test('a change that only resumes devices is recognised', () => {
  const device = (json: Json) => (config: Config) => patchDevice(config, LAPTOP, json)
  const running = upsertDevice(base(), { deviceID: SERVER })
  const paused = device({ paused: true })(running)
  const resumed = device({ paused: false })(paused)
  assert.ok(isResumeOnly(prepared(paused), prepared(resumed)))
  const others: Record<string, readonly [Config, Config]> = {
    'nothing changed': [paused, paused],
    paused: [running, paused],
    'resumed with another address': [paused, device({ paused: false, addresses: ['tcp://h:1'] })(paused)],
    'one resumed, one paused': [paused, patchDevice(resumed, SERVER, { paused: true })],
    'one resumed, one removed': [paused, removeDevice(resumed, SERVER)],
    'one resumed, a folder changed': [paused, patchFolder(resumed, A, { rescanIntervalS: 5 })],
    'one resumed, an option changed': [paused, patchOptions(resumed, { maxSendKbps: 1 })],
  }
  for (const [name, [from, to]] of Object.entries(others))
    assert.equal(isResumeOnly(prepared(from), prepared(to)), false, name)
})

test('only tuning and audit require a restart', () => {
  const from = base()
  assert.ok(needsRestart(from, patchOptions(from, { databaseTuning: 'large' })))
  assert.ok(needsRestart(from, patchOptions(from, { auditEnabled: true })))
  assert.ok(!needsRestart(from, patchOptions(from, { maxSendKbps: 5, listenAddresses: [] })))
})

test('a folder cannot become encrypted, nor plain again', () => {
  const full = fullConfig()
  assert.throws(() => checkChange(full, patchFolder(full, 'inbox' as FolderId, { type: 'receiveencrypted' })), {
    code: 'config-invalid',
  })
  assert.throws(() => checkChange(full, patchFolder(full, 'vault' as FolderId, { type: 'sendonly' })), {
    code: 'config-invalid',
  })
  checkChange(full, patchFolder(full, 'inbox' as FolderId, { type: 'sendonly' }))
})

test('an unknown versioning type is refused', () => {
  const from = base()
  assert.throws(() => checkChange(from, patchFolder(from, A, { versioning: { type: 'magic' } })), {
    code: 'config-invalid',
    message: /"magic"/,
  })
})

const addresses: [address: string, problem: string | undefined][] = [
  ['127.0.0.1:8384', undefined],
  ['[::1]:8384', undefined],
  [':8384', undefined],
  ['0.0.0.0:0', undefined],
  ['/run/x.sock', undefined],
  ['localhost:8384', undefined],
  ['notanaddress:xx:1', 'address notanaddress:xx:1: too many colons in address'],
  ['127.0.0.1', 'address 127.0.0.1: missing port in address'],
  ['127.0.0.1:99999', 'address 127.0.0.1:99999: invalid port'],
  ['host:http', 'address host:http: invalid port'],
]
for (const [address, problem] of addresses)
  test(`GUI address ${address}`, () => assert.equal(guiAddressProblem(address), problem))
