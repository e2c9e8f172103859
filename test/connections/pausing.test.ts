import assert from 'node:assert/strict'
import { test } from 'node:test'
import { B_HOST, B, A_ID, B_ID, pair, TO_B, TO_A } from './sim-pair.ts'

test('pausing closes connections and stops dials until the device is resumed', async () => {
  await using two = pair({ a: TO_B, b: TO_A })
  two.a.start()
  two.b.start()
  await two.pass(10_000)
  const running = two.a.config
  const [own, peer] = running.devices
  two.a.change({ ...running, devices: [own!, { ...peer!, paused: true }] })
  await two.pass(1_000)
  assert.equal(two.a.open(B_ID), 0)
  await two.pass(120_000)
  assert.equal(two.a.open(B_ID), 0)
  two.a.change(running)
  await two.pass(1_000)
  assert.equal(two.a.open(B_ID), 1)
})

test('pausing a device during a stalled Hello blocks nothing else', async () => {
  await using two = pair({ a: TO_B })
  // A peer with the key of b accepts the stream and sends nothing.
  await two.network.host(B_HOST).listenTls({ host: '', port: 22_000, identity: B }, () => {})
  two.a.start()
  await two.pass(1_000)
  const [own, peer] = two.a.config.devices
  two.a.change({
    ...two.a.config,
    devices: [own!, { ...peer!, paused: true }],
    options: { ...two.a.config.options, listenAddresses: ['tcp://0.0.0.0:22009'] },
  })
  await two.pass(100)
  assert.deepEqual([...two.a.connections.status().listeners.keys()], ['tcp://0.0.0.0:22009'])
})

test('on stop, messages queued behind a rate limit are discarded; only the one in progress is sent', async () => {
  await using two = pair({ a: TO_B, aOptions: { maxSendKbps: 1, limitBandwidthInLan: true } })
  two.a.start()
  two.b.start()
  await two.pass(10_000)
  const [sending] = two.a.made
  const update = {
    kind: 'append',
    name: 'large',
    version: [],
    blockIndexes: Array.from({ length: 30_000 }, (_, i) => i),
    blockSizeBytes: 131_072,
  } as const
  let sentCount = 0
  const sent = Array.from({ length: 20 }, () =>
    sending!.downloadProgress('folder', [update]).then(
      () => void sentCount++,
      () => {},
    ),
  )
  await two.pass(5_000)
  const before = sentCount
  const stopping = two.a.stop()
  await two.pass(30_000)
  await stopping
  await Promise.all(sent)
  assert.ok(before < 15, 'the limit holds')
  assert.ok(sentCount - before <= 1, `${sentCount - before} more messages were sent`)
})

test('a removed device is disconnected and reported as unknown afterwards', async () => {
  await using two = pair({ a: TO_B, b: TO_A })
  two.a.start()
  two.b.start()
  await two.pass(10_000)
  two.a.change({ ...two.a.config, devices: two.a.config.devices.slice(0, 1) })
  await two.pass(60_000)
  assert.equal(two.a.open(B_ID), 0)
  assert.equal(two.a.unknownDevices[0]?.device, B_ID)
  assert.equal(two.b.open(A_ID), 0)
})
