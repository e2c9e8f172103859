import assert from 'node:assert/strict'
import { test } from 'node:test'
import { effort, reportRow } from '../support/effort.ts'
import { type HostileTalk } from '../support/hostile-peer.ts'
import { DIRECTORY, frame, request, response, sha256 } from '../support/wire-frames.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { MIB, RSS_MIB_MAX, startScene } from './wire-scene.ts'

test('B-04: false lengths cost no memory, and the next connection works', async () => {
  using directory = scratchDirectory()
  await using scene = await startScene(directory.path)
  const nothing = new Uint8Array(0)
  const cases: readonly (readonly [what: string, bytes: Uint8Array, reaction: 'closed' | 'kept'])[] = [
    ['a header of 65,535 bytes', frame('Ping', nothing, { header: 65_535 }), 'closed'],
    ['a header of -1 bytes', frame('Ping', nothing, { header: 0xffff }), 'closed'],
    ['a header of 32,768 bytes', frame('Ping', nothing, { header: 0x8000 }), 'closed'],
    ['a header of no bytes: an empty ClusterConfig', Buffer.alloc(6), 'kept'],
    ['a message of no bytes', frame('Index', nothing, { length: 0 }), 'closed'],
    ['a ping of no bytes', frame('Ping', nothing), 'kept'],
    ['a message of -1 bytes', frame('Index', nothing, { length: 0xffff_ffff }), 'closed'],
    ['a message of 2^31 bytes', frame('Index', nothing, { length: 0x8000_0000 }), 'closed'],
    ['a message of 2^31 - 1 bytes', frame('Index', nothing, { length: 0x7fff_ffff }), 'closed'],
    ['a message of 500,000,001 bytes', frame('Index', nothing, { length: 500_000_001 }), 'closed'],
    ['a message of 500,000,001 bytes of an unknown type', frame(99, nothing, { length: 500_000_001 }), 'closed'],
    ['a request of 500,000,000 bytes', frame('Request', nothing, { length: 500_000_000 }), 'closed'],
    ['a close of 500,000,000 bytes', frame('Close', nothing, { length: 500_000_000 }), 'closed'],
    ['an index of more than 32 MiB', frame('Index', Buffer.alloc(MIB), { length: 32 * MIB + 1 }), 'closed'],
    ['an update of more than 32 MiB', frame('IndexUpdate', nothing, { length: 32 * MIB + 1 }), 'closed'],
    ['an index of 32 MiB, most of which never come', frame('Index', Buffer.alloc(MIB), { length: 32 * MIB }), 'kept'],
    ['an update of 32 MiB, all of which never come', frame('IndexUpdate', nothing, { length: 32 * MIB }), 'kept'],
    ['an unknown type of 500,000,000 bytes, which never come', frame(99, nothing, { length: 500_000_000 }), 'kept'],
  ]
  let handled = 0
  for (const [what, bytes, reaction] of cases) {
    await using talk = await scene.join()
    await talk.raw(bytes)
    // A message that has not ended keeps the device from answering: what it did not close it waits for.
    const isWaiting = reaction === 'kept' && what.includes('never come')
    if (isWaiting) {
      await scene.device.daemon.get('/rest/system/status')
      assert.equal(talk.ended, false, what)
    } else assert.equal((await talk.isAlive()) ? 'kept' : 'closed', reaction, what)
    handled += Number(scene.device.isRunning)
  }
  await using talk = await scene.join()
  assert.equal(await talk.isAlive(), true)
  const peakRssMiB = scene.device.peakRssMib()
  reportRow({ id: 'B-04', tried: cases.length, handled, peakRssMiB })
  assert.equal(handled, cases.length)
  assert.ok(peakRssMiB < RSS_MIB_MAX, `${peakRssMiB} MiB`)
})

type OrderCase = readonly [what: string, send: (talk: HostileTalk) => Promise<unknown>, expected: 'kept' | RegExp]

function ordersAfterConfig(config: Uint8Array, index: Uint8Array): readonly OrderCase[] {
  return [
    [
      'a Response without a request',
      async (talk) => {
        await talk.send('ClusterConfig', config)
        for (const id of [0, 1, -1, 0x7fff_ffff]) await talk.raw(response(id, Buffer.alloc(10)))
      },
      'kept',
    ],
    [
      'unknown types',
      async (talk) => {
        await talk.send('ClusterConfig', config)
        for (const type of [8, 9, 100, 0x7fff_ffff]) await talk.send(type, Buffer.alloc(1_000, type))
      },
      'kept',
    ],
    [
      'a flood of pings',
      async (talk) => {
        await talk.send('ClusterConfig', config)
        await talk.raw(Buffer.concat(Array<Uint8Array>(effort(20_000)).fill(frame('Ping', new Uint8Array(0)))))
      },
      'kept',
    ],
    [
      'a goodbye, and more after it',
      async (talk) => {
        await talk.send('ClusterConfig', config)
        await talk.send('Close', Buffer.from('\x0a\x03bye'))
        await talk.send('Index', index)
      },
      /^closed by remote: bye$/,
    ],
  ]
}

/** Messages before the ClusterConfig, repeated ones, unknown ones, and messages after the end. */
function messageOrders(config: Uint8Array, index: Uint8Array): readonly OrderCase[] {
  const requestBody = request({ id: 1, name: 'f', size: 1, hash: sha256('x') })
  return [
    ['an index first', (talk) => talk.send('Index', index), /^protocol error on index for docs: invalid state 0$/],
    [
      'an update first',
      (talk) => talk.send('IndexUpdate', index),
      /^protocol error on index update for docs: invalid state 0$/,
    ],
    ['a ping first', (talk) => talk.send('Ping'), /^protocol error on ping: invalid state 0$/],
    [
      'a request first',
      (talk) => talk.send('Request', requestBody),
      /^protocol error on request for "f" in docs: invalid state 0$/,
    ],
    ['a response first', (talk) => talk.raw(response(1, new Uint8Array(0))), /invalid state 0$/],
    [
      'an unknown type first',
      async (talk) => {
        await talk.send(42, Buffer.alloc(100))
        await talk.send('ClusterConfig', config)
      },
      'kept',
    ],
    [
      'a second ClusterConfig',
      async (talk) => {
        for (let i = 0; i < 3; i++) await talk.send('ClusterConfig', config)
      },
      'kept',
    ],
    ['an empty ClusterConfig', (talk) => talk.send('ClusterConfig'), 'kept'],
    [
      'an index of a folder that is not shared',
      async (talk) => {
        await talk.send('ClusterConfig', config)
        await talk.index([{ name: 'd', type: DIRECTORY }], 'others')
      },
      /^handling index for others: others: no such folder$/,
    ],
    ...ordersAfterConfig(config, index),
  ]
}

test('B-07: messages out of order are handled as by other implementations', async () => {
  using directory = scratchDirectory()
  await using scene = await startScene(directory.path)
  const { device, peer } = scene
  const config = peer.clusterConfig(device.id, ['docs'])
  const index = peer.index([{ name: 'd', type: DIRECTORY }])
  const cases = messageOrders(config, index)
  let handled = 0
  for (const [what, send, expected] of cases) {
    await using talk = await peer.dial(device.port)
    await send(talk)
    if (expected === 'kept') assert.equal(await talk.isAlive(), true, what)
    else {
      await talk.whenEnded()
      assert.match(talk.closeReason ?? '', expected, what)
    }
    handled += Number(device.isRunning)
  }
  await using talk = await scene.join()
  const codes: number[] = []
  talk.onAnswer = ({ code }) => void codes.push(code)
  await talk.send('Request', request({ id: 1, folder: 'others', name: 'f', size: 1, hash: sha256('x') }))
  await talk.until('an answer', () => codes.length > 0)
  assert.deepEqual(codes, [1], 'a request in a folder that is not shared')
  reportRow({
    id: 'B-07',
    tried: cases.length + codes.length,
    handled: handled + codes.length,
    peakRssMiB: device.peakRssMib(),
  })
})
