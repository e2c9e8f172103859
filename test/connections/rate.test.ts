import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Config } from '../../src/core/config/config.ts'
import { BURST_BYTES } from '../../src/core/network/rate.ts'
import { RateLimits } from '../../src/connections/rate.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimNetwork } from '../../src/platform/sim/net.ts'
import type { TlsStream } from '../../src/platform/net.ts'
import { configOf, deviceConfig, idOf, simIdentity } from './machines.ts'

const KIB = 1024
const OWN = idOf(simIdentity('own'))
const PEER = idOf(simIdentity('peer'))
const OTHER = idOf(simIdentity('other'))

interface Limits {
  readonly all?: number
  readonly peer?: number
  readonly lan?: boolean
  readonly receive?: number
}

function limitsOf({ all = 0, peer = 0, lan = false, receive = 0 }: Limits): Config {
  return configOf(OWN, [deviceConfig(PEER, { maxSendKbps: peer, maxRecvKbps: receive }), deviceConfig(OTHER)], {
    maxSendKbps: all,
    limitBandwidthInLan: lan,
  })
}

/** A limited stream whose other end reads everything immediately, and the number of bytes read. */
async function pipe(clock: SimClock, limits: RateLimits, device = PEER, isLocal = false) {
  const network = new SimNetwork(clock)
  const arrived = Promise.withResolvers<TlsStream>()
  await network.host('far').listenTls({ host: '', port: 1, identity: simIdentity('far') }, arrived.resolve)
  const near = await network
    .host('near')
    .dialTls({ host: 'far', port: 1, identity: simIdentity('near') }, new AbortController().signal)
  const far = await arrived.promise
  const stream = limits.limit(near, device, isLocal)
  let bytes = 0
  void (async () => {
    for (let chunk = await far.read(); chunk !== undefined; chunk = await far.read()) bytes += chunk.length
  })()
  return { near, stream, far, arrivedBytes: () => bytes }
}

test('ten seconds send the burst and ten seconds of the rate, in one piece or many', async () => {
  for (const pieceBytes of [10 * KIB * KIB, 16 * KIB]) {
    const clock = new SimClock()
    const { stream, arrivedBytes } = await pipe(clock, new RateLimits(clock, limitsOf({ peer: 100 })))
    void (async () => {
      for (let sent = 0; sent < 10 * KIB * KIB; sent += pieceBytes) await stream.write(new Uint8Array(pieceBytes))
    })()
    await clock.advance(10_000, settle)
    const expected = BURST_BYTES + 10 * 100 * KIB
    assert.ok(Math.abs(arrivedBytes() - expected) <= 64 * KIB, `${arrivedBytes()} bytes, not about ${expected}`)
  }
})

test('the stream of a device that is configured while it is open gets its limit from then on', async () => {
  const clock = new SimClock()
  const limits = new RateLimits(clock, configOf(OWN, []))
  const { near, arrivedBytes } = await pipe(clock, limits)
  const stream = limits.limitUnknown(near, PEER, false)
  await stream.write(new Uint8Array(100 * KIB))
  limits.apply(limitsOf({ peer: 100 }))
  void stream.write(new Uint8Array(10 * KIB * KIB))
  await clock.advance(10_000, settle)
  const expected = 100 * KIB + BURST_BYTES + 10 * 100 * KIB
  assert.ok(Math.abs(arrivedBytes() - expected) <= 64 * KIB, `${arrivedBytes()} bytes, not about ${expected}`)
})

test('connections share the global limit fairly', async () => {
  const clock = new SimClock()
  const limits = new RateLimits(clock, limitsOf({ all: 200 }))
  const [one, two] = [await pipe(clock, limits, PEER), await pipe(clock, limits, OTHER)]
  for (const { stream } of [one, two]) void stream.write(new Uint8Array(10 * KIB * KIB))
  await clock.advance(20_000, settle)
  const total = one.arrivedBytes() + two.arrivedBytes()
  assert.ok(Math.abs(total - (BURST_BYTES + 20 * 200 * KIB)) <= 128 * KIB, `${total} bytes`)
  assert.ok(
    Math.abs(one.arrivedBytes() - two.arrivedBytes()) <= 128 * KIB,
    `${one.arrivedBytes()} and ${two.arrivedBytes()}`,
  )
})

test('readInto respects the receive limit, and is immediate without one', async () => {
  for (const [limits, expectedBytes] of [
    [{ receive: 100 }, BURST_BYTES + 10 * 100 * KIB],
    [{}, 10 * KIB * KIB],
  ] as const) {
    const clock = new SimClock()
    const stream = new RateLimits(clock, limitsOf(limits)).limit(endless(), PEER, false)
    assert.ok(stream.readInto !== undefined)
    let reportedBytes = 0
    void stream.readInto(new Uint8Array(10 * KIB * KIB), (count) => void (reportedBytes += count))
    await clock.advance(10_000, settle)
    assert.ok(Math.abs(reportedBytes - expectedBytes) <= 64 * KIB, `${reportedBytes} bytes, not about ${expectedBytes}`)
  }
})

/** A peer that sends as fast as it is read. */
function endless(): TlsStream {
  return {
    peerCertificate: new Uint8Array(0),
    certificateCount: 1,
    remoteAddress: '',
    crypto: '',
    isNamed: () => true,
    read: async () => new Uint8Array(KIB),
    readInto: async (target, onBytes) => {
      onBytes(target.length)
      return true
    },
    write: async () => {},
    [Symbol.asyncDispose]: async () => {},
  }
}

test('the stricter of two limits applies; local devices are exempt unless limitBandwidthInLan is set', async () => {
  const cases: [limits: Limits, isLocal: boolean, bytesPerS: number][] = [
    [{ all: 50, peer: 200 }, false, 50 * KIB],
    [{ all: 200, peer: 50 }, false, 50 * KIB],
    [{ all: 50, peer: 50 }, true, Infinity],
    [{ all: 50, lan: true }, true, 50 * KIB],
    [{}, false, Infinity],
  ]
  for (const [limits, isLocal, bytesPerS] of cases) {
    const clock = new SimClock()
    const { stream, arrivedBytes } = await pipe(clock, new RateLimits(clock, limitsOf(limits)), PEER, isLocal)
    void stream.write(new Uint8Array(4 * KIB * KIB))
    await clock.advance(10_000, settle)
    const expected = Math.min(4 * KIB * KIB, BURST_BYTES + 10 * bytesPerS)
    assert.ok(
      Math.abs(arrivedBytes() - expected) <= 64 * KIB,
      `${JSON.stringify(limits)}: ${arrivedBytes()} bytes, not ${expected}`,
    )
  }
})

test('a new rate takes effect immediately, also for pending writes', async () => {
  const clock = new SimClock()
  const limits = new RateLimits(clock, limitsOf({ peer: 1 }))
  const { stream, arrivedBytes } = await pipe(clock, limits)
  const writing = stream.write(new Uint8Array(8 * KIB * KIB))
  await clock.advance(10_000, settle)
  assert.ok(arrivedBytes() < BURST_BYTES + 64 * KIB)
  limits.apply(limitsOf({}))
  await clock.advance(10, settle)
  await writing
  assert.equal(arrivedBytes(), 8 * KIB * KIB)
  limits.apply(limitsOf({ peer: 10 }))
  void stream.write(new Uint8Array(8 * KIB * KIB))
  await clock.advance(10_000, settle)
  assert.ok(arrivedBytes() < 8 * KIB * KIB + BURST_BYTES + 200 * KIB)
})

test('removing a device releases its pending writes', async () => {
  const clock = new SimClock()
  const limits = new RateLimits(clock, limitsOf({ peer: 1 }))
  const { stream, arrivedBytes } = await pipe(clock, limits)
  const writing = stream.write(new Uint8Array(2 * KIB * KIB))
  await clock.advance(1_000, settle)
  assert.ok(arrivedBytes() < 2 * KIB * KIB)
  limits.apply(configOf(OWN, []))
  await clock.advance(1, settle)
  await writing
  assert.equal(arrivedBytes(), 2 * KIB * KIB)
})

test('lifting the limits releases all pending writes', async () => {
  const clock = new SimClock()
  const limits = new RateLimits(clock, limitsOf({ all: 1, peer: 1 }))
  const { stream } = await pipe(clock, limits)
  const writing = stream.write(new Uint8Array(2 * KIB * KIB))
  await clock.advance(1_000, settle)
  assert.equal(clock.sleepingCount, 1)
  limits.lift()
  await settle()
  await writing
  assert.equal(clock.sleepingCount, 0)
})

test('receiving is limited by backpressure', async () => {
  const clock = new SimClock()
  const { stream, far } = await pipe(clock, new RateLimits(clock, limitsOf({ receive: 100 })))
  let got = 0
  void (async () => {
    for (let chunk = await stream.read(); chunk !== undefined; chunk = await stream.read()) got += chunk.length
  })()
  void (async () => {
    for (let sent = 0; sent < 8 * KIB * KIB; sent += 16 * KIB) await far.write(new Uint8Array(16 * KIB))
  })()
  await clock.advance(10_000, settle)
  assert.ok(Math.abs(got - (BURST_BYTES + 10 * 100 * KIB)) <= 64 * KIB, `${got} bytes`)
})

async function settle(): Promise<void> {
  for (let round = 0; round < 2; round++) await new Promise((resolve) => setImmediate(resolve))
}
