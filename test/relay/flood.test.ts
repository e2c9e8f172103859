/** A relay that sends without end, over real TLS on loopback. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type TLSSocket } from 'node:tls'
import { test } from 'node:test'
import { deviceIdFromCertificate } from '../../src/core/device-id.ts'
import { encodeRelayMessage, type RelayMessage } from '../../src/core/network/relay-message.ts'
import { parseAddress } from '../../src/core/network/address.ts'
import { Dialer } from '../../src/dialer/dialer.ts'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { nodeHttpClient } from '../../src/platform/node/net/http-client.ts'
import { nodeNet } from '../../src/platform/node/net/net.ts'
import { nodeRandom } from '../../src/platform/node/random.ts'
import { AvoidedRelays } from '../../src/relay/avoided-relays.ts'
import { RelayListener } from '../../src/relay/relay-listener.ts'
import type { RelayListenerStatus } from '../../src/relay/types.ts'
import { reportRow } from '../support/effort.ts'
import { HostilePeer } from '../support/hostile-peer.ts'
import { quietLogger } from '../support/logger.ts'
import { eventually } from '../support/scratch.ts'

const DEVICE = deviceIdFromCertificate(Buffer.from('somebody'))
const FLOODS: readonly RelayMessage[] = [
  { kind: 'ping' },
  { kind: 'pong' },
  {
    kind: 'invitation',
    from: DEVICE,
    key: Buffer.from('key'),
    address: new Uint8Array(),
    port: 1,
    isServer: true,
  },
]

/** A relay that admits everybody and then repeats a message for as long as it is read. */
async function startRelay(message: RelayMessage) {
  const { identity } = await HostilePeer.make()
  const figures = { joined: 0, sentBytes: 0 }
  const sockets = new Set<TLSSocket>()
  const flood = Buffer.concat(Array.from({ length: 1_000 }, () => encodeRelayMessage(message)))
  const server = createServer(
    {
      cert: identity.certificatePem,
      key: identity.keyPem,
      requestCert: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['bep-relay'],
    },
    (socket) => {
      sockets.add(socket)
      socket.on('error', () => {}).once('close', () => sockets.delete(socket))
      socket.once('data', () => {
        socket.resume()
        figures.joined++
        socket.write(encodeRelayMessage({ kind: 'response', code: 0, message: 'success' }))
        const more = (): void => {
          while (!socket.destroyed) {
            figures.sentBytes += flood.length
            if (!socket.write(flood)) break
          }
        }
        socket.on('drain', more)
        more()
      })
    },
  )
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return {
    figures,
    sockets,
    address: parseAddress(`relay://127.0.0.1:${port}/`),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

for (const message of FLOODS) {
  test(`R-10 a relay that sends ${message.kind}s without end is left, with the reason, and remembered`, async () => {
    await using relay = await startRelay(message)
    const { address } = relay
    assert.ok(address.kind === 'relay')
    const warnings: string[] = []
    const statuses: RelayListenerStatus[] = []
    const { identity } = await HostilePeer.make()
    const log = { ...quietLogger('relay'), warn: (text: string) => void warnings.push(text) }
    const avoided = new AvoidedRelays(nodeClock)
    const dialer = new Dialer(
      { clock: nodeClock, net: nodeNet, log: quietLogger('dialer'), environment: () => undefined },
      { identity },
    )
    const deps = {
      clock: nodeClock,
      random: nodeRandom,
      http: nodeHttpClient,
      dialer,
      identity,
      log,
      avoided,
      allowTls12: () => false,
      onStream: () => {},
      onStatus: (status: RelayListenerStatus) => void statuses.push(status),
    }
    const listener = new RelayListener(deps, address)
    const stop = new AbortController()
    const running = listener.run(stop.signal)
    await eventually('the relay is left', () => (warnings.length > 0 && relay.sockets.size === 0) || undefined)
    listener.networkChanged([]) // which tries again at once
    await eventually('the next attempt', () => statuses.length >= 4 || undefined)
    stop.abort()
    await running
    reportRow({ id: 'R-10', tried: 1, sentBytes: relay.figures.sentBytes })
    assert.equal(relay.figures.joined, 1, 'it is not joined again')
    assert.ok(avoided.remainingMs(address) > 29 * 60_000)
    assert.match(warnings.join(), /^left the relay relay:\/\/127\.0\.0\.1:\d+\/?, which sends more than 100 messages/)
    assert.match(statuses.at(-1)!.error ?? '', /EBUSY: the relay was left/)
  })
}
