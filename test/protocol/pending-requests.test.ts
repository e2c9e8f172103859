import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { describe, it } from 'node:test'
import { ConnectionClosed, RequestRefused } from '../../src/protocol/errors.ts'
import { PendingRequests } from '../../src/protocol/pending-requests.ts'

const NEVER = new AbortController().signal
const NO_DATA = { kind: 'data', data: new Uint8Array(0) } as const

function data(text: string) {
  return { kind: 'data', data: Buffer.from(text) } as const
}

describe('the ids of requests', () => {
  const idsOf = (pending: PendingRequests, count: number) =>
    Array.from({ length: count }, () => pending.open(undefined, NEVER).id)

  it('are counted from 0', () => assert.deepEqual(idsOf(new PendingRequests(), 3), [0, 1, 2]))

  it('begin again after 31 bits', () => {
    assert.deepEqual(idsOf(new PendingRequests(0x7fff_fffe), 4), [0x7fff_fffe, 0x7fff_ffff, 0, 1])
  })

  it('are not given twice at a time', () => {
    const pending = new PendingRequests(0, 4)
    idsOf(pending, 5)
    for (const id of [1, 3]) pending.settle(id, NO_DATA)
    assert.deepEqual(idsOf(pending, 2), [1, 3])
  })
})

describe('a response', () => {
  it('settles its request once, and no other', async () => {
    const pending = new PendingRequests()
    const [one, two] = [pending.open(undefined, NEVER), pending.open(undefined, NEVER)]
    assert.deepEqual([pending.has(one.id), pending.has(9), pending.count], [true, false, 2])
    pending.settle(two.id, data('two'))
    pending.settle(two.id, data('again'))
    pending.settle(9, data('unknown'))
    assert.deepEqual([pending.has(two.id), pending.count], [false, 1])
    assert.equal(Buffer.from(await two.response).toString(), 'two')
    pending.settle(one.id, { kind: 'refused', code: 'no-such-file' })
    await assert.rejects(one.response, (error) => error instanceof RequestRefused && error.code === 'no-such-file')
    assert.equal(pending.count, 0)
  })

  it('is read into the buffer of its request, which is given once', async () => {
    const pending = new PendingRequests()
    const asked: number[] = []
    const into = (dataBytes: number) => {
      asked.push(dataBytes)
      return new Uint8Array(dataBytes)
    }
    const { id } = pending.open(into, NEVER)
    const other = pending.open(undefined, NEVER)
    assert.equal(pending.bufferFor(id, 5)?.length, 5)
    assert.equal(pending.bufferFor(id, 5), undefined)
    assert.equal(pending.bufferFor(other.id, 5), undefined)
    assert.equal(pending.bufferFor(9, 5), undefined)
    assert.deepEqual(asked, [5])
  })

  it('can fail for one request, or for all', async () => {
    const pending = new PendingRequests()
    const [one, two, three] = [1, 2, 3].map(() => pending.open(undefined, NEVER))
    pending.fail(two!.id, new Error('not sent'))
    pending.fail(9, new Error('unknown'))
    await assert.rejects(two!.response, /not sent/)
    assert.equal(pending.count, 2)
    pending.failAll(new ConnectionClosed('gone'))
    for (const { response } of [one!, three!]) await assert.rejects(response, { name: 'ConnectionClosed' })
    assert.equal(pending.count, 0)
  })
})

it('an abort fails the requests with that signal, and no others', async () => {
  const pending = new PendingRequests()
  const [one, other] = [new AbortController(), new AbortController()]
  const failed = [1, 2, 3].map(() => pending.open(undefined, one.signal).response)
  const settled = pending.open(undefined, one.signal)
  const kept = pending.open(undefined, other.signal)
  pending.settle(settled.id, data('early'))
  one.abort(new Error('enough'))
  for (const response of failed) await assert.rejects(response, /enough/)
  assert.equal(Buffer.from(await settled.response).toString(), 'early')
  assert.equal(pending.count, 1)
  pending.settle(kept.id, data('late'))
  assert.equal(Buffer.from(await kept.response).toString(), 'late')
})

it('a signal has one listener for any number of requests, and none when all are settled', async () => {
  const pending = new PendingRequests()
  const { signal } = new AbortController()
  const open = Array.from({ length: 50 }, () => pending.open(undefined, signal))
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  for (const { id } of open.slice(1)) pending.settle(id, NO_DATA)
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  pending.failAll(new Error('gone'))
  assert.equal(getEventListeners(signal, 'abort').length, 0)
  await assert.rejects(open[0]!.response, /gone/)
  const again = pending.open(undefined, signal)
  assert.equal(getEventListeners(signal, 'abort').length, 1)
  pending.settle(again.id, { kind: 'refused', code: 'generic' })
  await assert.rejects(again.response, { name: 'RequestRefused', message: /generic/ })
})
