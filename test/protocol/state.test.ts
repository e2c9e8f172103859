import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MESSAGE_TYPES, type MessageType } from '../../src/protocol/messages.ts'
import { stateFault } from '../../src/protocol/state.ts'
import { referenceType } from './reference-schema.ts'

const INDEX = referenceType('Index').encode({ folder: 'photos' }).finish()
const REQUEST = referenceType('Request').encode({ folder: 'photos', name: 'a"b' }).finish()

/** How a message is named that must not come before a ClusterConfig; undefined for one that may. */
const NAMED: Readonly<Record<MessageType, readonly [body: Uint8Array, named: string | undefined]>> = {
  ClusterConfig: [new Uint8Array(0), undefined],
  Index: [INDEX, 'index for photos'],
  IndexUpdate: [INDEX, 'index update for photos'],
  Request: [REQUEST, 'request for "a\\"b" in photos'],
  Response: [new Uint8Array(0), 'response'],
  DownloadProgress: [INDEX, 'download-progress'],
  Ping: [new Uint8Array(0), 'ping'],
  Close: [new Uint8Array(0), undefined],
}

for (const type of MESSAGE_TYPES) {
  const [body, named] = NAMED[type]
  test(`a ${type} before a ClusterConfig: ${named ?? 'allowed'}`, () => {
    const fault = named === undefined ? undefined : `protocol error on ${named}: invalid state 0`
    assert.equal(stateFault({ type, body }), fault)
  })
}

test('a message without a folder in front is named without one', () => {
  const body = new Uint8Array(0)
  assert.equal(stateFault({ type: 'Index', body }), 'protocol error on index for : invalid state 0')
  assert.equal(stateFault({ type: 'IndexUpdate', body }), 'protocol error on index update for : invalid state 0')
})

test('a compressed message is named by its type only', () => {
  const fault = stateFault({ type: 'IndexUpdate', body: Buffer.from('ff', 'hex'), unpackedBytes: 0 })
  assert.equal(fault, 'protocol error on indexupdate: invalid state 0')
})
