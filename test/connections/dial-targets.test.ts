import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { test } from 'node:test'
import { DialLoop } from '../../src/connections/dial-loop.ts'
import { targetsOf, type TargetDeps } from '../../src/connections/dial-targets.ts'
import { OPTIONS } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import { Dialer } from '../../src/dialer/dialer.ts'
import type { Net } from '../../src/platform/net.ts'
import { NetError } from '../../src/platform/net-error.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { RelayDialer } from '../../src/relay/relay-dialer.ts'
import { Semaphore } from '../../src/sync/semaphore.ts'
import { quietLogger } from '../support/logger.ts'
import { deviceConfig, idOf, simIdentity } from './machines.ts'

const identity = simIdentity('near')
const DEVICE = idOf(simIdentity('far'))
const GOOD = 'tcp://10.0.0.1:22000'
const log = quietLogger('connections')

function depsOf(clock: SimClock, net: Net = new SimNetwork(clock).host('near')): TargetDeps {
  const dialer = new Dialer({ clock, net, log, environment: () => undefined }, { identity })
  return {
    dialer,
    relayDialer: new RelayDialer({ clock, dialer, identity }),
    options: () => ({ ...defaultsOf(OPTIONS), relaysEnabled: false }),
    isLan: () => () => true,
  }
}

const many = (count: number, text: (index: number) => string) => Array.from({ length: count }, (_, at) => text(at))

test('R-21 no source of addresses crowds out another, whatever it announces', () => {
  const deps = depsOf(new SimClock())
  const hostile: Readonly<Record<string, readonly string[]>> = {
    'of an unsupported kind': many(5_000, (at) => `quic://192.0.2.1:${at + 1}`),
    bad: many(5_000, (at) => `tcp://[${at}`),
    'of relays, which are off': many(5_000, (at) => `relay://192.0.2.1:${at + 1}/`),
    usable: many(5_000, (at) => `tcp://192.0.2.1:${at + 1}`),
    repeated: many(5_000, () => 'tcp://192.0.2.1:1'),
  }
  for (const [kind, addresses] of Object.entries(hostile)) {
    for (const found of [
      [addresses, [GOOD]],
      [[GOOD], addresses],
      [addresses, addresses.toReversed(), [GOOD]],
      [[...addresses.slice(0, 100), GOOD].filter((one) => one === GOOD || kind !== 'usable'), addresses],
    ]) {
      const { usable, skipped } = targetsOf(deps, deviceConfig(DEVICE), { configured: ['dynamic'], found })
      assert.ok(usable.has(GOOD), kind)
      assert.ok(usable.size <= 64 && skipped.size <= 64, kind)
    }
    const { usable } = targetsOf(deps, deviceConfig(DEVICE), { configured: [GOOD, 'dynamic'], found: [addresses] })
    assert.equal([...usable.keys()][0], GOOD, 'those of the configuration come first')
  }
  const configured = many(5_000, (at) => `tcp://192.0.2.1:${at + 1}`)
  const both = targetsOf(deps, deviceConfig(DEVICE), { configured, found: [[GOOD]] })
  assert.ok(both.usable.has(GOOD), 'many addresses of the configuration do not hide a found one')
})

test('R-20 an address that becomes known is dialled at once, while others do not answer', async () => {
  const clock = new SimClock()
  const dialled: string[] = []
  const net: Net = {
    listenTls: () => Promise.reject(new Error('not supported')),
    dialTcp: () => Promise.reject(new Error('not supported')),
    dialTls: ({ host, port }, signal) => {
      dialled.push(`tcp://${host}:${port}`)
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new NetError('ETIMEDOUT', ''))))
    },
  }
  let found: readonly string[] = []
  const stop = new AbortController()
  const loop = new DialLoop(
    {
      ...depsOf(clock, net),
      clock,
      log,
      random: { int: () => 0, bytes: (count) => new Uint8Array(count) },
      slots: new Semaphore(64),
      device: () => deviceConfig(DEVICE, { addresses: ['dynamic', 'tcp://10.0.0.9:1'] }),
      present: () => ({ priorities: [], wanted: 1, wantedMax: 1, totalCount: 0 }),
      lookup: () => [found],
      accept: async () => {},
      onDialed: () => {},
    },
    { device: DEVICE },
  )
  const running = loop.run(stop.signal)
  const settle = async () => {
    for (let turn = 0; turn < 6; turn++) await setImmediate()
  }
  await settle()
  assert.deepEqual(dialled, ['tcp://10.0.0.9:1'])
  found = [GOOD]
  loop.ring()
  await settle()
  assert.deepEqual(dialled, ['tcp://10.0.0.9:1', GOOD])
  loop.found()
  await settle()
  assert.equal(dialled.length, 2, 'an announcement, which may be forged, does not end the dials under way')
  stop.abort()
  await running
  assert.equal(clock.sleepingCount, 0)
})
