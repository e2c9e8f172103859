import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MessageCounter } from '../../src/protocol/message-counter.ts'

test('messages and their bytes are counted in both directions', () => {
  const counter = new MessageCounter()
  assert.deepEqual({ ...counter }, { sent: 0, sentBytes: 0, received: 0, receivedBytes: 0 })
  counter.onSent([new Uint8Array(3)])
  counter.onSent([new Uint8Array(4), new Uint8Array(50), 9])
  assert.deepEqual({ ...counter }, { sent: 2, sentBytes: 57, received: 0, receivedBytes: 0 })
  counter.onReceived({ type: 'Ping', body: new Uint8Array(5) })
  counter.onReceived({ type: 'Index', body: new Uint8Array(6), unpackedBytes: 70 })
  counter.onReceived({ type: 'Response', body: new Uint8Array(0), placed: { id: 1, data: new Uint8Array(800) } })
  assert.deepEqual({ ...counter }, { sent: 2, sentBytes: 57, received: 3, receivedBytes: 875 })
})
