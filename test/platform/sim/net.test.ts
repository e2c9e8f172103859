import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Identity, TlsStream } from '../../../src/platform/net.ts'
import { SimClock } from '../../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../../src/platform/sim/net.ts'

const NEVER = new AbortController().signal

test('bytes have the configured delay', async () => {
  const clock = new SimClock()
  const { client, server } = await connect(clock, new SimNetwork(clock, { delayMs: 40 }))
  const startMs = clock.monotonicMs()
  await client.write(Buffer.from('a'))
  await client.write(Buffer.from('b'))
  const arrivedMs = server
    .read()
    .then(() => server.read())
    .then(() => clock.monotonicMs())
  await clock.advance(100, settle)
  assert.equal((await arrivedMs) - startMs, 40) // both were under way at once
})

test('chunks may have different delays; those of one stream keep their order', async () => {
  const clock = new SimClock()
  const delaysMs = [1, 1, 1, 1, 50, 5]
  const { client, server } = await connect(clock, new SimNetwork(clock, { delayMs: () => delaysMs.pop() ?? 1 }))
  await client.write(Buffer.from('a'))
  await client.write(Buffer.from('b'))
  const read = (async () =>
    [await server.read(), await server.read()].map((data) => Buffer.from(data ?? []).toString()))()
  await clock.advance(200, settle)
  assert.deepEqual(await read, ['a', 'b'])
})

test('an unplugged machine is unreachable, and can listen again', async () => {
  const clock = new SimClock()
  const network = new SimNetwork(clock)
  const { client } = await connect(clock, network)
  network.unplug('b')
  await assert.rejects(client.read(), { code: 'ECONNRESET' })
  const dial = () => network.host('a').dialTls({ host: 'b', port: 22_000, identity: identity('a') }, NEVER)
  await assert.rejects(dial(), { code: 'ECONNREFUSED' })
  await network.host('b').listenTls({ host: '0.0.0.0', port: 22_000, identity: identity('b') }, () => {})
  await assert.doesNotReject(dial())
})

test('a partition holds bytes back without an error, and delivers them when healed', async () => {
  const clock = new SimClock()
  const network = new SimNetwork(clock)
  const { client, server } = await connect(clock, network)
  network.partition('b', 'a')
  await client.write(Buffer.from('hello'))
  let arrived = false
  const reading = server.read().then((data) => {
    arrived = true
    return data
  })
  await settle()
  assert.equal(arrived, false)
  network.heal('a', 'b')
  assert.equal(Buffer.from((await reading) ?? []).toString(), 'hello')
})

test('a dial across a partition is pending until it is aborted', async () => {
  const clock = new SimClock()
  const network = new SimNetwork(clock)
  await network.host('b').listenTls({ host: '0.0.0.0', port: 22_000, identity: identity('b') }, () => assert.fail())
  network.partition('a', 'b')
  const stop = new AbortController()
  const reason = new Error('enough')
  const dialing = network.host('a').dialTls({ host: 'b', port: 22_000, identity: identity('a') }, stop.signal)
  await settle()
  stop.abort(reason)
  await assert.rejects(dialing, (error) => error === reason)
})

test('a cut fails both ends, for readers and writers, and loses data in transit', async () => {
  const clock = new SimClock()
  const network = new SimNetwork(clock, { delayMs: 10 })
  const { client, server } = await connect(clock, network)
  await client.write(Buffer.from('lost'))
  const reading = server.read()
  network.cut('a', 'b')
  await assert.rejects(reading, { code: 'ECONNRESET' })
  await assert.rejects(async () => await client.write(Buffer.from('x')), { code: 'ECONNRESET' })
  assert.equal(clock.sleepingCount, 0)
})

test('a cut between two machines does not affect others', async () => {
  const clock = new SimClock()
  const network = new SimNetwork(clock)
  const { client, server } = await connect(clock, network)
  network.cut('a', 'c')
  await client.write(Buffer.from('x'))
  assert.ok((await server.read()) !== undefined)
})

async function connect(clock: SimClock, network: SimNetwork): Promise<{ client: TlsStream; server: TlsStream }> {
  const arrived = Promise.withResolvers<TlsStream>()
  const here = { host: '0.0.0.0', port: 22_000, identity: identity('b') }
  await network.host('b').listenTls(here, (stream) => arrived.resolve(stream))
  const dialing = network.host('a').dialTls({ host: 'b', port: 22_000, identity: identity('a') }, NEVER)
  await clock.advance(100, settle)
  const [client, server] = await Promise.all([dialing, arrived.promise])
  return { client, server }
}

function identity(name: string): Identity {
  const body = Buffer.from(name).toString('base64')
  return { certificatePem: `-----BEGIN CERTIFICATE-----\n${body}\n-----END CERTIFICATE-----\n`, keyPem: '' }
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
