import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDeviceId } from '../../../src/core/device-id.ts'
import { PeerLinks } from '../../../src/model/peers/peer-links.ts'
import { RequestRefused } from '../../../src/protocol/errors.ts'
import type { BlockRequest, Connection } from '../../../src/protocol/types.ts'
import { quietLogger } from '../../support/logger.ts'

const NEVER = new AbortController().signal
const DEVICE = parseDeviceId('2OCDSFX-4C76I4L-UEAY33Z-YFOF5MK-3TVO2E6-OMM7PV3-P653IQK-IEB4PA5')
const CONFIG = { folders: [], secondary: false }
const REFUSED = new RequestRefused('no-such-file')
const REQUEST = { folder: 'docs', offsetBytes: 0, sizeBytes: 4 } as unknown as BlockRequest

/** A connection whose requests are answered by the test. */
function connection() {
  const closed = new AbortController()
  const requests: PromiseWithResolvers<Uint8Array>[] = []
  const made = {
    closed: closed.signal,
    clusterConfig: async () => {},
    close: async (reason: string) => closed.abort(new Error(reason)),
    request: () => {
      const request = Promise.withResolvers<Uint8Array>()
      requests.push(request)
      return request.promise
    },
  } as unknown as Connection
  const end = (): void => {
    closed.abort(new Error('replacing connection'))
    for (const request of requests) request.reject(closed.signal.reason)
  }
  return { made, requests, end }
}

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a request on a connection that another one replaces is repeated there, once it is ready', async () => {
  const links = new PeerLinks(DEVICE, quietLogger('model'))
  const [relayed, direct] = [connection(), connection()]
  const first = links.add(relayed.made)
  links.sendFullConfig(first, CONFIG)
  const reply = links.request(REQUEST, NEVER, false)
  await turn()
  assert.equal(relayed.requests.length, 1)
  const second = links.add(direct.made)
  relayed.end()
  links.remove(first)
  await turn()
  assert.equal(direct.requests.length, 0, 'nothing before the cluster config')
  links.sendFullConfig(second, CONFIG)
  await turn()
  assert.equal(direct.requests.length, 1)
  direct.requests[0]!.resolve(Uint8Array.of(7))
  assert.deepEqual(await reply, Uint8Array.of(7))
  assert.equal(links.openRequests, 0)
})

test('a request fails with its connection when there is no other, and when the device refuses it', async () => {
  const links = new PeerLinks(DEVICE, quietLogger('model'))
  const [one, other] = [connection(), connection()]
  const first = links.add(one.made)
  links.sendFullConfig(first, CONFIG)
  links.sendSecondaryConfig(links.add(other.made))
  const refused = links.request(REQUEST, NEVER, false)
  await turn()
  other.requests[0]!.reject(REFUSED)
  await turn()
  one.requests[0]!.reject(REFUSED)
  await assert.rejects(refused, /no-such-file/)
  const lost = links.request(REQUEST, NEVER, false)
  await turn()
  one.end()
  other.end()
  await assert.rejects(lost, /replacing connection/)
  await assert.rejects(links.request(REQUEST, NEVER, false), /is not connected/)
})

test('a request that waits for a new connection ends when it is aborted, and when that connection ends', async () => {
  const links = new PeerLinks(DEVICE, quietLogger('model'))
  const one = connection()
  const link = links.add(one.made)
  const stop = new AbortController()
  const aborted = links.request(REQUEST, stop.signal, false)
  stop.abort(new Error('stopping'))
  await assert.rejects(aborted, /stopping/)
  const waiting = links.request(REQUEST, NEVER, false)
  one.end()
  links.remove(link)
  await assert.rejects(waiting, /is not connected/)
})

test('the last cluster config received counts until its connection ends, then the one of another connection', () => {
  const links = new PeerLinks(DEVICE, quietLogger('model'))
  const [older, newer] = [links.add(connection().made), links.add(connection().made)]
  assert.equal(links.lastReceived, undefined)
  const sentLast = { ...CONFIG }
  links.received(newer, sentLast)
  const receivedLast = { ...CONFIG }
  links.received(older, receivedLast)
  assert.equal(links.lastReceived, receivedLast)
  links.remove(older)
  assert.equal(links.lastReceived, sentLast)
  links.remove(newer)
  assert.equal(links.lastReceived, undefined)
})

/** The index connection and two others, all ready. */
function threeLinks() {
  const links = new PeerLinks(DEVICE, quietLogger('model'))
  const [index, second, third] = [connection(), connection(), connection()]
  const first = links.add(index.made)
  links.sendFullConfig(first, CONFIG)
  for (const { made } of [second, third]) links.sendSecondaryConfig(links.add(made))
  links.received(first, CONFIG)
  const counts = () => [index, second, third].map(({ requests }) => requests.length)
  return { links, first, index, second, third, counts }
}

test('B-30: what one connection refuses is requested on the index connection, then on the others', async () => {
  for (const code of ['no-such-file', 'generic', 'invalid-file'] as const) {
    const { links, index, second, third, counts } = threeLinks()
    const served = links.request(REQUEST, NEVER, false)
    await turn()
    assert.deepEqual(counts(), [0, 1, 0])
    second.requests[0]!.reject(new RequestRefused(code))
    await turn()
    assert.deepEqual(counts(), [1, 1, 0])
    index.requests[0]!.reject(new RequestRefused(code))
    await turn()
    assert.deepEqual(counts(), [1, 1, 1])
    third.requests[0]!.resolve(Uint8Array.of(7))
    assert.deepEqual(await served, Uint8Array.of(7))
    assert.equal(links.openRequests, 0)
  }
})

test('B-30: a request that every connection refuses fails after one try on each, of many on three', async () => {
  const { links, ...parts } = threeLinks()
  const others = [connection(), connection()]
  for (const { made } of others) links.sendSecondaryConfig(links.add(made))
  const all = [parts.index, parts.second, parts.third, ...others]
  const refused = links.request(REQUEST, NEVER, false)
  let tried = 0
  const fails = assert.rejects(refused, /no-such-file/)
  for (; tried < 3; tried++) {
    await turn()
    assert.equal(all.flatMap(({ requests }) => requests).length, tried + 1)
    for (const { requests } of all) for (const request of requests) request.reject(REFUSED)
  }
  await fails
  assert.equal(all.flatMap(({ requests }) => requests).length, 3)
})

test('B-30: encrypted data is requested on the index connection, and on others that served some', async () => {
  const { links, first, index, second, third, counts } = threeLinks()
  const ask = () => links.request(REQUEST, NEVER, true)
  const replies = [ask()]
  await turn()
  assert.deepEqual(counts(), [1, 0, 0], 'the index connection is idle')
  for (let i = 0; i < 5; i++) replies.push(ask())
  await turn()
  assert.deepEqual(counts(), [4, 1, 1], 'one request on each of the others while it is busy')
  second.requests[0]!.reject(REFUSED)
  third.requests[0]!.reject(REFUSED)
  await turn()
  assert.deepEqual(counts(), [6, 1, 1], 'repeated on the index connection')
  for (const request of index.requests) request.resolve(Uint8Array.of(7))
  await Promise.all(replies)
  const more = [ask(), ask(), ask()]
  await turn()
  assert.deepEqual(counts(), [9, 1, 1], 'the others are not used again')
  for (const request of index.requests) request.resolve(Uint8Array.of(7))
  await Promise.all(more)
  links.received(first, CONFIG)
  const again = [ask(), ask()]
  await turn()
  assert.deepEqual(counts(), [10, 2, 1], 'until the device announces its folders again')
  for (const { requests } of [index, second]) for (const request of requests) request.resolve(Uint8Array.of(7))
  await Promise.all(again)
  const spread = [ask(), ask()]
  await turn()
  assert.deepEqual(counts(), [10, 3, 2], 'a connection that served it is used before the index connection')
  for (const { requests } of [second, third]) for (const request of requests) request.resolve(Uint8Array.of(7))
  await Promise.all(spread)
})

test('B-30: connections without a key are closed a limited number of times between two cluster configs', () => {
  const { links, first } = threeLinks()
  const plain = { ...REQUEST, hash: new Uint8Array(32) }
  const closedOf = (count: number): number => {
    const made = Array.from({ length: count }, () => links.add(connection().made))
    for (const link of made) for (let i = 0; i < 2; i++) links.closeIfKeyless(link, plain)
    return made.filter(({ connection: { closed } }) => closed.aborted).length
  }
  assert.deepEqual([closedOf(15), closedOf(15)], [15, 5])
  links.received(first, CONFIG)
  assert.equal(closedOf(1), 1)
})
