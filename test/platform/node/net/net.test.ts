import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectTcp, createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net'
import { test } from 'node:test'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { makeCertificate } from '../../../../src/main/home/certificate.ts'
import type { TlsStream } from '../../../../src/platform/net.ts'
import { nodeNet } from '../../../../src/platform/node/net/net.ts'

const HOST = '127.0.0.1'
const identity = await makeCertificate({
  commonName: 'syncthing',
  keyType: 'Ed25519',
  lifetimeDays: 365,
  nowMs: Date.now(),
  serial: new Uint8Array(8),
})

test('a device with a certificate is accepted over TLS 1.3, or 1.2 where allowed, with its protocol', async () => {
  for (const version of ['TLSv1.2', 'TLSv1.3'] as const) {
    await using listener = await listen({ allowTls12: version === 'TLSv1.2' })
    const socket = strange(listener.port, { ...credentials(), minVersion: version, maxVersion: version })
    const [stream] = await Promise.all([listener.arrived, once(socket, 'secureConnect')])
    assert.equal(socket.getProtocol(), version)
    assert.equal(socket.alpnProtocol, 'bep/1.0')
    assert.ok(stream.peerCertificate.length > 100)
    socket.destroy()
  }
})

const refused: [what: string, options: ConnectionOptions][] = [
  ['one without a certificate', {}],
  ['TLS 1.2', { ...credentials(), maxVersion: 'TLSv1.2' }],
  ['TLS 1.1', { ...credentials(), minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }],
  ['one that wants another protocol', { ...credentials(), ALPNProtocols: ['h2'] }],
]
for (const [what, options] of refused) {
  test(`${what} is turned away, and those after it are served`, async () => {
    await using listener = await listen()
    const socket = strange(listener.port, options)
    socket.on('secureConnect', () => socket.write('anybody there?')) // TLS 1.3 rejects the client late
    await closed(socket)
    assert.equal(listener.count(), 0)
    const friend = strange(listener.port, credentials())
    await listener.arrived
    friend.destroy()
  })
}

test('a port that another program has for IPv6 is refused, not used for IPv4 only', async (t) => {
  const other = createTcpServer()
  other.listen({ host: '::', port: 0, ipv6Only: true })
  const failure = await Promise.race([once(other, 'listening').then(() => {}), once(other, 'error')])
  if (failure !== undefined) return t.skip('no IPv6')
  const { port } = other.address() as AddressInfo
  await assert.rejects(
    nodeNet.listenTls({ identity, host: '', port }, () => {}),
    {
      code: 'EADDRINUSE',
    },
  )
  other.close()
})

test('one that talks no TLS is turned away', async () => {
  await using listener = await listen()
  const socket = connectTcp({ host: HOST, port: listener.port })
  socket.on('error', () => {})
  socket.resume()
  socket.write('GET / HTTP/1.1\r\n\r\n'.repeat(100))
  await closed(socket)
  assert.equal(listener.count(), 0)
})

test('no session is resumed: every connection shows its certificate anew', async () => {
  await using listener = await listen({ allowTls12: true })
  const first = strange(listener.port, { ...credentials(), maxVersion: 'TLSv1.2' })
  await once(first, 'secureConnect')
  const session = first.getSession()
  first.destroy()
  const second = strange(listener.port, { ...credentials(), maxVersion: 'TLSv1.2', ...(session && { session }) })
  await once(second, 'secureConnect')
  assert.equal(second.isSessionReused(), false)
  second.destroy()
})

test('a dial to one that is silent ends with the abort', async () => {
  const silent = createTcpServer()
  silent.listen({ host: HOST, port: 0 })
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const stop = new AbortController()
  const reason = new Error('enough')
  const dialing = nodeNet.dialTls({ host: HOST, port, identity }, stop.signal)
  const [socket] = await once(silent, 'connection')
  stop.abort(reason)
  await assert.rejects(dialing, (error) => error === reason)
  socket.destroy()
  silent.close()
})

test('a peer that vanishes fails reader and writer', async () => {
  await using listener = await listen()
  const between = connectTcp({ host: HOST, port: listener.port })
  const proxy = createTcpServer((near) => {
    near.on('error', () => {})
    between.pipe(near).pipe(between)
  })
  proxy.listen({ host: HOST, port: 0 })
  await once(proxy, 'listening')
  const socket = strange((proxy.address() as AddressInfo).port, credentials())
  const [stream] = await Promise.all([listener.arrived, once(socket, 'secureConnect')])
  socket.write('x')
  await stream.read()
  const reading = stream.read()
  between.resetAndDestroy()
  await assert.rejects(reading, { code: 'ECONNRESET' })
  await assert.rejects(async () => await stream.write(Buffer.from('x')), { code: 'ECONNRESET' })
  socket.destroy()
  proxy.close()
})

interface Listening extends AsyncDisposable {
  readonly port: number
  readonly arrived: Promise<TlsStream>
  count(): number
}

async function listen(options: { readonly allowTls12?: boolean } = {}): Promise<Listening> {
  const arrived = Promise.withResolvers<TlsStream>()
  const streams: TlsStream[] = []
  const listener = await nodeNet.listenTls({ host: HOST, port: 0, identity, ...options }, (stream) => {
    streams.push(stream)
    arrived.resolve(stream)
  })
  return {
    port: listener.port,
    arrived: arrived.promise,
    count: () => streams.length,
    async [Symbol.asyncDispose]() {
      await Promise.all(streams.map((stream) => stream[Symbol.asyncDispose]()))
      await listener[Symbol.asyncDispose]()
    },
  }
}

function credentials(): ConnectionOptions {
  return { cert: identity.certificatePem, key: identity.keyPem, ALPNProtocols: ['bep/1.0'] }
}

/** Unlike `once`, not put off by an error before. */
function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => socket.once('close', () => resolve()))
}

/** A connection by other means than ours. */
function strange(port: number, options: ConnectionOptions): TLSSocket {
  const socket = connect({ rejectUnauthorized: false, ...options, host: HOST, port })
  socket.on('error', () => {})
  socket.resume()
  return socket
}
