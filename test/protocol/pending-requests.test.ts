import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { PendingRequests } from '../../src/protocol/pending-requests.ts'

test('an abort fails the requests with that signal, and no others', async () => {
  const pending = new PendingRequests()
  const [one, other] = [new AbortController(), new AbortController()]
  const failed = [1, 2, 3].map(() => pending.open(undefined, one.signal).response)
  const settled = pending.open(undefined, one.signal)
  const kept = pending.open(undefined, other.signal)
  pending.settle(settled.id, { kind: 'data', data: Buffer.from('early') })
  one.abort(new Error('enough'))
  for (const response of failed) await assert.rejects(response, /enough/)
  assert.equal(Buffer.from(await settled.response).toString(), 'early')
  assert.equal(pending.count, 1)
  pending.settle(kept.id, { kind: 'data', data: Buffer.from('late') })
  assert.equal(Buffer.from(await kept.response).toString(), 'late')
})

test('a signal has one listener for any number of requests, and none when all are settled', async () => {
  const pending = new PendingRequests()
  const { signal } = new AbortController()
  const open = Array.from({ length: 50 }, () => pending.open(undefined, signal))
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  for (const { id } of open.slice(1)) pending.settle(id, { kind: 'data', data: new Uint8Array(0) })
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  pending.failAll(new Error('gone'))
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  await assert.rejects(open[0]!.response, /gone/)
  const again = pending.open(undefined, signal)
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  pending.settle(again.id, { kind: 'refused', code: 'generic' })
  await assert.rejects(again.response)
})
