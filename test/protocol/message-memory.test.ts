import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deviceIdFromBytes } from '../../src/core/device-id.ts'
import { compress } from '../../src/protocol/compress.ts'
import { MessageMemory } from '../../src/protocol/message-memory.ts'
import { eventually } from '../support/scratch.ts'
import { settle } from './scripted-stream.ts'
import { frame, openConnection } from './test-connection.ts'
import { CLUSTER_CONFIG, field, FOLDER, LZ4, MIB, NEVER, UPDATE } from './wire-parts.ts'

const EMPTY = frame(CLUSTER_CONFIG, new Uint8Array(0))
const RESPONSE = 4

const [A, B, C, D, E] = [1, 2, 3, 4, 5].map((byte) => deviceIdFromBytes(new Uint8Array(32).fill(byte)))

test('B-25: a compressed response without a request is not decompressed', async () => {
  const { stream, connection } = await openConnection()
  stream.feed(EMPTY, frame(RESPONSE, Buffer.from('00000040ffffffff', 'hex'), LZ4))
  await settle()
  assert.equal(connection.closed.aborted, false)
  await connection.close('done')
})

for (const kind of ['received', 'unpacked'] as const) {
  test(`B-25: ${kind} messages wait for the memory of their device, and for that of all`, async () => {
    const memory = new MessageMemory()[kind]
    let granted: string[] = []
    const want = (name: string, device: typeof A, bytes: number) => {
      const held = memory.acquire(device!, bytes, NEVER)!
      void held.then(() => granted.push(name))
      return held
    }
    const first = await want('first', A, 40 * MIB)
    const second = want('second', A, 40 * MIB)
    await settle()
    assert.deepEqual(granted, ['first'], 'a device has 64 MiB')
    await Promise.all([B, C, D].map((device) => want('other', device, 64 * MIB)))
    granted = []
    const last = want('last', E, 64 * MIB)
    await settle()
    assert.deepEqual(granted, [], 'all together have 256 MiB')
    assert.equal(await memory.acquire(E!, 65_535, NEVER), undefined, 'small messages do not wait')
    first?.[Symbol.dispose]()
    await Promise.all([second, last].map((held) => Promise.race([held, settle()])))
    assert.deepEqual(granted, ['last'])
  })
}

test('B-25: the limits of memory are exact: 64 KiB to be counted, 64 MiB of a device, 256 MiB in all', async () => {
  const memory = new MessageMemory().received
  const isGranted = async (device: typeof A, bytes: number) => {
    const acquired = memory.acquire(device!, bytes, NEVER)
    const granted = acquired === undefined ? 'not counted' : acquired.then(() => 'held')
    return await Promise.race([granted, settle().then(() => 'waits')])
  }
  const KIB_64 = 64 * 1024
  assert.equal(await isGranted(A, KIB_64 - 1), 'not counted')
  assert.equal(await isGranted(A, 64 * MIB - KIB_64), 'held')
  assert.equal(await isGranted(A, KIB_64), 'held')
  assert.equal(await isGranted(A, KIB_64), 'waits')
  assert.equal(await isGranted(B, 64 * MIB), 'held')
  assert.equal(await isGranted(C, 64 * MIB), 'held')
  assert.equal(await isGranted(D, 64 * MIB - KIB_64), 'held')
  assert.equal(await isGranted(E, KIB_64), 'held')
  assert.equal(await isGranted(E, KIB_64), 'waits')
})

test('B-25: unpacked messages of one device wait for each other over all its connections', async () => {
  const memory = new MessageMemory()
  const body = Buffer.concat([FOLDER, field(7, Buffer.alloc(30 * MIB))])
  const packed = frame(UPDATE, compress(body)!, LZ4)
  const gates = [0, 1, 2].map(() => Promise.withResolvers<void>())
  const handled: number[] = []
  const connections = await Promise.all(
    gates.map((gate, i) => {
      const indexUpdate = async () => {
        handled.push(i)
        await gate.promise
      }
      return openConnection({ indexUpdate }, {}, 'configured', { memory })
    }),
  )
  for (const { stream } of connections) stream.feed(EMPTY, packed)
  await eventually('two are handled', async () => handled.length === 2 || undefined)
  await settle(20)
  assert.equal(handled.length, 2)
  gates[handled[0]!]!.resolve()
  await eventually('the third is handled', async () => handled.length === 3 || undefined)
  for (const gate of gates) gate.resolve()
  await Promise.all(connections.map(({ connection }) => connection.close('done')))
  const held = await memory.unpacked.acquire(connections[0]!.connection.device, 64 * MIB, NEVER)
  assert.ok(held !== undefined, 'everything is released')
})

test('B-25: handled and unhandled messages release their memory', async () => {
  const memory = new MessageMemory()
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  let handled = 0
  const indexUpdate = async () => {
    handled++
    await gate
  }
  const { stream, connection, running } = await openConnection({ indexUpdate }, {}, 'configured', { memory })
  const ping = frame(6, Buffer.alloc(MIB))
  const large = frame(UPDATE, Buffer.concat([FOLDER, field(7, Buffer.alloc(3 * MIB))]))
  stream.feed(EMPTY, ...Array.from({ length: 70 }, () => ping), large, large, large)
  await eventually('the messages after the pings are read', async () => handled === 1 || undefined)
  await settle()
  void connection.close('done')
  open()
  await running
  assert.equal(handled, 1)
  const held = memory.received.acquire(connection.device, 64 * MIB, NEVER)
  assert.notEqual(await Promise.race([held, settle().then(() => 'pending')]), 'pending')
})
