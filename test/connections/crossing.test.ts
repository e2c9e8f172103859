import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ownWanted, wantedConnections } from '../../src/core/network/admission.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import { effort } from '../support/effort.ts'
import { configOf, deviceConfig, idOf, Machine, simIdentity } from './machines.ts'

const HOSTS = ['10.0.0.1', '10.0.0.2'] as const
const IDENTITIES = [simIdentity('one'), simIdentity('two')] as const

const scenario = fc.record({
  seed: fc.integer({ min: 1, max: 1_000_000 }),
  delayMs: fc.constantFrom(0, 1, 10, 150, 900),
  startGapMs: fc.constantFrom(0, 0, 1, 5, 1_000, 4_999, 20_000),
  wanted: fc.tuple(fc.constantFrom(-1, 0, 1, 2, 3, 5), fc.constantFrom(-1, 0, 1, 2, 3, 5)),
  dials: fc.constantFrom('both', 'first', 'second'),
  faults: fc.array(
    fc.record({
      kind: fc.constantFrom('cut', 'partition', 'pause'),
      atMs: fc.integer({ min: 0, max: 60_000 }),
      forMs: fc.integer({ min: 1, max: 40_000 }),
    }),
    { maxLength: 4 },
  ),
})

test('for any faults: both sides end with the same connections, the wanted number or one more', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ seed, delayMs, startGapMs, wanted, dials, faults }) => {
      const clock = new SimClock()
      const network = new SimNetwork(clock, { delayMs })
      const machines = ([0, 1] as const).map((i) => {
        const peer = idOf(IDENTITIES[1 - i]!)
        const isDialling = dials === 'both' || dials === (i === 0 ? 'first' : 'second')
        const addresses = isDialling ? [`tcp://${HOSTS[1 - i]}`] : []
        const config = configOf(idOf(IDENTITIES[i]), [deviceConfig(peer, { addresses, numConnections: wanted[i] })], {
          listenAddresses: ['tcp://0.0.0.0'],
        })
        return new Machine(createSimPlatform(seed + i, { clock, network, hostName: HOSTS[i] }), IDENTITIES[i], config)
      })
      const [one, two] = [machines[0]!, machines[1]!]
      one.start()
      await clock.advance(startGapMs, settle)
      two.start()
      for (const { kind, atMs, forMs } of faults) {
        await clock.advance(atMs, settle)
        if (kind === 'cut') network.cut(...HOSTS)
        if (kind === 'partition') network.partition(...HOSTS)
        const before = one.config
        if (kind === 'pause')
          one.change({ ...before, devices: before.devices.map((device) => ({ ...device, paused: true })) })
        await clock.advance(forMs, settle)
        if (kind === 'partition') network.heal(...HOSTS)
        if (kind === 'pause') one.change(before)
      }
      await clock.advance(600_000, settle)
      const expected = wantedConnections(ownWanted(wanted[0]), ownWanted(wanted[1]))
      for (const count of [one.open(two.id), two.open(one.id)]) {
        assert.ok(count === expected || (count === expected + 1 && dials === 'both'), `${count} instead of ${expected}`)
      }
      one.assertConsistent()
      two.assertConsistent()
      const halves = (machine: Machine) =>
        machine
          .openConnections()
          .map(({ connectionId }) => connectionId.slice(0, 13))
          .sort()
      assert.deepEqual(halves(one), halves(two))
      const stopping = Promise.all([one.stop(), two.stop()])
      await clock.advance(60_000, settle)
      await stopping
      assert.equal(clock.sleepingCount, 0, 'no timer is pending after the stop')
    }),
    { numRuns: effort(60) },
  )
})

async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve))
}
