import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../src/core/config/config.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import { DeviceNames } from '../../src/main/device-names.ts'
import { DEVICES } from '../db/records.ts'
import { quietLogger } from '../support/logger.ts'

const [A, B, C] = DEVICES as readonly [DeviceId, DeviceId, DeviceId]

/** A configuration whose changes begin when the test lets them. */
class SlowConfig {
  names: string[] = []
  changes: (() => void)[] = []
  #devices = [A, B, C].map((deviceID) => ({ deviceID, name: '' }))

  change(make: (current: Config) => Config): Promise<Config> {
    const { promise, resolve } = Promise.withResolvers<Config>()
    this.changes.push(() => {
      const config = make({ devices: this.#devices } as unknown as Config)
      this.#devices = config.devices.map(({ deviceID, name }) => ({ deviceID, name }))
      this.names = this.#devices.map(({ name }) => name)
      resolve(config)
    })
    return promise
  }
}

test('names of devices that arrive before a change has begun are one change', async () => {
  const config = new SlowConfig()
  const names = new DeviceNames(config, quietLogger('main'))
  names.set(A, 'a')
  names.set(B, 'b')
  assert.equal(config.changes.length, 1)
  config.changes[0]!()
  assert.deepEqual(config.names, ['a', 'b', ''])
  names.set(C, 'c')
  names.set(A, 'new')
  assert.equal(config.changes.length, 2)
  config.changes[1]!()
  assert.deepEqual(config.names, ['new', 'b', 'c'])
})

test('names of devices are saved after a change was refused', async () => {
  const config = new SlowConfig()
  let refusals = 1
  const change = (make: (current: Config) => Config) =>
    refusals-- > 0 ? Promise.reject(new Error('too many changes')) : config.change(make)
  const names = new DeviceNames({ change }, quietLogger('main'))
  names.set(A, 'a')
  await new Promise((done) => setImmediate(done))
  names.set(B, 'b')
  config.changes[0]!()
  assert.deepEqual(config.names, ['', 'b', ''])
})
