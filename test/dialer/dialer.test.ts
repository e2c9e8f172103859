import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { parseAddress } from '../../src/core/network/address.ts'
import { Dialer, type TcpAddress } from '../../src/dialer/dialer.ts'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import { NetError } from '../../src/platform/net-error.ts'
import type { DialOptions, Net, TlsStream } from '../../src/platform/net.ts'
import { nodeClock } from '../../src/platform/node/clock.ts'
import { nodeNet } from '../../src/platform/node/net/net.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { quietLogger } from '../support/logger.ts'

const HOST = '127.0.0.1'
const NEVER = new AbortController().signal
const identity = await makeCertificate({
  commonName: 'syncthing',
  keyType: 'Ed25519',
  lifetimeDays: 365,
  nowMs: Date.now(),
  serial: new Uint8Array(8),
})

function tcp(text: string): TcpAddress {
  const address = parseAddress(text)
  assert.ok(address.kind === 'tcp')
  return address
}

/** A network that records its dial requests. */
function recordingNet(reply: (options: DialOptions) => Promise<TlsStream>) {
  const requests: DialOptions[] = []
  const net: Net = {
    listenTls: () => assert.fail(),
    dialTcp: () => assert.fail(),
    dialTls: async (options, signal) => {
      requests.push(options)
      signal.throwIfAborted()
      return await Promise.race([
        reply(options),
        new Promise<never>((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
      ])
    },
  }
  return { net, requests }
}

function dialerOver(net: Net, environment: Record<string, string> = {}, clock = new SimClock()) {
  const log = quietLogger('dialer')
  return { log, clock, dialer: new Dialer({ clock, net, log, environment: (name) => environment[name] }, { identity }) }
}

test('a dial times out after ten seconds', async () => {
  const { net } = recordingNet(() => new Promise(() => {}))
  const { dialer, clock } = dialerOver(net)
  const dialing = dialer.dial(tcp('tcp://host'), NEVER)
  dialing.catch(() => {})
  await clock.advance(9_999, async () => {})
  assert.equal(clock.sleepingCount, 1)
  await clock.advance(1, async () => {})
  await assert.rejects(dialing, { code: 'ETIMEDOUT' })
  assert.equal(clock.sleepingCount, 0)
})

test('dials directly without a proxy, through a configured proxy, and directly for its exceptions', async () => {
  const refuse = async () => Promise.reject(new NetError('ECONNREFUSED', 'no'))
  const ways: [environment: Record<string, string>, address: string, expected: string[]][] = [
    [{}, 'tcp4://host', ['direct']],
    [{ all_proxy: 'socks5://p' }, 'tcp://host', ['p', 'direct']],
    [{ all_proxy: 'socks5://p', ALL_PROXY_NO_FALLBACK: '1' }, 'tcp://host', ['p']],
    [{ all_proxy: 'socks5://p', no_proxy: 'host' }, 'tcp://host', ['direct']],
    [{ all_proxy: 'socks5://p', ALL_PROXY_NO_FALLBACK: '1' }, 'tcp://127.0.0.1', ['direct']],
  ]
  for (const [environment, address, expected] of ways) {
    const { net, requests } = recordingNet(refuse)
    await assert.rejects(dialerOver(net, environment).dialer.dial(tcp(address), NEVER), { code: 'ECONNREFUSED' })
    assert.deepEqual(
      requests.map(({ proxy }) => proxy?.host ?? 'direct'),
      expected,
      JSON.stringify(environment),
    )
  }
})

test('addresses to listen on are not dialled', async () => {
  const { net, requests } = recordingNet(() => assert.fail())
  for (const text of ['tcp://:22000', 'tcp://host:0'])
    await assert.rejects(dialerOver(net).dialer.dial(tcp(text), NEVER), { code: 'EINVAL' })
  assert.equal(requests.length, 0)
})

test('the proxy password is not logged', async () => {
  const { net } = recordingNet(async () => Promise.reject(new NetError('ECONNREFUSED', 'no')))
  const { dialer, log } = dialerOver(net, { all_proxy: 'http://user:hunter2@p:1' })
  await assert.rejects(dialer.dial(tcp('tcp://host'), NEVER))
  assert.ok(log.lines.length > 0)
  assert.doesNotMatch(log.lines.join('\n'), /hunter2/)
})

type Script = (socket: Socket, connectTo: (host: string, port: number) => void) => void

/** A minimal proxy; the script records the requested address and connects to our own listener instead. */
async function proxyOf(script: Script): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    script(socket, (host, port) => {
      const far = connect({ host, port })
      sockets.add(far)
      far.on('error', () => socket.destroy())
      socket.pipe(far).pipe(socket)
    })
  })
  server.listen({ host: HOST, port: 0 })
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

/** SOCKS 5 (RFC 1928, 1929), optionally byte by byte. */
function socks(
  requests: string[],
  options: { readonly password?: string; readonly trickle?: boolean; readonly reply?: number } = {},
): Script {
  return (socket, connectTo) => {
    const send = (bytes: number[]) =>
      options.trickle
        ? bytes.forEach((byte, i) => setTimeout(() => socket.write(Buffer.of(byte)), i * 2))
        : socket.write(Buffer.from(bytes))
    const steps: ((data: Buffer) => void)[] = [
      (data) => send([5, options.password === undefined ? 0 : data.includes(2, 2) ? 2 : 255]),
      ...(options.password === undefined
        ? []
        : [
            (data: Buffer) => {
              const user = data.toString('utf8', 2, 2 + data[1]!)
              const password = data.toString('utf8', 3 + data[1]!)
              send([1, `${user}:${password}` === options.password ? 0 : 1])
            },
          ]),
      (data) => {
        const host =
          data[3] === 1
            ? [...data.subarray(4, 8)].join('.')
            : data[3] === 4
              ? data.toString('hex', 4, 20)
              : data.toString('utf8', 5, 5 + data[4]!)
        const port = data.readUInt16BE(data.length - 2)
        requests.push(`${host}:${port}`)
        socket.removeAllListeners('data').pause() // the following bytes are for the device
        if (options.reply !== undefined) return send([5, options.reply, 0, 1, 0, 0, 0, 0, 0, 0])
        send([5, 0, 0, 3, 4, 97, 98, 99, 100, 0, 1])
        setTimeout(() => connectTo(HOST, port), options.trickle ? 100 : 0)
      },
    ]
    socket.on('data', (data) => steps.shift()?.(data))
  }
}

function httpConnect(requests: string[], reply = 'HTTP/1.1 200 fine\r\nX: y\r\n\r\n'): Script {
  return (socket, connectTo) => {
    socket.once('data', (data) => {
      const [line = '', ...headers] = data.toString('latin1').split('\r\n')
      requests.push(
        [line, headers.find((header) => header.startsWith('Proxy-Authorization'))].filter(Boolean).join(' | '),
      )
      socket.write(reply)
      const port = Number(/:(\d+) HTTP/.exec(line)?.[1])
      if (reply.includes(' 200 ')) connectTo(HOST, port)
    })
  }
}

async function throughProxy(script: Script, kind: 'socks5' | 'http', user = '', host = 'device.example') {
  const arrived = Promise.withResolvers<TlsStream>()
  await using listener = await nodeNet.listenTls({ host: HOST, port: 0, identity }, arrived.resolve)
  await using proxy = await proxyOf(script)
  const url = `${kind}://${user === '' ? '' : `${user}@`}${HOST}:${proxy.port}`
  const log = quietLogger('dialer')
  const environment = (name: string) => ({ all_proxy: url, ALL_PROXY_NO_FALLBACK: '1' })[name]
  const dialer = new Dialer({ clock: nodeClock, net: nodeNet, log, environment }, { identity })
  await using stream = await dialer.dial(tcp(`tcp://${host}:${listener.port}`), NEVER)
  await stream.write(Buffer.from('hello'))
  await using far = await arrived.promise
  assert.equal(Buffer.from((await far.read()) ?? []).toString(), 'hello')
  await far.write(Buffer.from('there'))
  assert.equal(Buffer.from((await stream.read()) ?? []).toString(), 'there')
  return listener.port
}

test('through SOCKS 5: names are resolved by the proxy, with and without a password, for any chunking', async () => {
  const requests: string[] = []
  const ports = [
    await throughProxy(socks(requests), 'socks5'),
    await throughProxy(socks(requests, { password: 'me:s3cret' }), 'socks5', 'me:s3cret'),
    await throughProxy(socks(requests, { trickle: true }), 'socks5', '', '10.9.8.7'),
    await throughProxy(socks(requests), 'socks5', '', '[2001:db8::1:2]'),
  ]
  const hosts = ['device.example', 'device.example', '10.9.8.7', '20010db8000000000000000000010002']
  assert.deepEqual(
    requests,
    hosts.map((host, i) => `${host}:${ports[i]}`),
  )
})

test('through HTTP CONNECT, with and without a password', async () => {
  const requests: string[] = []
  const first = await throughProxy(httpConnect(requests), 'http')
  const second = await throughProxy(httpConnect(requests), 'http', 'me:s3cret')
  const secret = Buffer.from('me:s3cret').toString('base64')
  assert.deepEqual(requests, [
    `CONNECT device.example:${first} HTTP/1.1`,
    `CONNECT device.example:${second} HTTP/1.1 | Proxy-Authorization: Basic ${secret}`,
  ])
})

const refusals: [what: string, kind: 'socks5' | 'http', script: Script, code: string][] = [
  ['refuses', 'socks5', socks([], { reply: 2 }), 'ECONNREFUSED'],
  ['requires a password', 'socks5', socks([], { password: 'a:b' }), 'EACCES'],
  ['uses another protocol', 'socks5', (socket) => void socket.write('HTTP/1.1 400 what\r\n\r\n'), 'EPROTO'],
  ['closes the connection', 'socks5', (socket) => void socket.end(), 'ECONNRESET'],
  ['refuses', 'http', httpConnect([], 'HTTP/1.1 403 no\r\n\r\n'), 'ECONNREFUSED'],
  ['uses another protocol', 'http', httpConnect([], 'SSH-2.0\r\n\r\n'), 'EPROTO'],
  ['sends an endless header', 'http', (socket) => void socket.write('x'.repeat(100_000)), 'EPROTO'],
  ['sends data before the device does', 'http', httpConnect([], 'HTTP/1.1 200 ok\r\n\r\nhi'), 'EPROTO'],
]
test('a user or password that is too long for SOCKS 5 fails with a reason', async () => {
  await assert.rejects(throughProxy(socks([], { password: 'a:b' }), 'socks5', `me:${'x'.repeat(256)}`), {
    code: 'EINVAL',
  })
})

for (const [what, kind, script, code] of refusals) {
  test(`a ${kind} proxy that ${what} fails with a reason`, async () => {
    await assert.rejects(throughProxy(script, kind), { code })
  })
}

test('an abort ends a dial through an unresponsive proxy', async () => {
  const requests = Promise.withResolvers<void>()
  await using proxy = await proxyOf((socket) => socket.once('data', () => requests.resolve()))
  const stop = new AbortController()
  const reason = new Error('enough')
  const dialing = nodeNet.dialTls(
    {
      host: 'device.example',
      port: 1,
      identity,
      proxy: { kind: 'socks5', host: HOST, port: proxy.port, user: '', password: '' },
    },
    stop.signal,
  )
  dialing.catch(() => {})
  await requests.promise
  stop.abort(reason)
  await assert.rejects(dialing, (error) => error === reason)
})
