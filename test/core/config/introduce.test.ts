import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Config, DeviceConfig, FolderConfig } from '../../../src/core/config/config.ts'
import { DEVICE } from '../../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../../src/core/config/field.ts'
import { deviceIdFromBytes } from '../../../src/core/device-id.ts'
import { applyIntroduction, type AnnouncedDevice, type AnnouncedFolder } from '../../../src/core/config/introduce.ts'
import type { DeviceId } from '../../../src/core/ids.ts'
import { newConfig, LOCAL_ID } from '../../support/config.ts'
import { reportRow } from '../../support/effort.ts'
import { simFolder } from '../../support/model.ts'

function id(number: number): DeviceId {
  const bytes = new Uint8Array(32).fill(1)
  new DataView(bytes.buffer).setUint32(0, number)
  return deviceIdFromBytes(bytes)
}

const SERVER = id(1)
const [ALICE, BOB] = [id(2), id(3)]

function announced(device: DeviceId, changes: Partial<AnnouncedDevice> = {}): AnnouncedDevice {
  return {
    id: device,
    name: 'device',
    addresses: [],
    certName: '',
    introducer: false,
    skipIntroductionRemovals: false,
    encrypted: false,
    ...changes,
  }
}

function configOf(
  folders: readonly FolderConfig[],
  server: Partial<DeviceConfig> = {},
  others: readonly DeviceConfig[] = [],
): Config {
  const config = newConfig()
  const introducer: DeviceConfig = {
    ...defaultsOf(DEVICE),
    deviceID: SERVER,
    introducer: true,
    compression: 'always',
    ...server,
  }
  return { ...config, folders, devices: [...config.devices, introducer, ...others] }
}

function shared(name: string, ...devices: readonly DeviceId[]): FolderConfig {
  return simFolder(name, {
    devices: devices.map((deviceID) => ({ deviceID, introducedBy: '', encryptionPassword: '' })),
  })
}

function membersOf(config: Config, folder: string): readonly DeviceId[] {
  return config.folders.find(({ id: name }) => name === folder)?.devices.map(({ deviceID }) => deviceID) ?? []
}

test('a folder is shared with the devices that an introducer shares it with', () => {
  const config = configOf([shared('docs', LOCAL_ID, SERVER)])
  const addresses = ['tcp://1.2.3.4:22000', 'javascript:alert(1)', 'dynamic', 'tcp://bad host', 'x'.repeat(10_000)]
  const announcement = [
    {
      id: 'docs',
      devices: [
        announced(LOCAL_ID),
        announced(SERVER),
        announced(ALICE, { name: 'Al\nice\u202e <b>', addresses, certName: 'c', introducer: true }),
      ],
    },
  ]
  const next = applyIntroduction(config, LOCAL_ID, SERVER, announcement)
  const alice = next.devices.find(({ deviceID }) => deviceID === ALICE)
  assert.deepEqual(
    { ...alice },
    {
      ...config.defaults.device,
      deviceID: ALICE,
      name: 'Al ice <b>',
      addresses: ['dynamic', 'tcp://1.2.3.4:22000'],
      compression: 'always',
      certName: 'c',
      introducer: true,
      introducedBy: SERVER,
    },
  )
  assert.deepEqual(next.folders[0]?.devices.at(-1), { deviceID: ALICE, introducedBy: SERVER, encryptionPassword: '' })
  assert.equal(applyIntroduction(next, LOCAL_ID, SERVER, announcement), next)
})

test('an introducer does not affect folders it does not share, ignored devices, or untrusted devices', () => {
  const untrusted: DeviceConfig = { ...defaultsOf(DEVICE), deviceID: BOB, untrusted: true }
  const config: Config = {
    ...configOf([shared('docs', LOCAL_ID, SERVER), shared('private', LOCAL_ID)], {}, [untrusted]),
    remoteIgnoredDevices: [{ deviceID: ALICE, time: '', name: '', address: '' }],
  }
  const announcement = ['docs', 'private', 'unknown'].map((name) => ({
    id: name,
    devices: [announced(ALICE), announced(BOB), announced(id(9), { encrypted: true })],
  }))
  assert.equal(applyIntroduction(config, LOCAL_ID, SERVER, announcement), config)
  assert.equal(applyIntroduction(config, LOCAL_ID, ALICE, announcement), config)
  const plain = configOf([shared('docs', LOCAL_ID, SERVER)], { introducer: false })
  assert.equal(applyIntroduction(plain, LOCAL_ID, SERVER, announcement), plain)
})

test('only what an introducer added is removed when it no longer announces it', () => {
  const start = configOf([shared('docs', LOCAL_ID, SERVER), shared('more', LOCAL_ID, SERVER, BOB)], {}, [
    { ...defaultsOf(DEVICE), deviceID: BOB },
  ])
  const both = [
    { id: 'docs', devices: [announced(ALICE), announced(BOB)] },
    { id: 'more', devices: [announced(ALICE)] },
  ]
  const with2 = applyIntroduction(start, LOCAL_ID, SERVER, both)
  assert.deepEqual(
    [membersOf(with2, 'docs'), membersOf(with2, 'more')],
    [
      [LOCAL_ID, SERVER, ALICE, BOB],
      [LOCAL_ID, SERVER, BOB, ALICE],
    ],
  )
  const less = applyIntroduction(with2, LOCAL_ID, SERVER, [{ id: 'docs', devices: [announced(ALICE)] }])
  assert.deepEqual(
    [membersOf(less, 'docs'), membersOf(less, 'more')],
    [
      [LOCAL_ID, SERVER, ALICE],
      [LOCAL_ID, SERVER, BOB],
    ],
  )
  const none = applyIntroduction(less, LOCAL_ID, SERVER, [])
  assert.deepEqual(none, start)
  const kept = {
    ...with2,
    devices: with2.devices.map((device) =>
      device.deviceID === SERVER ? { ...device, skipIntroductionRemovals: true } : device,
    ),
  }
  assert.equal(applyIntroduction(kept, LOCAL_ID, SERVER, []), kept)
})

test('B-20: an introducer that announces ten thousand devices and folders is limited', () => {
  const config = configOf([shared('docs', LOCAL_ID, SERVER)])
  const devices = Array.from({ length: 10_000 }, (_, i) =>
    announced(id(100 + i), {
      name: 'x'.repeat(100_000),
      addresses: Array.from({ length: 100 }, (__, j) => `tcp://1.1.1.1:${j + 1}`),
    }),
  )
  const announcement: AnnouncedFolder[] = [
    { id: 'docs', devices },
    ...Array.from({ length: 10_000 }, (_, i) => ({ id: `f${i}`, devices: devices.slice(0, 1) })),
  ]
  let next = applyIntroduction(config, LOCAL_ID, SERVER, announcement)
  const added = next.devices.length - config.devices.length
  next = applyIntroduction(next, LOCAL_ID, SERVER, announcement)
  const again = next.devices.length - config.devices.length
  const trusted = next.devices.filter(
    ({ autoAcceptFolders, introducedBy }) => introducedBy === SERVER && autoAcceptFolders,
  ).length
  reportRow({
    id: 'B-20',
    tried: announcement.length + devices.length,
    added,
    addedAgain: again - added,
    foldersAdded: next.folders.length - config.folders.length,
    trusted,
  })
  assert.deepEqual([added, again, next.folders.length, trusted], [500, 500, 1, 0])
  assert.ok(next.devices.every(({ name, addresses }) => name.length <= 128 && addresses.length <= 16))
})

const someone = fc.integer({ min: 2, max: 8 }).map(id)
const announcement = fc.array(
  fc.record({
    id: fc.constantFrom('docs', 'more', 'private', 'unknown'),
    devices: fc.array(
      fc
        .tuple(someone, fc.boolean(), fc.boolean())
        .map(([device, encrypted, introducer]) => announced(device, { encrypted, introducer })),
      { maxLength: 6 },
    ),
  }),
  { maxLength: 5 },
)

test('for any announcements: settings of the user stay, a repetition changes nothing, an empty one undoes all', () => {
  fc.assert(
    fc.property(fc.array(announcement, { maxLength: 5 }), (announcements) => {
      const start = configOf(
        [shared('docs', LOCAL_ID, SERVER, id(2)), shared('more', LOCAL_ID, SERVER), shared('private', LOCAL_ID, id(3))],
        {},
        [
          { ...defaultsOf(DEVICE), deviceID: id(2) },
          { ...defaultsOf(DEVICE), deviceID: id(3) },
        ],
      )
      let config = start
      for (const each of announcements) {
        config = applyIntroduction(config, LOCAL_ID, SERVER, each)
        assert.equal(applyIntroduction(config, LOCAL_ID, SERVER, each), config)
        assert.deepEqual(membersOf(config, 'private'), [LOCAL_ID, id(3)])
        for (const folder of start.folders)
          for (const device of folder.devices) assert.ok(membersOf(config, folder.id).includes(device.deviceID))
        const known = new Set(config.devices.map(({ deviceID }) => deviceID))
        for (const folder of config.folders) assert.ok(folder.devices.every(({ deviceID }) => known.has(deviceID)))
      }
      assert.deepEqual(applyIntroduction(config, LOCAL_ID, SERVER, []), start)
    }),
  )
})
