/**
 * Every call that leaves the process. `test/outgoing-calls.test.ts` runs each against servers that never answer
 * properly, and fails when a source makes such a call and no row here covers it.
 */
import type { LdapConfig } from '../../src/core/config/config.ts'
import { LDAP } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import { parseDiscoveryServer } from '../../src/core/network/discovery-server.ts'
import { parseAddress, type RelayAddress } from '../../src/core/network/address.ts'
import { encodeAddressRequest } from '../../src/core/network/nat-pmp.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import { nodeTransport } from '../../src/client/node.ts'
import { Dialer } from '../../src/dialer/dialer.ts'
import { GlobalDiscovery } from '../../src/discover/global.ts'
import { deliver } from '../../src/hooks/sender.ts'
import { loginAtDirectory } from '../../src/http/pipeline/ldap-login.ts'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import type { Clock } from '../../src/platform/clock.ts'
import type { HttpClient } from '../../src/platform/http-client.ts'
import type { Proxy } from '../../src/platform/net.ts'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { dialDirectory } from '../../src/platform/node/net/directory.ts'
import { nodeHttpClient } from '../../src/platform/node/net/http-client.ts'
import { nodePrograms } from '../../src/platform/node/programs.ts'
import { nodeNet } from '../../src/platform/node/net/net.ts'
import { nodeUdp } from '../../src/platform/node/net/udp.ts'
import { exchangeHellos } from '../../src/protocol/hello.ts'
import { AvoidedRelays } from '../../src/relay/avoided-relays.ts'
import { findRelays } from '../../src/relay/pool.ts'
import { RelayClient } from '../../src/relay/relay-client.ts'
import { RelayDialer } from '../../src/relay/relay-dialer.ts'
import { joinSession } from '../../src/relay/session.ts'
import { findRelease } from '../../src/upgrade/registry.ts'
import { openIgd } from '../../src/upnp/igd-gateway.ts'
import { requestByUdp } from '../../src/upnp/udp-request.ts'
import { idOf } from '../connections/machines.ts'
import { quietLogger } from './logger.ts'

/** The server to call, and a clock that passes faster than real time, so that the limits of the calls are reached. */
export interface OutsideServer {
  readonly port: number
  readonly clock: Clock
  readonly http: HttpClient
}

export interface OutgoingCall {
  readonly name: string
  /** The sources that make it. */
  readonly files: readonly string[]
  /** Has no limit of its own, only the signal of its caller. */
  readonly isUnlimited?: boolean
  /** The protocol is not stream-based: the server never receives anything. */
  readonly isDatagram?: boolean
  run(outside: OutsideServer, signal: AbortSignal): Promise<unknown>
}

const HOST = '127.0.0.1'
const identity = await makeCertificate({
  commonName: 'syncthing',
  keyType: 'P-256',
  lifetimeDays: 10,
  nowMs: Date.now(),
  serial: new Uint8Array(8).fill(3),
})
const DEVICE: DeviceId = idOf(identity)
const log = quietLogger('dialer')
const LIMITS = { responseBytesMax: 1_000_000, timeoutMs: 20_000, trust: { kind: 'any' } } as const

export function outsideAt(port: number, speed: number): OutsideServer {
  const clock: Clock = {
    nowMs: () => nodeClock.nowMs(),
    monotonicMs: () => nodeClock.monotonicMs() * speed,
    sleep: (delayMs, signal) => nodeClock.sleep(delayMs / speed, signal),
  }
  const http: HttpClient = {
    send: (request, signal) =>
      nodeHttpClient.send({ ...request, timeoutMs: request.timeoutMs / speed, trust: { kind: 'any' } }, signal),
  }
  return { port, clock, http }
}

function dialerOf({ clock }: OutsideServer, environment: Readonly<Record<string, string>> = {}): Dialer {
  return new Dialer({ clock, net: nodeNet, log, environment: (name) => environment[name] }, { identity })
}

function relayAt({ port }: OutsideServer): RelayAddress {
  const address = parseAddress(`relay://${HOST}:${port}/`)
  if (address.kind !== 'relay') throw new Error('not a relay')
  return address
}

/** Ends when the announcement has failed; rejects when it is aborted. */
async function announce(outside: OutsideServer, signal: AbortSignal): Promise<void> {
  const { clock, http, port } = outside
  const server = parseDiscoveryServer(`https://${HOST}:${port}/?insecure&nolookup`)
  const deps = {
    clock,
    http,
    log,
    identity,
    proxy: undefined,
    addresses: () => ['tcp://192.0.2.1:22000'],
    onLookedUp: () => {},
  }
  const ended = new AbortController()
  const discovery = new GlobalDiscovery(deps, server)
  const running = discovery.run(AbortSignal.any([signal, ended.signal]))
  while (discovery.error === 'not announced' && !signal.aborted) {
    await nodeClock.sleep(10, signal).catch(() => {}) // the loop ends
  }
  ended.abort()
  await running
}

async function lookUp({ clock, http, port }: OutsideServer, signal: AbortSignal): Promise<void> {
  const server = parseDiscoveryServer(`https://${HOST}:${port}/?insecure&noannounce`)
  const ended = new AbortController()
  const onLookedUp = (): void => ended.abort()
  const deps = { clock, http, log, identity, proxy: undefined, addresses: () => [], onLookedUp }
  const discovery = new GlobalDiscovery(deps, server)
  const running = discovery.run(AbortSignal.any([signal, ended.signal]))
  discovery.lookup(DEVICE)
  await running
}

/** A gateway whose description was read, and which then does not answer. */
async function mapPort({ http, port }: OutsideServer, signal: AbortSignal): Promise<void> {
  const place = `http://${HOST}:${port}`
  const service = 'urn:schemas-upnp-org:service:WANIPConnection:1'
  const description = `<root><device><deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:1</deviceType>
    <deviceList><device><deviceType>urn:schemas-upnp-org:device:WANDevice:1</deviceType><deviceList><device>
    <deviceType>urn:schemas-upnp-org:device:WANConnectionDevice:1</deviceType><serviceList><service>
    <serviceType>${service}</serviceType><controlURL>/control</controlURL></service></serviceList>
    </device></deviceList></device></deviceList></device></root>`
  const described: HttpClient = {
    send: async (request, until) =>
      request.method === 'POST'
        ? await http.send(request, until)
        : { status: 200, headers: {}, body: Buffer.from(description) },
  }
  const local = { address: '127.0.0.2', prefixLength: 8, interface: 'lo', isLoopback: true }
  const found = { location: `${place}/`, local, id: 'gateway', sender: HOST }
  const [gateway] = await openIgd({ http: described, log }, found, 10_000, signal)
  if (gateway === undefined) throw new Error('no gateway')
  await gateway.map({ internalPort: 1, externalPorts: [2], leaseS: 60, renewalS: 30 }, undefined, signal)
}

const overProxy = (kind: Proxy['kind'], url: string): OutgoingCall => ({
  name: `a request through a proxy, ${kind}`,
  files: ['src/platform/node/net/proxy.ts'],
  run: ({ http, port }, signal) =>
    http.send({ ...LIMITS, url, proxy: { kind, host: HOST, port, user: 'u', password: 'p' } }, signal),
})

const byLdap = (transport: LdapConfig['transport']): OutgoingCall => ({
  name: `a login by LDAP, ${transport}`,
  files: ['src/platform/node/net/directory.ts'],
  run: ({ clock, port }, signal) => {
    const ldap = { ...defaultsOf(LDAP), address: `${HOST}:${port}`, bindDN: 'uid=%s', transport }
    return loginAtDirectory({ clock, dial: dialDirectory }, ldap, { username: 'u', password: 'p' }, signal)
  },
})

async function callWebhook({ clock, http, port }: OutsideServer, signal: AbortSignal): Promise<unknown> {
  const target = {
    kind: 'url',
    url: `http://${HOST}:${port}/`,
    format: 'json',
    secret: undefined,
    allowPrivate: true,
  } as const
  const hook = {
    id: 'h',
    name: 'h',
    on: 'conflict',
    folder: undefined,
    device: undefined,
    afterMs: 0,
    createdMs: 0,
    target,
  } as const
  const what = { folder: undefined, device: undefined, text: 'x', details: {}, timeMs: 0 }
  const delivery = { ...what, id: 'd', hookId: 'h', on: 'conflict', paths: undefined, isPathsComplete: true } as const
  return await deliver({ clock, http, programs: nodePrograms }, hook, { ...delivery, pathsFile: undefined }, signal)
}

export const OUTGOING_CALLS: readonly OutgoingCall[] = [
  {
    name: 'a webhook',
    files: ['src/hooks/sender.ts'],
    run: callWebhook,
  },
  byLdap('plain'),
  byLdap('tls'),
  {
    name: 'a request by HTTPS',
    files: ['src/platform/node/net/http-client.ts', 'src/platform/node/net/tcp.ts'],
    run: ({ http, port }, signal) => http.send({ ...LIMITS, url: `https://${HOST}:${port}/` }, signal),
  },
  {
    name: 'a request by HTTP',
    files: ['src/platform/node/net/http-client.ts'],
    run: ({ http, port }, signal) => http.send({ ...LIMITS, url: `http://${HOST}:${port}/`, body: 'x' }, signal),
  },
  overProxy('http', 'https://192.0.2.1/'),
  overProxy('https', 'https://192.0.2.1/'),
  overProxy('socks5', 'http://192.0.2.1/'),
  {
    name: 'a lookup at a discovery server',
    files: ['src/discover/global.ts'],
    run: lookUp,
  },
  { name: 'an announcement to a discovery server', files: ['src/discover/global.ts'], run: announce },
  {
    name: 'a dial of a device',
    files: ['src/dialer/dialer.ts', 'src/platform/node/net/net.ts', 'src/connections/dial-targets.ts'],
    run: async (outside, signal) => {
      const { port } = outside
      const address = { kind: 'tcp', text: '', host: HOST, port } as const
      await using stream = await dialerOf(outside).dial(address, signal)
      const hello = { deviceName: '', clientName: '', clientVersion: '', numConnections: 1, timestampNs: 0n }
      await exchangeHellos(stream, hello, outside.clock, signal)
    },
  },
  {
    name: 'a dial of a device through the proxy of the environment',
    files: ['src/dialer/dialer.ts'],
    run: (outside, signal) => {
      const environment = { all_proxy: `socks5://${HOST}:${outside.port}`, ALL_PROXY_NO_FALLBACK: '1' }
      const address = { kind: 'tcp', text: '', host: '192.0.2.1', port: 22_000 } as const
      return dialerOf(outside, environment).dial(address, signal)
    },
  },
  {
    name: 'TLS over a plain connection, as client',
    files: ['src/platform/node/net/plain-stream.ts', 'src/dialer/dialer.ts'],
    isUnlimited: true,
    run: async (outside, signal) => {
      await using stream = await dialerOf(outside).dialTcp({ host: HOST, port: outside.port }, signal)
      await using _secure = await stream.secure('client', { identity }, signal)
    },
  },
  {
    name: 'TLS over a plain connection, as server',
    files: ['src/platform/node/net/plain-stream.ts'],
    isUnlimited: true,
    run: async (outside, signal) => {
      await using stream = await dialerOf(outside).dialTcp({ host: HOST, port: outside.port }, signal)
      await stream.write(Buffer.from('x'))
      await using _secure = await stream.secure('server', { identity }, signal)
    },
  },
  {
    name: 'the list of a relay pool',
    files: ['src/relay/pool.ts'],
    run: (outside, signal) => {
      const { clock, http, port } = outside
      const random = { int: () => 0, bytes: (count: number) => new Uint8Array(count) }
      const url = `https://${HOST}:${port}/`
      return findRelays(
        { clock, http, random, dialer: dialerOf(outside), avoided: new AvoidedRelays(clock) },
        { kind: 'relay-pool', text: '', url },
        signal,
      )
    },
  },
  {
    name: 'joining a relay',
    files: ['src/relay/channel.ts', 'src/relay/relay-client.ts'],
    run: (outside, signal) => {
      const { clock } = outside
      const deps = { clock, dialer: dialerOf(outside), identity, log, allowTls12: () => false }
      return new RelayClient({ ...deps, onJoined: () => {}, onStream: () => {}, onFlood: () => {} }).serve(
        relayAt(outside),
        signal,
      )
    },
  },
  {
    name: 'a dial through a relay',
    files: ['src/relay/relay-dialer.ts', 'src/relay/channel.ts', 'src/connections/dial-targets.ts'],
    run: (outside, signal) =>
      new RelayDialer({ clock: outside.clock, dialer: dialerOf(outside), identity }).dial(
        relayAt(outside),
        DEVICE,
        signal,
      ),
  },
  {
    name: 'a session of a relay',
    files: ['src/relay/session.ts'],
    run: (outside, signal) =>
      joinSession(
        { clock: outside.clock, dialer: dialerOf(outside), identity },
        {
          kind: 'invitation',
          from: DEVICE,
          key: new Uint8Array(8),
          address: new Uint8Array(),
          port: outside.port,
          isServer: false,
        },
        { host: HOST, allowTls12: false },
        signal,
      ),
  },
  {
    name: 'the description of a router',
    files: ['src/upnp/igd-gateway.ts'],
    run: ({ http, port }, signal) => {
      const local = { address: '127.0.0.2', prefixLength: 8, interface: 'lo', isLoopback: true }
      const found = { location: `http://${HOST}:${port}/`, local, id: 'gateway', sender: HOST }
      return openIgd({ http, log }, found, 10_000, signal)
    },
  },
  { name: 'a request to a router by UPnP', files: ['src/upnp/igd-gateway.ts'], run: mapPort },
  {
    name: 'a request to a router by NAT-PMP or PCP',
    files: ['src/upnp/udp-request.ts'],
    isDatagram: true,
    run: ({ clock }, signal) => {
      const to = { host: HOST, port: 1 }
      const request = { packets: [encodeAddressRequest()], to, localHost: HOST, timeoutMs: 10_000 }
      return requestByUdp({ clock, udp: nodeUdp }, request, () => undefined, signal)
    },
  },
  {
    name: 'a check for releases',
    files: ['src/upgrade/registry.ts'],
    run: ({ http, port }, signal) => {
      const query = { source: `https://${HOST}:${port}/twinfold`, running: '1.0.0', preReleases: false }
      return findRelease({ http, environment: () => undefined }, query, signal)
    },
  },
  {
    name: 'a request of a command or of the typed client',
    files: ['src/client/node.ts'],
    isUnlimited: true,
    run: ({ port }, signal) =>
      nodeTransport(`http://${HOST}:${port}`)({ method: 'GET', path: '/', headers: {}, signal }),
  },
  {
    name: 'a request of the typed client by HTTPS',
    files: ['src/client/node.ts'],
    isUnlimited: true,
    run: ({ port }, signal) =>
      nodeTransport(`https://${HOST}:${port}`, { trust: 'any' })({ method: 'GET', path: '/', headers: {}, signal }),
  },
]

/** Sources that send datagrams and wait for a time, not for an answer. */
export const WITHOUT_WAITING: readonly string[] = [
  'src/beacon/beacon.ts',
  'src/upnp/igd-search.ts',
  'src/platform/node/net/udp.ts',
]
