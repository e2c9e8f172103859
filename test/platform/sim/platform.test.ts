import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSimPlatform } from '../../../src/platform/sim/platform.ts'

test('equal seeds yield equal platforms, machines of one run differ', () => {
  const draw = (seed: number, hostName: string): string => createSimPlatform(seed, { hostName }).random.bytes(16).join()
  assert.equal(draw(1, 'a'), draw(1, 'a'))
  assert.notEqual(draw(1, 'a'), draw(1, 'b'))
  assert.notEqual(draw(1, 'a'), draw(2, 'a'))
})

test('machines that share a clock and a network reach each other by name', async () => {
  const first = createSimPlatform(1, { hostName: 'first' })
  const second = createSimPlatform(1, { hostName: 'second', clock: first.clock, network: first.network })
  const identity = { certificatePem: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', keyPem: '' }
  const arrived = Promise.withResolvers<string>()
  await first.net.listenTls({ host: '0.0.0.0', port: 22_000, identity }, (stream) =>
    arrived.resolve(stream.remoteAddress),
  )
  await second.net.dialTls({ host: 'first', port: 22_000, identity }, new AbortController().signal)
  assert.match(await arrived.promise, /^second:/)
})

test('the walker and the hasher see the items of the disk', async () => {
  const platform = createSimPlatform(1)
  platform.disk.put('/folder/a', 'hello')
  const names: string[] = []
  const request = { root: '/folder', subs: [''], ignoreLines: undefined }
  for await (const batch of platform.walker.walk(request, new AbortController().signal)) {
    names.push(...batch.items.map(({ name }) => name))
  }
  assert.deepEqual(names, ['a'])
})
