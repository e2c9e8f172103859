import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressProblem, deviceReasons, dialColumns, type NetworkFacts } from '../../src/cli/device-reasons.ts'
import { DEVICE } from '../../src/core/config/config-fields.ts'
import type { DeviceConfig } from '../../src/core/config/config.ts'
import { describeFailure } from '../../src/core/network/dial-failure.ts'
import { REFUSALS } from '../../src/core/refusals.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import { parseDeviceId } from '../../src/core/device-id.ts'

const OWN = 'MFZWI3D-BONSGYC-YLTMRWG-C43ENR5-QXGZDMM-FZWI3DP-BONSGYY-LTMRWAD'
const BEN = parseDeviceId('P56IOI7-MZJNU2Y-IQGDREY-DM2MGTI-MGL3BXN-PQ6W5BM-TBBZ4TJ-XZWICQ2')

const ben = (more: Partial<DeviceConfig> = {}): DeviceConfig => ({ ...defaultsOf(DEVICE), deviceID: BEN, ...more })

interface Given {
  readonly dials?: Readonly<Record<string, string | null>>
  readonly listenError?: string
  readonly listenAddress?: string
  readonly discovery?: boolean
  readonly found?: readonly string[]
  readonly connected?: boolean
  readonly disagreements?: NetworkFacts['disagreements']
}

/** Facts of a daemon at 10:00:30 that dialled at 10:00:00 and does so every 60 s. */
function facts({
  dials = {},
  listenError,
  listenAddress = 'tcp://:22000',
  discovery = false,
  found,
  connected = false,
  disagreements = [],
}: Given): NetworkFacts {
  const last = Object.entries(dials).map(([address, error]) => [address, { when: '2026-11-15T10:00:00Z', error }])
  const partly = {
    status: {
      myID: OWN,
      lastDialStatus: Object.fromEntries(last),
      connectionServiceStatus: { [listenAddress]: { error: listenError ?? null } },
    },
    connections: {
      connections: { [BEN]: { connected, address: '192.0.2.7:22000', type: 'tcp-client', clientVersion: 'v1' } },
      total: { at: '2026-11-15T10:00:30Z' },
    },
    options: { reconnectionIntervalS: 60, globalAnnounceEnabled: discovery, localAnnounceEnabled: false },
    disagreements,
    schedule: { pauses: [], metered: 'off' },
    discovered: found === undefined ? {} : { [BEN]: { addresses: found } },
  }
  return partly as unknown as NetworkFacts
}

const reasons = (device: DeviceConfig, given: Given, seen = 'never') =>
  deviceReasons(device, facts(given), seen).join('\n')

test('why DEVICE: paused, connected and the device itself need no other reason', () => {
  assert.match(reasons(ben({ paused: true }), {}), /^it is paused here/)
  assert.match(reasons(ben(), { connected: true }), /^it is connected at 192\.0\.2\.7:22000 \(tcp-client\), with v1$/)
  assert.equal(reasons(ben({ deviceID: parseDeviceId(OWN) }), {}), 'it is this device itself')
})

test('why DEVICE: settings that contradict those of the device come first, with the remedy', () => {
  const code = 'other-password'
  const found = { deviceID: BEN, folder: 'docs', code, ...REFUSALS[code], time: '2026-11-15T10:00:10Z' } as const
  const [first] = reasons(ben(), { disagreements: [{ ...found, deviceID: OWN, folder: 'x' }, found] }).split('\n')
  assert.match(first ?? '', /^folder "docs": different encryption passwords used\. Set the same password/)
})

test('why DEVICE and device list: attempts before a connection that was closed for its settings are no reason', () => {
  const code = 'other-password'
  const found = { deviceID: BEN, folder: 'docs', code, ...REFUSALS[code], time: '2026-11-15T10:00:10Z' } as const
  const device = ben({ addresses: ['tcp://192.0.2.7:22000'] })
  const dials = { 'tcp://192.0.2.7:22000': 'it is connected already' }
  const text = reasons(device, { dials, disagreements: [found] }, '2026-11-15 10:00')
  assert.doesNotMatch(text, /connected already|reached|no address/)
  assert.deepEqual(dialColumns(device, facts({ dials, disagreements: [found] })), [found.reason, ''])
  const later = { ...found, time: '2026-11-15T09:59:50Z' }
  const refused = { 'tcp://192.0.2.7:22000': 'ECONNREFUSED' }
  assert.match(reasons(device, { dials: refused, disagreements: [later] }), /used\..*\n.*ECONNREFUSED, 30 s ago/)
})

test('why DEVICE: the error of each address, its age and the next attempt, then hints', () => {
  const device = ben({ addresses: ['tcp://192.0.2.7', 'tcp://far.example:1', 'wrong', 'tcp://192.0.2.8'] })
  const dials = { 'tcp://192.0.2.7:22000': 'connect ECONNREFUSED 192.0.2.7:22000', 'tcp://far.example:1': 'timeout' }
  const lines = reasons(device, { dials, listenError: 'EADDRINUSE' }).split('\n')
  assert.deepEqual(lines.slice(0, 4), [
    'tcp://192.0.2.7: connect ECONNREFUSED 192.0.2.7:22000, 30 s ago, next attempt within 36 s',
    'tcp://far.example:1: timeout, 30 s ago, next attempt within 36 s',
    'wrong: not an address: it has no scheme, such as tcp://',
    'tcp://192.0.2.8: not tried yet',
  ])
  assert.match(
    lines.slice(4).join('\n'),
    /nothing listens[^]*firewall[^]*does not listen on tcp:\/\/:22000: EADDRINUSE/,
  )
  assert.match(lines.at(-1)!, new RegExp(`has never connected.*${OWN}`))
})

for (const [code, hint] of [
  ['ECONNREFUSED', /nothing listens at a refused address/],
  ['ETIMEDOUT', /off, in another network, or behind a firewall/],
  ['EHOSTUNREACH', /off, in another network, or behind a firewall/],
  ['ENETUNREACH', /off, in another network, or behind a firewall/],
  ['ENOTFOUND', /check its spelling/],
  ['EAI_AGAIN', /check its spelling/],
  ['ECONNRESET', /it may not have added this device yet/],
] as const) {
  test(`why DEVICE: a dial that failed by ${code} has a hint`, () => {
    const { text } = describeFailure(Object.assign(new Error(code), { code }))
    const device = ben({ addresses: ['tcp://192.0.2.7'] })
    assert.match(reasons(device, { dials: { 'tcp://192.0.2.7:22000': text } }), hint)
  })
}

test('why DEVICE: a listener for QUIC, which is never used, is no reason', () => {
  assert.match(reasons(ben(), { listenError: 'no' }), /does not listen/)
  assert.doesNotMatch(reasons(ben(), { listenError: 'no', listenAddress: 'quic://:22000' }), /does not listen/)
})

test('why DEVICE: discovery off, on without a result, and with one', () => {
  assert.match(reasons(ben(), {}), /^no address, and discovery is off; give one/)
  assert.match(reasons(ben(), { discovery: true }), /^discovery has found no address yet/)
  assert.match(
    reasons(ben(), { discovery: true, found: ['tcp://192.0.2.9:22000'] }),
    /^tcp:\/\/192\.0\.2\.9:22000: not/,
  )
  assert.match(reasons(ben(), {}, '2026-11-14 09:00'), /it was last connected 2026-11-14 09:00$/)
})

test('device list: the latest error and the next attempt, empty while connected', () => {
  const device = ben({ addresses: ['tcp://192.0.2.7:22000'] })
  const dials = { 'tcp://192.0.2.7:22000': 'ECONNREFUSED' }
  assert.deepEqual(dialColumns(device, facts({ dials })), ['ECONNREFUSED', 'within 36 s'])
  assert.deepEqual(dialColumns(device, facts({ dials, connected: true })), ['', ''])
  assert.deepEqual(dialColumns(ben(), facts({})), ['no address, and discovery is off', 'when it connects'])
})

test('addresses of the command line: refused with a proposal, or accepted', () => {
  const refused = addressProblem('192.168.1.20')
  assert.ok(refused !== undefined && 'refused' in refused)
  assert.match(refused.refused, /cannot be used as an address.*did you mean tcp:\/\/192\.168\.1\.20\?/)
  assert.equal(addressProblem('tcp://192.168.1.20:22000'), undefined)
  assert.equal(addressProblem('dynamic'), undefined)
  assert.ok(addressProblem('tcp://host:99999') !== undefined)
  for (const text of ['tcp://:22000', 'tcp://0.0.0.0:22000', 'tcp://[::]', 'tcp://host:0', 'dynamic+https://host/'])
    assert.ok('refused' in (addressProblem(text) ?? {}), text)
  assert.ok('warning' in (addressProblem('quic://192.168.1.20') ?? {}))
})
