import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simFolder } from '../support/model.ts'
import { A_ID, B_ID, pair, TO_B } from './sim-pair.ts'

/** A dials B, which has not added A yet. */
function setUp(aListen = 'tcp://0.0.0.0:22000') {
  const two = pair({ a: TO_B, aOptions: { listenAddresses: [aListen], reconnectionIntervalS: 60 } })
  const accepted = two.b.config
  two.b.change({ ...accepted, devices: accepted.devices.slice(0, 1) })
  two.a.start()
  two.b.start()
  return { two, accept: () => two.b.change(accepted) }
}

test('an accepted device of the local network is connected at once', async () => {
  const { two, accept } = setUp()
  await using _two = two
  await two.pass(3_700)
  assert.equal(two.b.unknownDevices[0]?.device, A_ID)
  accept()
  await two.pass(500)
  assert.equal(two.b.open(A_ID), 1)
  assert.equal(two.a.open(B_ID), 1)
})

test('a device that listens on another port connects within six seconds after it was accepted', async () => {
  const { two, accept } = setUp('tcp://0.0.0.0:22009')
  await using _two = two
  await two.pass(90_000)
  assert.equal(two.a.made.length, 0, 'a device that has not added this one is not connected')
  accept()
  await two.pass(6_000)
  assert.equal(two.a.open(B_ID), 1)
})

test('a device that has not added this one is tried less often after some time, and reported once', async () => {
  const { two } = setUp()
  await using _two = two
  await two.pass(120_000)
  const early = two.b.unknownDevices.length
  assert.ok(early >= 20 && early <= 25, `${early} attempts in the first two minutes`)
  await two.pass(10 * 60_000)
  const before = two.b.unknownDevices.length
  await two.pass(10 * 60_000)
  const late = two.b.unknownDevices.length - before
  assert.ok(late >= 9 && late <= 10, `${late} attempts in ten minutes`)
  const [status] = two.a.connections.status().lastDials.values()
  assert.deepEqual([status?.reason, status?.error], ['not-added', 'the other device has not added this device yet'])
  assert.equal(two.a.log.lines.filter((line) => line.startsWith('INFO') && line.includes('has not added')).length, 1)
})

test('a refused device is logged once per reason', async () => {
  const { two, accept } = setUp()
  await using _two = two
  accept()
  const [own, peer] = two.b.config.devices
  two.b.change({ ...two.b.config, devices: [own!, { ...peer!, paused: true }] })
  await two.pass(10 * 60_000)
  const refusals = two.b.log.lines.filter((line) => line.startsWith('INFO') && line.includes('refused'))
  assert.equal(refusals.length, 1)
  assert.match(refusals[0]!, new RegExp(`${A_ID} at 10\\.0\\.0\\.1:\\d+ was refused: the device is paused`))
})

test('a device that closes every connection is dialled at once when the folders shared with it change', async () => {
  await using two = pair({ a: TO_B, aOptions: { reconnectionIntervalS: 600 } })
  two.a.start()
  two.b.start()
  const closing = async (ms: number) => {
    await two.pass(ms)
    for (const connection of two.b.openConnections()) await connection.close('settings contradict each other')
    await two.pass(100)
  }
  for (let second = 0; second < 60; second++) await closing(1_000)
  const before = two.a.made.length
  await closing(10_000)
  assert.equal(two.a.made.length, before, 'it is tried less often by then')

  const { config } = two.a
  const shared = (encryptionPassword: string) =>
    simFolder('docs', { devices: [{ deviceID: B_ID, introducedBy: '', encryptionPassword }] })
  const settings = [
    { ...config, folders: [shared('')] },
    { ...config, folders: [shared('secret')] },
    { ...config, folders: [] },
    { ...config, devices: config.devices.map((device) => ({ ...device, untrusted: device.deviceID === B_ID })) },
  ]
  for (const [index, next] of settings.entries()) {
    two.a.change(next)
    await closing(500)
    assert.equal(two.a.made.length, before + index + 1, `change ${index}`)
  }
  two.a.change({ ...two.a.config, options: { ...two.a.config.options, maxSendKbps: 5 } })
  await closing(500)
  assert.equal(two.a.made.length, before + settings.length, 'other settings change nothing')
})
