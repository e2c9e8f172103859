import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDeviceId } from '../../../src/core/device-id.ts'
import { PeerLinks } from '../../../src/model/peers/peer-links.ts'
import type { BlockRequest, Connection } from '../../../src/protocol/types.ts'
import { quietLogger } from '../../support/logger.ts'

const NEVER = new AbortController().signal
const DEVICE = parseDeviceId('2OCDSFX-4C76I4L-UEAY33Z-YFOF5MK-3TVO2E6-OMM7PV3-P653IQK-IEB4PA5')
const CONFIG = { folders: [], secondary: false }
const REQUEST = { offsetBytes: 0, sizeBytes: 4 } as unknown as BlockRequest

/** A connection whose requests are answered by the test. */
function connection() {
  const closed = new AbortController()
  const requests: PromiseWithResolvers<Uint8Array>[] = []
  const made = {
    closed: closed.signal,
    clusterConfig: async () => {},
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
  const reply = links.request(REQUEST, NEVER)
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
  const refused = links.request(REQUEST, NEVER)
  await turn()
  other.requests[0]!.reject(new Error('no such file'))
  await assert.rejects(refused, /no such file/)
  const lost = links.request(REQUEST, NEVER)
  await turn()
  one.end()
  other.end()
  await assert.rejects(lost, /replacing connection/)
  await assert.rejects(links.request(REQUEST, NEVER), /is not connected/)
})

test('a request that waits for a new connection ends when it is aborted, and when that connection ends', async () => {
  const links = new PeerLinks(DEVICE, quietLogger('model'))
  const one = connection()
  const link = links.add(one.made)
  const stop = new AbortController()
  const aborted = links.request(REQUEST, stop.signal)
  stop.abort(new Error('stopping'))
  await assert.rejects(aborted, /stopping/)
  const waiting = links.request(REQUEST, NEVER)
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
