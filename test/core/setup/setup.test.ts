import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../../src/core/config/config.ts'
import type { Json } from '../../../src/core/config/config-json.ts'
import { prepareConfig } from '../../../src/core/config/config-prepare.ts'
import { EXTENSIONS } from '../../../src/core/config/extensions.ts'
import { deviceIdFromBytes, parseDeviceId } from '../../../src/core/device-id.ts'
import { exportSetup } from '../../../src/core/setup/setup-export.ts'
import { parseSetup } from '../../../src/core/setup/setup-file.ts'
import { NOTHING_APPLIED, planSetup, type AppliedSetup, type SetupPlan } from '../../../src/core/setup/setup-plan.ts'
import type { SetupState } from '../../../src/core/setup/setup-values.ts'
import { defaultConfig } from '../../../src/config/default-config.ts'

const OWN = parseDeviceId('P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2')
const NAS = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'
const KEY = 'k'.repeat(40)

const normalise = (config: Config) => prepareConfig(config, { ownDevice: OWN, hostName: 'here', newApiKey: 'x' }).config
const OPTIONS = { prune: false, resetDrift: false, normalise, hashOf: (key: string) => `hash of ${key}` }
const START: SetupState = {
  config: normalise(defaultConfig()),
  extensions: EXTENSIONS,
  ignores: new Map(),
  keys: [],
  hooks: [],
}
const FILE = {
  devices: [{ id: NAS, name: 'nas', addresses: ['tcp://10.0.0.2:22000'] }],
  folders: [
    {
      id: 'photos/2026',
      path: '/data/photos/',
      label: 'Photos',
      devices: [{ id: 'nas', encryptionPassword: 'secret of the folder' }],
      ignores: ['*.tmp'],
      versioning: { type: 'trashcan', params: { cleanoutDays: '30' } },
      collect: true,
    },
  ],
  options: { maxSendKbps: 100 },
  keys: [{ name: 'tray', scope: 'operate', key: KEY }],
  drive: true,
} satisfies Json

function plan(file: Json, state: SetupState, before: AppliedSetup = NOTHING_APPLIED, options = {}): SetupPlan {
  return planSetup(parseSetup(file, state.config.devices), state, before, { ...OPTIONS, ...options })
}

const lines = (changes: SetupPlan['changes']) =>
  changes.map(({ action, object, field }) => `${action} ${object} ${field}`.trim())

test('a file makes what it names, and a second time nothing', () => {
  const first = plan(FILE, START)
  assert.deepEqual(lines(first.changes), [
    'add device nas',
    'add device nas name',
    'add device nas addresses',
    'add folder photos/2026',
    'add folder photos/2026 path',
    'add folder photos/2026 label',
    'add folder photos/2026 versioning',
    'add folder photos/2026 collect',
    'add folder photos/2026 ignores',
    `add folder photos/2026 devices/${NAS}`,
    `add folder photos/2026 devices/${NAS}/encryptionPassword`,
    'change options maxSendKbps',
    'change drive on',
    'add key tray',
  ])
  const [folder] = first.next.config.folders
  assert.deepEqual(
    [
      folder?.label,
      folder?.versioning.type,
      folder?.devices.find(({ deviceID }) => deviceID === NAS)?.encryptionPassword,
    ],
    ['Photos', 'trashcan', 'secret of the folder'],
  )
  assert.equal(first.next.config.options.maxSendKbps, 100)
  assert.deepEqual(first.next.ignores.get('photos/2026'), ['*.tmp'])
  assert.equal(first.next.extensions.folders['photos/2026']?.collect, true)
  const second = plan(FILE, first.next, first.applied)
  assert.deepEqual([second.changes, second.drift, second.leftovers], [[], [], []])
  assert.deepEqual(second.next.config, first.next.config)
})

test('secrets are in no change and in no record', () => {
  const { changes, drift, applied } = plan(FILE, START)
  for (const secret of ['secret of the folder', KEY])
    assert.ok(!JSON.stringify([changes, drift, applied]).includes(secret))
})

test('what was changed here since is drift, and is set again only if that is wanted', () => {
  const first = plan(FILE, START)
  const folders = first.next.config.folders.map((folder) => ({ ...folder, label: 'Pictures' }))
  const state = { ...first.next, config: { ...first.next.config, folders } }
  const second = plan(FILE, state, first.applied)
  assert.deepEqual([lines(second.changes), lines(second.drift)], [[], ['change folder photos/2026 label']])
  assert.equal(second.next.config.folders[0]?.label, 'Pictures')
  const third = plan(FILE, state, second.applied)
  assert.deepEqual(lines(third.drift), ['change folder photos/2026 label'], 'it stays drift')
  assert.equal(plan(FILE, state, first.applied, { resetDrift: true }).next.config.folders[0]?.label, 'Photos')
  const changed = { ...FILE, folders: [{ ...FILE.folders[0]!, label: 'All photos' }] }
  assert.equal(plan(changed, state, second.applied).next.config.folders[0]?.label, 'All photos', 'a changed file wins')
})

test('a folder that was removed here stays removed, with one line', () => {
  const first = plan(FILE, START)
  const state = { ...first.next, config: { ...first.next.config, folders: [] } }
  const second = plan(FILE, state, first.applied)
  assert.deepEqual([lines(second.changes), lines(second.drift)], [[], ['add folder photos/2026']])
  assert.deepEqual(second.next.config.folders, [])
})

test('only what a file made is removed, and only if that is wanted', () => {
  const before = plan({ folders: [{ id: 'own', path: '/own' }] }, START).next // made by hand: no record of it
  const first = plan({ ...FILE, folders: [...FILE.folders, { id: 'own', path: '/own', devices: ['nas'] }] }, before)
  const empty: Json = { folders: [{ id: 'own', path: '/own', devices: [] }] }
  const kept = plan(empty, first.next, first.applied)
  assert.deepEqual(lines(kept.leftovers), [
    'remove device nas',
    'remove folder photos/2026',
    'remove folder own shared with nas',
    'remove key tray',
  ])
  assert.deepEqual(kept.next.config, first.next.config)
  const again = plan(empty, kept.next, kept.applied, { prune: true })
  assert.deepEqual(lines(again.changes), lines(kept.leftovers))
  assert.deepEqual(
    again.next.config.folders.map(({ id, devices }) => [id, devices.length]),
    [['own', 1]],
  )
  assert.deepEqual([again.next.config.devices.map(({ deviceID }) => deviceID), again.next.keys], [[OWN], []])
  assert.deepEqual(again.applied.made, [])
})

const WRONG: readonly (readonly [Json, RegExp])[] = [
  [[], /the file is not an object/],
  [{ fodlers: [] }, /^fodlers: there is no such field; is it folders\?$/],
  [{ folders: [{ id: 'a', path: '/a', lable: 'A' }] }, /^folders\[0\]\.lable: there is no such field; is it label\?$/],
  [{ folders: [{ id: 'a', versioning: { tpye: 'simple' } }] }, /versioning\.tpye: .* is it type\?/],
  [{ folders: [{ id: 'a', type: 'sendolny' }] }, /folders\[0\]\.type must be one of sendreceive/],
  [{ folders: [{ id: 'a', devices: ['nass'] }], devices: [{ id: NAS, name: 'nas' }] }, /no device nass; is it nas\?/],
  [{ folders: [{ id: 'a' }, { id: 'a' }] }, /a is there twice/],
  [{ folders: [{ id: 'a', collect: 'yes' }] }, /collect must be true or false/],
  [{ folders: [{ id: 'a', merge: true }] }, /merge is none of off, offer, on/],
  [{ folders: [{ id: 'a', mergeUnion: ['!x'] }] }, /mergeUnion has the pattern "!x"/],
  [
    { folders: [{ id: 'a', mergePrograms: { '*.json': ['jq'] } }] },
    /mergePrograms has the program "jq" without \{output\}/,
  ],
  [{ devices: [{ id: 'ABC' }] }, /devices\[0\]\.id is not a device id/],
  [{ devices: [{ id: NAS, paused: null }] }, /paused has no value/],
  [{ options: { maxSendKbps: 'fast' } }, /maxSendKbps/],
  [{ keys: [{ name: 'a', key: 'short' }] }, /key must be 32 to 128/],
  [{ keys: [{ name: 'a', key: KEY, scope: 'all' }] }, /scope must be one of/],
]

test('a file that is wrong is refused by the name of its place', () => {
  for (const [file, reason] of WRONG)
    assert.throws(
      () => plan(file, START),
      (error: Error & { code: string }) => error.code === 'bad-request' && reason.test(error.message),
      JSON.stringify(file),
    )
})

test('an exported file changes nothing where it is from, and makes the same elsewhere', () => {
  const { next } = plan(FILE, START)
  const exported = exportSetup(next, OWN)
  assert.ok(!JSON.stringify(exported).includes('secret of the folder'))
  assert.ok(!('unackedNotificationIDs' in (exported['options'] as object)), 'no state of the page')
  const here = plan(exported, next)
  assert.deepEqual(lines(here.changes), [])
  const there = plan(exported, START)
  assert.deepEqual(
    there.next.config.folders.map(({ label, versioning }) => [label, versioning]),
    next.config.folders.map(({ label, versioning }) => [label, versioning]),
  )
})

test('fifty devices are set up by one file', () => {
  const ids = Array.from({ length: 50 }, (_, i) => deviceIdFromBytes(new Uint8Array(32).fill(i + 1)))
  const file = {
    devices: ids.map((id, i) => ({ id, name: `host${i}`, addresses: [`tcp://10.0.0.${i + 1}:22000`] })),
    folders: [{ id: 'all', path: '/srv/all', devices: ids.map((_, i) => `host${i}`) }],
  }
  for (const own of ids) {
    const prepare = (config: Config) => prepareConfig(config, { ownDevice: own, hostName: 'h', newApiKey: 'x' }).config
    const state = { ...START, config: prepare(defaultConfig()) }
    const first = plan(file, state, NOTHING_APPLIED, { normalise: prepare })
    assert.deepEqual(new Set(first.next.config.folders[0]?.devices.map(({ deviceID }) => deviceID)), new Set(ids))
    assert.deepEqual(plan(file, first.next, first.applied, { normalise: prepare }).changes, [])
  }
})

const PARTS = {
  folders: [{ id: 'photos', path: '/data/photos', priority: 5, pauseOnBattery: true }],
  devices: FILE.devices,
  meteredLocalOnly: true,
  schedule: [
    { name: 'night', from: '22:00', to: '06:00', folder: 'photos', pause: true },
    { name: 'work', days: ['fri', 'mon'], from: '08:00', to: '18:00', device: 'nas', maxSendKbps: 100 },
  ],
  hooks: [
    { name: 'phone', on: 'error', url: 'https://ntfy.sh/topic', format: 'ntfy', secret: 's'.repeat(16) },
    { name: 'backup', on: 'folder-in-sync', folder: 'photos', after: '1m', program: '/bin/backup', args: ['--full'] },
  ],
} satisfies Json

test('rules, hooks and conditions: made once, drift is left, and only what a file made is pruned', () => {
  const first = plan(PARTS, START)
  const made = ['add rule night', 'add rule work', 'add hook phone', 'add hook backup']
  for (const line of [...made, 'change meteredLocalOnly on']) assert.ok(lines(first.changes).includes(line), line)
  const { extensions, hooks } = first.next
  assert.deepEqual(
    [extensions.meteredLocalOnly, extensions.schedule.map(({ days }) => days.length), extensions.schedule[1]?.device],
    [true, [7, 2], NAS],
  )
  assert.deepEqual([extensions.folders['photos']?.priority, hooks.length], [5, 2])
  assert.deepEqual(lines(plan(PARTS, first.next, first.applied).changes), [])
  // Changed by the page.
  const rules = extensions.schedule.map((rule) => (rule.name === 'night' ? { ...rule, to: '07:00' } : rule))
  const touched = { ...first.next, extensions: { ...extensions, schedule: rules }, hooks: hooks.slice(1) }
  const second = plan(PARTS, touched, first.applied)
  assert.deepEqual([lines(second.changes), lines(second.drift)], [[], ['change rule night', 'add hook phone']])
  assert.deepEqual(second.next.extensions.schedule, rules)
  const reset = plan(PARTS, touched, first.applied, { resetDrift: true })
  assert.deepEqual(reset.next.extensions.schedule[0]?.to, '06:00')
  // One that was made by hand stays, also with the hook of no file.
  const own = { ...extensions.schedule[0]!, name: 'own' }
  const more = { ...first.next, extensions: { ...extensions, schedule: [...extensions.schedule, own] } }
  const pruned = plan({ ...PARTS, schedule: [], hooks: [] }, more, first.applied, { prune: true })
  assert.deepEqual(lines(pruned.changes), [
    'remove rule night',
    'remove rule work',
    'remove hook phone',
    'remove hook backup',
  ])
  assert.deepEqual([pruned.next.extensions.schedule.map(({ name }) => name), pruned.next.hooks], [['own'], []])
})

test('rules and hooks are refused by their place', () => {
  const rule = { name: 'a', from: '22:00', to: '06:00', pause: true }
  const hook = { name: 'a', on: 'error', program: '/bin/x' }
  for (const [file, message] of [
    [{ schedule: [{ ...rule, form: '1' }] }, /^schedule\[0\]\.form: there is no such field; is it from\?/],
    [{ schedule: [{ ...rule, from: '9' }] }, /^schedule\[0\]\.from: use a time/],
    [{ schedule: [{ ...rule, device: 'none' }] }, /^schedule\[0\]\.device: there is no device none/],
    [{ schedule: [{ ...rule, maxSendKbps: 'x' }] }, /^schedule\[0\]\./],
    [{ schedule: [rule, rule] }, /^schedule: a is there twice/],
    [{ hooks: [{ ...hook, on: 'eror' }] }, /^hooks\[0\]\.on must be one of/],
    [{ hooks: [{ ...hook, url: 'https://x' }] }, /^hooks\[0\] must have either url or program/],
    [{ hooks: [{ ...hook, after: '1 hour' }] }, /^hooks\[0\]\.after must be a duration/],
    [{ hooks: [{ ...hook, name: '?' }] }, /^hooks\[0\]: name must be/],
    [{ inhibitSleep: 'yes' }, /^inhibitSleep is neither true nor false/],
    [
      { folders: [{ id: 'x', path: '/x', priority: 1.5 }] },
      /^folders\[0\]\.priority is not a whole number from -100 to 100/,
    ],
  ] as const)
    assert.throws(() => parseSetup(file as unknown as Json, []), { code: 'bad-request', message }, JSON.stringify(file))
})

test('an export has rules and programs, and applied again it changes nothing', () => {
  const { next } = plan(PARTS, START)
  const exported = exportSetup(next, OWN)
  assert.deepEqual(
    [exported['schedule'], exported['hooks'], exported['meteredLocalOnly']],
    [
      [
        { name: 'night', from: '22:00', to: '06:00', folder: 'photos', pause: true },
        { name: 'work', from: '08:00', to: '18:00', device: NAS, maxSendKbps: 100, days: ['mon', 'fri'] },
      ],
      [
        {
          name: 'backup',
          on: 'folder-in-sync',
          folder: 'photos',
          after: '1m',
          program: '/bin/backup',
          args: ['--full'],
        },
      ],
      true,
    ],
  )
  assert.deepEqual(lines(plan(exported, next).changes), [])
})
