import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { deviceIdFromBytes } from '../../src/core/device-id.ts'
import { encode } from '../../src/core/wire/schema.ts'
import { readClusterConfig, writeClusterConfig } from '../../src/protocol/cluster-config.ts'
import { CLUSTER_CONFIG } from '../../src/protocol/messages.ts'
import type { ClusterConfig, ClusterDevice, ClusterFolder } from '../../src/protocol/types.ts'
import { STEP_BYTES } from '../../src/protocol/steps.ts'
import { finish } from './read-index.ts'
import { referenceType } from './reference-schema.ts'
import { DEVICE as DEVICE_FIELD, field, repeated } from './wire-parts.ts'

const ID = new Uint8Array(32).fill(5)
const DEVICE: ClusterDevice = {
  id: deviceIdFromBytes(ID),
  name: 'ben',
  addresses: ['tcp://192.0.2.1:22000', 'dynamic'],
  compression: 'always',
  certName: 'syncthing',
  maxSequence: 42,
  introducer: true,
  indexId: 2n ** 64n - 1n,
  skipIntroductionRemovals: true,
  encryptionPasswordToken: new Uint8Array([1, 2, 3]),
}
const FOLDER: ClusterFolder = {
  id: 'photos',
  label: 'Photos',
  type: 'receiveonly',
  paused: true,
  disableTempIndexes: true,
  devices: [DEVICE],
}

const read = (body: Uint8Array): ClusterConfig => finish(readClusterConfig(body))
const reference = referenceType('ClusterConfig')
/** As another implementation sends it. */
const readRaw = (raw: object): ClusterConfig => read(reference.encode(reference.fromObject(raw)).finish())
const rawDevice = (more: object) =>
  readRaw({ folders: [{ id: 'f', devices: [{ id: ID, ...more }] }] }).folders[0]?.devices[0]
const rawFolder = (more: object) => readRaw({ folders: [{ id: 'f', ...more }] }).folders[0]

/** Bytes as hexadecimal text, whatever holds them. */
function comparable({ folders, secondary }: ClusterConfig): object {
  const withText = (device: ClusterDevice) => {
    return { ...device, encryptionPasswordToken: Buffer.from(device.encryptionPasswordToken).toString('hex') }
  }
  return { secondary, folders: folders.map((folder) => ({ ...folder, devices: folder.devices.map(withText) })) }
}

describe('a ClusterConfig', () => {
  it('is read as it was written', () => {
    const other: ClusterFolder = {
      ...FOLDER,
      id: 'docs',
      type: 'sendreceive',
      paused: false,
      disableTempIndexes: false,
    }
    for (const secondary of [false, true]) {
      const config: ClusterConfig = { folders: [FOLDER, other], secondary }
      assert.deepEqual(comparable(read(writeClusterConfig(config))), comparable(config))
    }
  })

  it('says that no permissions and no deletions are ignored, whatever is the case', () => {
    const sent = reference.toObject(reference.decode(writeClusterConfig({ folders: [FOLDER], secondary: false })))
    const [folder] = sent['folders'] as readonly Record<string, unknown>[]
    assert.deepEqual([folder?.['ignore_permissions'] ?? false, folder?.['ignore_delete'] ?? false], [false, false])
  })

  it('without anything in it has no folders', () =>
    assert.deepEqual(read(new Uint8Array(0)), { folders: [], secondary: false }))

  it('of a later version is read without the fields that are not known', () => {
    const config = encode(CLUSTER_CONFIG, { secondary: true })
    assert.deepEqual(read(Buffer.concat([Buffer.from('7a03616263', 'hex'), config])), { folders: [], secondary: true })
  })
})

describe('a folder', () => {
  it('that is listed twice counts as listed first', () => {
    const { folders } = readRaw({ folders: [{ id: 'a', label: 'one' }, { id: 'b' }, { id: 'a', label: 'two' }] })
    assert.deepEqual(
      folders.map(({ id, label }) => [id, label]),
      [
        ['a', 'one'],
        ['b', ''],
      ],
    )
  })

  it('has an id of at most 256 bytes', () => {
    const ids = ['x'.repeat(256), 'x'.repeat(257), 'é'.repeat(128), 'é'.repeat(129), '']
    assert.deepEqual(
      readRaw({ folders: ids.map((id) => ({ id })) }).folders.map(({ id }) => id),
      [ids[0], ids[2], ''],
    )
  })

  it('has a type, and one that is not known is an ordinary one', () => {
    const types = [0, 1, 2, 3, 4, -1].map((type) => rawFolder({ type })?.type)
    assert.deepEqual(types, [
      'sendreceive',
      'sendonly',
      'receiveonly',
      'receiveencrypted',
      'sendreceive',
      'sendreceive',
    ])
  })

  it('is sent as paused by the number 1', () => {
    const sent = (paused: boolean) =>
      reference.toObject(reference.decode(writeClusterConfig({ folders: [{ ...FOLDER, paused }], secondary: false })), {
        defaults: true,
      })['folders'][0].stop_reason
    assert.deepEqual([sent(false), sent(true)], [0, 1])
  })

  it('is paused for one reason only', () => {
    assert.deepEqual(
      [0, 1, 2].map((stop_reason) => rawFolder({ stop_reason })?.paused),
      [false, true, false],
    )
  })
})

describe('a device', () => {
  it('has a compression, and one that is not known is the usual one', () => {
    const kinds = [0, 1, 2, 3, -1].map((compression) => rawDevice({ compression })?.compression)
    assert.deepEqual(kinds, ['metadata', 'never', 'always', 'metadata', 'metadata'])
  })

  it('has a sequence of at least 0', () => {
    const sequences = ['-5', '0', '1', String(Number.MAX_SAFE_INTEGER)]
    assert.deepEqual(
      sequences.map((max_sequence) => rawDevice({ max_sequence })?.maxSequence),
      [0, 0, 1, Number.MAX_SAFE_INTEGER],
    )
    assert.throws(() => rawDevice({ max_sequence: '9007199254740992' }), {
      kind: 'violation',
      message: /sequence number out of range/,
    })
  })

  it('has an id of 32 bytes that are not all 0', () => {
    const last = new Uint8Array(32)
    last[31] = 1
    assert.equal(rawDevice({ id: last })?.id, deviceIdFromBytes(last))
    for (const id of [new Uint8Array(32), new Uint8Array(31).fill(5), new Uint8Array(33).fill(5), new Uint8Array(0)])
      assert.throws(() => rawDevice({ id }), { kind: 'violation', message: /device ID invalid/ }, `${id.length} bytes`)
  })
})

describe('a ClusterConfig is read in steps', () => {
  const stepsOf = (body: Uint8Array) => [...readClusterConfig(body)].length
  const unknown = (bytes: number) => Buffer.concat([field(7, Buffer.alloc(bytes - 4)), FOLDERS_END])
  const FOLDERS_END = Buffer.from('1001', 'hex')

  it('of 128 devices', () => {
    const config = (count: number) => field(1, repeated(DEVICE_FIELD, count * DEVICE_FIELD.length))
    assert.deepEqual(
      [127, 128, 255, 256].map((count) => stepsOf(config(count))),
      [0, 1, 1, 2],
    )
  })

  it('of 32 KiB', () => {
    assert.equal(unknown(STEP_BYTES).length, STEP_BYTES + 2)
    assert.deepEqual([stepsOf(unknown(STEP_BYTES - 1)), stepsOf(unknown(STEP_BYTES))], [0, 1])
    const three = Buffer.concat([unknown(STEP_BYTES), unknown(STEP_BYTES - 2), unknown(STEP_BYTES)])
    assert.equal(stepsOf(three), 3)
    assert.equal(finish(readClusterConfig(three)).secondary, true)
  })

  it('and a folder of 32 KiB, too', () => {
    assert.equal(stepsOf(field(1, Buffer.concat([unknown(STEP_BYTES), unknown(STEP_BYTES)]))), 2)
  })
})

it('B-23: a ClusterConfig of more than 10,000 devices, or 50,000 parts in all, is refused', () => {
  const devices = (count: number) => Array.from({ length: count }, () => ({ id: ID }))
  const folders = (...counts: readonly number[]) => ({
    folders: counts.map((count, i) => ({ id: `${i}`, devices: devices(count) })),
  })
  assert.equal(readRaw(folders(4_000, 6_000)).folders.length, 2)
  assert.equal(readRaw(folders(10_000)).folders[0]?.devices.length, 10_000)
  assert.throws(() => readRaw(folders(10_001)), { kind: 'malformed', message: /too many devices/ })
  assert.throws(() => readRaw(folders(4_000, 6_001)), { kind: 'malformed', message: /too many devices/ })
  const many = (count: number) => ({ folders: Array.from({ length: count }, (_, i) => ({ id: `${i}` })) })
  assert.equal(readRaw(many(50_000)).folders.length, 50_000)
  assert.throws(() => readRaw(many(50_001)), { kind: 'malformed' })
})
