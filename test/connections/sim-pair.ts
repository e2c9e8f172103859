/** Two devices on one simulated network, for the tests of connections. */
import assert from 'node:assert/strict'
import type { DeviceConfig, OptionsConfig } from '../../src/core/config/config.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import { createSimPlatform } from '../../src/platform/sim/platform.ts'
import { configOf, deviceConfig, idOf, Machine, simIdentity } from './machines.ts'

export const A_HOST = '10.0.0.1'
export const B_HOST = '10.0.0.2'
export const [A, B] = [simIdentity('a'), simIdentity('b')]
export const [A_ID, B_ID] = [idOf(A), idOf(B)]

interface PairSettings {
  readonly a?: Partial<DeviceConfig>
  readonly b?: Partial<DeviceConfig>
  readonly aOptions?: Partial<OptionsConfig>
  readonly bOptions?: Partial<OptionsConfig>
  readonly delayMs?: number
}

/** Two machines on one simulated network. `a` and `b` are the configuration of the peer on each. */
export function pair(settings: PairSettings = {}) {
  const clock = new SimClock()
  const network = new SimNetwork(clock, { delayMs: settings.delayMs ?? 2 })
  const platformOf = (hostName: string, seed: number) => createSimPlatform(seed, { clock, network, hostName })
  const aConfig = configOf(A_ID, [deviceConfig(B_ID, settings.a)], {
    listenAddresses: ['tcp://0.0.0.0:22000'],
    ...settings.aOptions,
  })
  const bConfig = configOf(B_ID, [deviceConfig(A_ID, settings.b)], {
    listenAddresses: ['tcp://0.0.0.0:22000'],
    ...settings.bOptions,
  })
  const a = new Machine(platformOf(A_HOST, 1), A, aConfig)
  const b = new Machine(platformOf(B_HOST, 2), B, bConfig)
  const pass = (ms: number) => clock.advance(ms, settle)
  return {
    a,
    b,
    clock,
    network,
    pass,
    async [Symbol.asyncDispose]() {
      const stopping = Promise.all([a.stop(), b.stop()])
      await pass(30_000)
      await stopping
      assert.equal(clock.sleepingCount, 0, 'no timer is pending after the stop')
    },
  }
}

export const TO_B = { addresses: [`tcp://${B_HOST}`] }
export const TO_A = { addresses: [`tcp://${A_HOST}:22000`] }

/** Runs all resolved promises. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 3; round++) await new Promise((resolve) => setImmediate(resolve))
}
