/** B-24: who may send a message is checked before its content is decoded, for all types of messages. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MESSAGE_TYPES, type MessageType } from '../../src/protocol/messages.ts'
import type { BlockReply } from '../../src/protocol/types.ts'
import { settle } from './scripted-stream.ts'
import { frame, openConnection, type TestConnection } from './test-connection.ts'
import { CLUSTER_CONFIG, field, FOLDER } from './wire-parts.ts'

const EMPTY = frame(CLUSTER_CONFIG, new Uint8Array(0))
/** A list element of which a part is missing: decoding it ends the connection. */
const BROKEN = field(2, Buffer.from([0x0a, 0x7f]))

/**
 * What makes a message of a device that shares nothing cheap: its folder is checked first, or it has no lists that
 * take memory and time beyond its own bytes. A new type of message needs an entry.
 */
const BOUNDED_BY: Readonly<Record<MessageType, 'the folder' | 'its form'>> = {
  ClusterConfig: 'its form', // it says what is shared, within the limits of row B-23
  Index: 'the folder',
  IndexUpdate: 'the folder',
  Request: 'its form',
  Response: 'its form',
  DownloadProgress: 'the folder',
  Ping: 'its form',
  Close: 'its form',
}

/** A connection whose handler accepts nothing, as for a device that shares no folder. */
async function openUnshared(asked: string[]): Promise<TestConnection> {
  const refuse = async (folder: string) => asked.push(folder) < 0
  const request = async (): Promise<BlockReply> => ({ kind: 'refused', code: 'generic' })
  return await openConnection({ acceptsIndex: refuse, acceptsDownloadProgress: refuse, request })
}

for (const [type, name] of MESSAGE_TYPES.entries()) {
  if (BOUNDED_BY[name] !== 'the folder') continue
  for (const [order, body] of [
    ['first', Buffer.concat([FOLDER, BROKEN])],
    ['last', Buffer.concat([BROKEN, FOLDER])],
    ['twice', Buffer.concat([FOLDER, BROKEN, FOLDER])],
  ] as const) {
    test(`B-24: the content of ${name} without permission is not decoded; its folder is given ${order}`, async () => {
      const asked: string[] = []
      const { stream, connection, handler } = await openUnshared(asked)
      stream.feed(EMPTY, frame(type, body))
      await settle()
      assert.deepEqual(asked, ['v'])
      assert.deepEqual(
        handler.calls.map(([call]) => call),
        ['clusterConfig'],
      )
      assert.equal(connection.closed.aborted, false)
      await connection.close('done')
    })

    test(`B-24: the content of ${name} with permission is decoded; its folder is given ${order}`, async () => {
      const { stream, connection, running } = await openConnection()
      stream.feed(EMPTY, frame(type, body))
      await running
      assert.equal(connection.closed.aborted, true)
    })
  }
}

test('B-24: messages of all types from a device that shares nothing call nothing but the checks', async () => {
  const asked: string[] = []
  const { stream, connection, handler } = await openUnshared(asked)
  const types = [...MESSAGE_TYPES.entries()].filter(([, name]) => name !== 'Close')
  const bodies: Partial<Record<MessageType, Buffer>> = {
    ClusterConfig: Buffer.alloc(0),
    Request: Buffer.concat([field(2, Buffer.from('v')), field(3, Buffer.from('a'))]),
  }
  stream.feed(EMPTY, ...types.map(([type, name]) => frame(type, bodies[name] ?? FOLDER)))
  await settle()
  assert.deepEqual(
    handler.calls.map(([call]) => call),
    ['clusterConfig', 'clusterConfig'],
  )
  assert.deepEqual(asked, ['v', 'v', 'v'])
  await connection.close('done')
})
