import assert from 'node:assert/strict'
import { test } from 'node:test'
import { attemptsAt, whyNoAddress } from '../../gui/view-model/attempts.ts'
import {
  discoveryLines,
  isNetworkUndecided,
  listenerLines,
  mappingLines,
  networkAnswer,
} from '../../gui/view-model/network.ts'

const NOTE = 'twinfoldNetwork'

test('the question of a new home is asked until it is answered', () => {
  const options = { unackedNotificationIDs: ['other', NOTE] }
  assert.deepEqual(
    [
      isNetworkUndecided(options),
      isNetworkUndecided({ unackedNotificationIDs: ['other'] }),
      isNetworkUndecided(undefined),
    ],
    [true, false, false],
  )
  assert.deepEqual(networkAnswer(options, new Set(['natEnabled'])), {
    localAnnounceEnabled: false,
    globalAnnounceEnabled: false,
    relaysEnabled: false,
    natEnabled: true,
    unackedNotificationIDs: ['other'],
  })
})

test('every address of a device, with the last error and the next attempt', () => {
  const dials: Parameters<typeof attemptsAt>[2] = {
    'tcp://a:1': {
      when: '2026-11-16T00:00:00Z',
      error: 'connection refused',
      reason: 'refused',
      next: '2026-11-16T00:01:00Z',
    },
    'tcp://z:9': { when: '2026-11-16T00:00:00Z', error: 'of another device' },
  }
  const attempts = attemptsAt(['dynamic', 'tcp://a:1'], ['tcp://a:1', 'relay://b:2'], dials)
  assert.deepEqual(attempts, [
    {
      address: 'tcp://a:1',
      error: 'connection refused',
      reason: 'refused',
      triedMs: Date.parse('2026-11-16T00:00:00Z'),
      nextMs: Date.parse('2026-11-16T00:01:00Z'),
    },
    { address: 'relay://b:2', error: '', reason: undefined, triedMs: Number.NaN, nextMs: Number.NaN },
  ])
})

test('why a device without an address is not dialled', () => {
  const off = { localAnnounceEnabled: false, globalAnnounceEnabled: false }
  assert.equal(whyNoAddress([], off), 'none')
  assert.equal(whyNoAddress(['dynamic'], off), 'discovery-off')
  assert.equal(whyNoAddress(['dynamic'], { ...off, globalAnnounceEnabled: true }), 'not-found')
})

test('the state of discovery, listeners and port mapping', () => {
  const discovery = discoveryLines({ discoveryStatus: { 'IPv4 local': { error: null }, 'global@x': { error: 'no' } } })
  assert.deepEqual(discovery, [
    { name: 'IPv4 local', tone: 'good' },
    { name: 'global@x', tone: 'bad', error: 'no' },
  ])
  const [tcp, quic] = ['tcp://0.0.0.0:22000', 'quic://0.0.0.0:22000']
  const listeners = listenerLines({
    [tcp]: { error: null, lanAddresses: [], wanAddresses: [tcp, 'tcp://44.1.2.3:4'] },
    [quic]: { error: 'not supported', lanAddresses: [], wanAddresses: [] },
  })
  assert.deepEqual(listeners, [
    { name: tcp, tone: 'good', addresses: ['tcp://44.1.2.3:4'] },
    { name: quic, tone: 'bad', error: 'not supported', addresses: [] },
  ])
  const mapping = { listener: tcp, protocol: 'PCP', gateway: '10.0.0.1', internalPort: 22_000, error: null } as const
  assert.deepEqual(mappingLines({ enabled: false, error: null, mappings: [] }), [])
  assert.deepEqual(mappingLines({ enabled: true, error: null, mappings: [] }), [{ name: '', tone: 'busy' }])
  assert.deepEqual(mappingLines({ enabled: true, error: 'no router', mappings: [] }), [
    { name: '', tone: 'bad', error: 'no router' },
  ])
  const mappings = [
    { ...mapping, externalAddress: '44.1.2.3:4' },
    { ...mapping, error: 'refused' },
  ]
  assert.deepEqual(mappingLines({ enabled: true, error: null, mappings }), [
    { name: 'PCP 10.0.0.1', tone: 'good', port: 22_000, addresses: ['44.1.2.3:4'] },
    { name: 'PCP 10.0.0.1', tone: 'bad', error: 'refused', port: 22_000, addresses: [] },
  ])
})
