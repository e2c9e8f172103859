import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageType } from '../../src/protocol/messages.ts'
import { effort, reportRow } from '../support/effort.ts'
import type { HostilePeer } from '../support/hostile-peer.ts'
import { ResidentLaw } from '../support/resource-law.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { bytesField } from '../support/wire.ts'
import { packedFrame } from '../support/wire-frames.ts'
import { MIB, startScene } from './wire-scene.ts'

/** Unpacked, of each kind of message; `npm run soak -- 7` sends 10 GiB in all. */
const TRAFFIC_BYTES = 500 * MIB
/** Unknown fields are skipped at no cost, so that only the message itself takes memory. */
const UNKNOWN_FIELD = 100

const KINDS: readonly (readonly [type: MessageType, sizeBytes: number])[] = [
  ['ClusterConfig', 16 * MIB],
  ['IndexUpdate', 32 * MIB],
  ['ClusterConfig', MIB],
]

function contentOf(type: MessageType, peer: HostilePeer, deviceId: string): Uint8Array {
  return type === 'ClusterConfig' ? peer.clusterConfig(deviceId, ['docs']) : peer.index([])
}

test('B-25: messages that unpack to gigabytes leave no memory behind', async () => {
  using directory = scratchDirectory()
  await using scene = await startScene(directory.path)
  const { device, peer } = scene
  const frames = KINDS.map(([type, sizeBytes]) => {
    const content = contentOf(type, peer, device.id)
    const padding = bytesField(UNKNOWN_FIELD, Buffer.alloc(sizeBytes - content.length - 16, 'some text here '))
    return { type, sizeBytes, bytes: packedFrame(type, Buffer.concat([content, padding])) }
  })
  await using talk = await scene.join()
  await talk.index([])
  assert.equal(await talk.isAlive(), true)
  const law = new ResidentLaw(device)
  const sentBefore = peer.sentBytes
  let [count, unpackedBytes] = [0, 0]
  for (const { type, sizeBytes, bytes } of frames) {
    for (let left = effort(TRAFFIC_BYTES); left > 0; left -= sizeBytes) {
      await talk.raw(bytes)
      count++
      unpackedBytes += sizeBytes
    }
    assert.equal(await talk.isAlive(), true, type)
  }
  const keptMiB = await law.check()
  reportRow({
    id: 'B-25',
    tried: count,
    sentBytes: peer.sentBytes - sentBefore,
    unpackedBytes,
    beforeMiB: law.beforeMib,
    keptMiB,
    peakRssMiB: device.peakRssMib(),
  })
})
