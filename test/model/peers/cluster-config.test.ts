import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Config, DeviceConfig, FolderConfig } from '../../../src/core/config/config.ts'
import { DEVICE } from '../../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../../src/core/config/field.ts'
import { FolderCipher } from '../../../src/core/encryption/folder-cipher.ts'
import type { DeviceId, FolderId } from '../../../src/core/ids.ts'
import {
  clusterConfigFor,
  fingerprintsFor,
  judgeClusterConfig,
  type FolderPositions,
} from '../../../src/model/peers/cluster-config.ts'
import { tokenLength } from '../../../src/core/encryption/keys.ts'
import type { FolderTokens } from '../../../src/model/encryption/folder-encryption.ts'
import type { ClusterConfig, ClusterDevice, ClusterFolder } from '../../../src/protocol/types.ts'
import { LAPTOP, LOCAL_ID, SERVER } from '../../support/config.ts'
import { DOCS, simConfig, simFolder } from '../../support/model.ts'

const NO_TOKENS: FolderTokens = { ciphers: new Map(), stored: new Map(), unreadable: new Set() }
const ENDS = { own: LOCAL_ID, peer: SERVER }

function shared(
  id: string,
  changes: Partial<FolderConfig> = {},
  devices: readonly DeviceId[] = [LOCAL_ID, SERVER],
): FolderConfig {
  return simFolder(id, {
    devices: devices.map((deviceID) => ({ deviceID, introducedBy: '', encryptionPassword: '' })),
    ...changes,
  })
}

function configOf(folders: readonly FolderConfig[], server: Partial<DeviceConfig> = {}): Config {
  const device = (deviceID: DeviceId, more: Partial<DeviceConfig> = {}): DeviceConfig => ({
    ...defaultsOf(DEVICE),
    deviceID,
    ...more,
  })
  return {
    ...simConfig(folders),
    devices: [device(LOCAL_ID, { name: 'own' }), device(SERVER, { name: 'server', ...server }), device(LAPTOP)],
  }
}

function entry(id: DeviceId, more: Partial<ClusterDevice> = {}): ClusterDevice {
  return {
    id,
    name: '',
    addresses: [],
    compression: 'metadata',
    certName: '',
    maxSequence: 0,
    introducer: false,
    indexId: 0n,
    skipIntroductionRemovals: false,
    encryptionPasswordToken: new Uint8Array(0),
    ...more,
  }
}

function offered(id: string, more: Partial<ClusterFolder> = {}): ClusterFolder {
  return {
    id,
    label: `Label ${id}`,
    type: 'sendreceive',
    paused: false,
    disableTempIndexes: false,
    devices: [entry(LOCAL_ID), entry(SERVER)],
    ...more,
  }
}

function judge(config: Config, ...folders: ClusterFolder[]): string {
  const verdict = judgeClusterConfig(config, ENDS, { folders, secondary: false }, NO_TOKENS)
  if (verdict.kind === 'close') return `close: ${verdict.reason}`
  const decided = [...verdict.folders].map(([id, { kind }]) => `${id}=${kind}`)
  const offers = verdict.offers.map(
    (offer) => `${offer.folder}?${offer.receiveEncrypted ? 'receive' : ''}${offer.remoteEncrypted ? 'remote' : ''}`,
  )
  return [...decided, ...offers].join(' ')
}

const TOKEN = { encryptionPasswordToken: new Uint8Array(tokenLength('docs')) }
const LONG = { encryptionPasswordToken: new Uint8Array(20_000) }
const password = { devices: [{ deviceID: SERVER, introducedBy: '', encryptionPassword: 'secret' }] } as const

const JUDGED: readonly [name: string, config: Config, folders: readonly ClusterFolder[], expected: string][] = [
  ['an empty cluster config is accepted', configOf([shared('docs')]), [], ''],
  ['a folder both share is exchanged', configOf([shared('docs')]), [offered('docs')], 'docs=exchange'],
  ['paused there', configOf([shared('docs')]), [offered('docs', { paused: true })], 'docs=paused-there'],
  ['paused here', configOf([shared('docs', { paused: true })]), [offered('docs')], 'docs=paused-here'],
  ['unknown: an offer', configOf([]), [offered('docs')], 'docs?'],
  [
    'known but not shared with this device: an offer',
    configOf([shared('docs', {}, [LOCAL_ID, LAPTOP])]),
    [offered('docs')],
    'docs?',
  ],
  [
    'the sender is missing',
    configOf([]),
    [offered('docs', { devices: [entry(LOCAL_ID)] })],
    'close: remote device missing in cluster config',
  ],
  [
    'we are missing',
    configOf([]),
    [offered('docs', { devices: [entry(SERVER)] })],
    'close: local device missing in cluster config',
  ],
  ['a folder without an ID is ignored', configOf([]), [offered('')], ''],
  [
    'of two entries the first counts',
    configOf([shared('docs')]),
    [offered('docs'), offered('docs', { paused: true })],
    'docs=exchange',
  ],
  [
    'an offer to receive encrypted data is marked',
    configOf([]),
    [offered('docs', { devices: [entry(LOCAL_ID, TOKEN), entry(SERVER)] })],
    'docs?receive',
  ],
  [
    'an offer of encrypted data is marked',
    configOf([]),
    [offered('docs', { devices: [entry(LOCAL_ID), entry(SERVER, TOKEN)] })],
    'docs?remote',
  ],
  [
    'a token where data is plain',
    configOf([shared('docs')]),
    [offered('docs', { devices: [entry(LOCAL_ID, TOKEN), entry(SERVER)] })],
    'close: remote expects to exchange encrypted data, but is configured for plain data',
  ],
  [
    'B-40: a token of another length for a folder that is stored encrypted, and another folder',
    configOf([shared('docs', { type: 'receiveencrypted' }), shared('x')]),
    [offered('docs', { devices: [entry(LOCAL_ID, LONG), entry(SERVER)] }), offered('x')],
    'docs=refused x=exchange',
  ],
  [
    'B-40: a token of another length where data is plain, and another folder',
    configOf([shared('docs'), shared('x')]),
    [offered('docs', { devices: [entry(LOCAL_ID), entry(SERVER, LONG)] }), offered('x')],
    'docs=refused x=exchange',
  ],
  [
    'an untrusted device',
    configOf([shared('docs')], { untrusted: true }),
    [offered('docs')],
    'close: device is untrusted, but configured to receive plain data',
  ],
  [
    'an encrypted folder of ours is not exchanged in plain',
    configOf([shared('docs', { type: 'receiveencrypted' })]),
    [offered('docs')],
    'close: remote expects to exchange plain data, but is configured to be encrypted',
  ],
]

for (const [name, config, folders, expected] of JUDGED) {
  test(`judging a cluster config: ${name}`, () => assert.equal(judge(config, ...folders), expected))
}

test('D-40: a folder whose token cannot be read is refused, and announced as paused if its token was known', () => {
  const config = configOf([shared('docs', { type: 'receiveencrypted' }), shared('x')])
  const unreadable = new Set([DOCS])
  const docs = offered('docs', { devices: [entry(LOCAL_ID, TOKEN), entry(SERVER)] })
  const received = { folders: [docs, offered('x')], secondary: false }
  const verdict = judgeClusterConfig(config, ENDS, received, { ...NO_TOKENS, unreadable })
  assert.ok(verdict.kind === 'accept')
  assert.deepEqual(
    [...verdict.folders.values()].map(({ kind }) => kind),
    ['refused', 'exchange'],
  )
  const stored = new Map([[DOCS, TOKEN.encryptionPasswordToken]])
  const announced = (tokens: FolderTokens) =>
    clusterConfigFor(config, ENDS, POSITIONS, tokens).folders.map(({ id, paused }) => [id, paused])
  assert.deepEqual(announced({ ...NO_TOKENS, unreadable, stored })[0], ['docs', true])
  assert.deepEqual(announced({ ...NO_TOKENS, unreadable })[0]?.[0], 'x')
})

test('judging a cluster config: any list of folders gives a result', () => {
  const device = fc.constantFrom(LOCAL_ID, SERVER, LAPTOP).map((id) => entry(id))
  const folder = fc.record({
    id: fc.constantFrom('docs', '', '__proto__', 'x'),
    paused: fc.boolean(),
    devices: fc.array(device, { maxLength: 3 }),
  })
  fc.assert(
    fc.property(fc.array(folder, { maxLength: 6 }), (folders) => {
      judge(configOf([shared('docs')]), ...folders.map(({ id, ...more }) => offered(id, more)))
    }),
  )
})

const POSITIONS: ReadonlyMap<FolderId, FolderPositions> = new Map([
  [
    DOCS,
    {
      own: { indexId: 7n, sequence: 70 },
      others: new Map([[SERVER, { indexId: 9n, sequence: 90 }]]),
    },
  ],
])

function messageFor(config: Config): ClusterConfig {
  return clusterConfigFor(config, ENDS, POSITIONS, NO_TOKENS)
}

test('W-14: the cluster config holds the folders shared with the device and index positions, no relay token', () => {
  const { folders, secondary } = messageFor(
    configOf([shared('docs', {}, [LOCAL_ID, SERVER, LAPTOP]), shared('private', {}, [LOCAL_ID, LAPTOP])], {
      addresses: ['relay://h:1/?id=A&token=t'],
    }),
  )
  assert.equal(secondary, false)
  assert.deepEqual(
    folders.map(({ id, label, paused, type }) => ({ id, label, paused, type })),
    [{ id: 'docs', label: 'The docs', paused: false, type: 'sendreceive' }],
  )
  const positions = folders[0]!.devices.map(({ id, indexId, maxSequence }) => [id, indexId, maxSequence])
  assert.deepEqual(positions, [
    [LOCAL_ID, 7n, 70],
    [SERVER, 9n, 90],
    [LAPTOP, 0n, 0],
  ])
  assert.deepEqual(folders[0]?.devices[1]?.addresses, ['relay://h:1/?id=A'])
})

test('a folder that is not running is announced as paused, without positions', () => {
  const [paused] = messageFor(configOf([shared('docs', { paused: true })])).folders
  assert.equal(paused?.paused, true)
  assert.deepEqual(
    paused.devices.map(({ maxSequence }) => maxSequence),
    [0, 0],
  )
  assert.equal(
    messageFor(configOf([shared('other')])).folders[0]?.paused,
    true,
    'one that has not started counts as paused',
  )
})

test('judging a cluster config: a password without its cipher is never taken for plain data', () => {
  assert.throws(() => judge(configOf([shared('docs', password)]), offered('docs')), /no cipher/)
})

test('a device with an encryption password is not announced to others, and gets the token', () => {
  const devices = [
    { deviceID: LOCAL_ID, introducedBy: '', encryptionPassword: '' },
    { deviceID: SERVER, introducedBy: '', encryptionPassword: '' },
    { deviceID: LAPTOP, introducedBy: '', encryptionPassword: 'secret' },
  ] as const
  const config = configOf([shared('docs', { devices })])
  assert.deepEqual(
    messageFor(config).folders[0]?.devices.map(({ id }) => id),
    [LOCAL_ID, SERVER],
  )
  const cipher = new FolderCipher(Buffer.alloc(32), DOCS)
  const tokens = { ...NO_TOKENS, ciphers: new Map([[DOCS, cipher]]) }
  const [folder] = clusterConfigFor(config, { own: LOCAL_ID, peer: LAPTOP }, POSITIONS, tokens).folders
  for (const { id, encryptionPasswordToken } of folder?.devices ?? []) {
    assert.deepEqual(encryptionPasswordToken, id === LAPTOP ? cipher.passwordToken : new Uint8Array(0))
  }
})

test('a folder that is stored encrypted is announced once its password is known, with the token of its data', () => {
  const config = configOf([shared('docs', { type: 'receiveencrypted' })])
  assert.deepEqual(messageFor(config).folders, [])
  const stored = new Map([[DOCS, Buffer.from('token')]])
  const [folder] = clusterConfigFor(config, ENDS, POSITIONS, { ...NO_TOKENS, stored }).folders
  assert.equal(folder?.type, 'receiveencrypted')
  for (const { id, encryptionPasswordToken } of folder.devices) {
    assert.equal(Buffer.from(encryptionPasswordToken).toString(), id === LOCAL_ID ? 'token' : '')
  }
})

test('the fingerprint of a cluster config changes with what the device receives, and with nothing else', () => {
  const devices = [LOCAL_ID, SERVER, LAPTOP].map((deviceID) => ({
    deviceID,
    introducedBy: '' as const,
    encryptionPassword: deviceID === LAPTOP ? 'secret' : '',
  }))
  const config = configOf([shared('docs', { devices }), shared('private', {}, [LOCAL_ID, LAPTOP])])
  const named = (device: DeviceId): Config => ({
    ...config,
    devices: config.devices.map((known) => (known.deviceID === device ? { ...known, name: 'new' } : known)),
  })
  const of = (changed: Config, peer = SERVER, tokens = NO_TOKENS) =>
    JSON.stringify(fingerprintsFor(changed, { own: LOCAL_ID, peer }, tokens))
  assert.equal(of({ ...config }), of(config))
  assert.notEqual(of(named(LOCAL_ID)), of(config))
  assert.equal(of(named(LAPTOP)), of(config), 'a device with a password is not announced to others')
  assert.notEqual(of(named(LAPTOP), LAPTOP), of(config, LAPTOP))
  const tokens = { ...NO_TOKENS, ciphers: new Map([[DOCS, new FolderCipher(Buffer.alloc(32), DOCS)]]) }
  assert.notEqual(of(config, LAPTOP, tokens), of(config, LAPTOP))
  const [docs, ...others] = config.folders
  assert.notEqual(of({ ...config, folders: [{ ...docs!, label: 'new' }, ...others] }), of(config))
  assert.equal(
    of({ ...config, folders: [docs!, ...others.map((folder) => ({ ...folder, label: 'new' }))] }),
    of(config),
  )
})
