import { constants } from 'node:crypto'
import { once } from 'node:events'
import { createServer as createTcpServer, isIP, type BoundSocket, type Server, type Socket } from 'node:net'
import {
  connect,
  createSecureContext,
  createServer,
  DEFAULT_CIPHERS,
  type ConnectionOptions,
  type SecureContext,
  type TLSSocket,
  type TlsOptions,
} from 'node:tls'
import { detach } from '../../../core/errors.ts'
import { NetError } from '../../net-error.ts'
import { untilAborted } from '../../until-aborted.ts'
import type { DialOptions, Identity, ListenOptions, Net, TcpDialOptions } from '../../net.ts'
import { boundSocket } from './bound-socket.ts'
import { Handshakes } from './handshakes.ts'
import { NodePlainStream, type TlsSetup } from './plain-stream.ts'
import { connectThrough } from './proxy.ts'
import { connectTcp, runDialogue } from './tcp.ts'
import { hasAddresses } from './socket-addresses.ts'
import { addressOf, NodeTlsStream } from './tls-stream.ts'

const PROTOCOL = 'bep/1.0'
/** AES-128: sufficient and faster; also the choice of Syncthing. */
const CIPHERS = `TLS_AES_128_GCM_SHA256:${DEFAULT_CIPHERS}`
const DIAL_MS_MAX = 10_000
const KEEP_ALIVE_MS = 60_000
/** Limit of connections, with and without a completed handshake. */
const CONNECTION_COUNT_MAX = 4_096

const DEVICE_TLS: TlsSetup = { clientOptions: connectOptions, serverOptions: tlsOptions, stream: streamOf }

export const nodeNet: Net = {
  async listenTls(options, onStream) {
    const handshakes = new Handshakes()
    const underWay = new Map<string, Socket>()
    let open = true
    const secure = createServer(tlsOptions(options), (socket) => {
      if (!hasAddresses(socket)) return void socket.destroy()
      const raw = underWay.get(socketKey(socket))
      if (raw !== undefined) handshakes.finish(raw)
      const stream = open ? streamOver(socket) : undefined
      if (stream === undefined) socket.destroy()
      else onStream(stream)
    })
    secure.on('tlsClientError', (_error, socket) => socket.destroy()) // not a device, or a port scan
    const server = createTcpServer((socket) => {
      socket.on('error', () => {}) // the TLS socket over it receives it too
      if (!hasAddresses(socket)) return void socket.destroy()
      const key = socketKey(socket)
      socket.once('close', () => underWay.get(key) === socket && underWay.delete(key))
      socket.setKeepAlive(true, KEEP_ALIVE_MS)
      underWay.set(key, socket)
      handshakes.begin(socket)
      secure.emit('connection', socket)
    })
    server.maxConnections = CONNECTION_COUNT_MAX
    await listen(server, options)
    server.on('error', () => {}) // a failed accept affects one connection, which the peer retries
    const stop = async (): Promise<void> => {
      open = false
      server.close() // open streams stay open: they belong to the receiver
      handshakes.dropAll()
    }
    return { port: portOf(server), [Symbol.asyncDispose]: stop }
  },

  dialTls: (options, signal) => inTime((either) => dial(options, either), signal),

  dialTcp: (options, signal) =>
    inTime(async (either) => {
      const socket = await connectRaw(options, either)
      socket.setNoDelay(true)
      return new NodePlainStream(socket, addressOf(socket), DEVICE_TLS)
    }, signal),
}

async function inTime<T extends AsyncDisposable>(
  act: (signal: AbortSignal) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  signal.throwIfAborted()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new NetError('ETIMEDOUT', 'no response')), DIAL_MS_MAX)
  try {
    const either = AbortSignal.any([signal, late.signal])
    return await untilAborted(act(either), either, (stream) => detach(stream[Symbol.asyncDispose]()))
  } finally {
    clearTimeout(timer)
  }
}

async function connectRaw(options: TcpDialOptions, signal: AbortSignal): Promise<Socket> {
  const { proxy } = options
  const raw = proxy === undefined ? await connectTcp(options, signal) : await connectThrough(proxy, options, signal)
  raw.setKeepAlive(true, KEEP_ALIVE_MS)
  return raw
}

async function dial(options: DialOptions, signal: AbortSignal): Promise<NodeTlsStream> {
  const { protocol, serverName = '' } = options
  const raw = await connectRaw(options, signal)
  // Node compiles a large expression for the first text that is not IPv4; a device is dialled without a name.
  const servername = serverName !== '' && isIP(serverName) === 0 ? serverName : ''
  const socket = connect({ ...connectOptions(options), socket: raw, servername })
  await runDialogue(socket, signal, async (events) => {
    await events.until('secureConnect')
    if (protocol !== undefined && socket.alpnProtocol !== protocol) {
      throw new NetError('EPROTO', `the server does not support ${protocol}`)
    }
  })
  try {
    return streamOf(socket)
  } catch (error) {
    socket.destroy()
    throw error
  }
}

interface TlsSettings {
  readonly identity: Identity
  readonly allowTls12?: boolean
  readonly protocol?: string
}

/** With and without TLS 1.2. */
const contexts = new WeakMap<Identity, Map<boolean, SecureContext>>()

/** Keys and certificates are parsed once, not for each dial. */
function connectOptions(settings: TlsSettings): ConnectionOptions {
  const { identity, allowTls12 = false } = settings
  const known = contexts.get(identity) ?? new Map<boolean, SecureContext>()
  contexts.set(identity, known)
  const options = tlsOptions(settings)
  const secureContext = known.get(allowTls12) ?? createSecureContext(options)
  known.set(allowTls12, secureContext)
  return { ...options, secureContext }
}

/** Certificates are self-signed: the certificate identifies the peer, and the caller decides. */
function tlsOptions(options: TlsSettings): TlsOptions & ConnectionOptions {
  return {
    cert: options.identity.certificatePem,
    key: options.identity.keyPem,
    minVersion: options.allowTls12 === true ? 'TLSv1.2' : 'TLSv1.3',
    ciphers: CIPHERS,
    ALPNProtocols: [options.protocol ?? PROTOCOL],
    ca: [], // none is trusted; otherwise Node makes a store of all of its own
    requestCert: true,
    rejectUnauthorized: false,
    // A resumed session would carry a peer's identity over from another handshake without a new certificate.
    secureOptions: constants.SSL_OP_NO_TICKET | constants.SSL_OP_NO_RENEGOTIATION,
  }
}

/** An empty host means both address families where the system has both. */
async function listen(server: Server, { host, port, family }: ListenOptions): Promise<void> {
  const wildcard = host === '' || host === '0.0.0.0' || host === '::'
  if (!wildcard) return await tryListen(server, boundSocket(host, port) ?? { host, port })
  if (family === 4) return await tryListen(server, boundSocket('0.0.0.0', port) ?? { host: '0.0.0.0', port })
  if (family === 6) return await tryListen(server, { host: '::', port, ipv6Only: true })
  // Node uses IPv4 on a machine without IPv6. With a host it would compile its expression for IPv6 addresses: 5 ms.
  return await tryListen(server, { port })
}

async function tryListen(
  server: Server,
  options: BoundSocket | { readonly host?: string; readonly port: number; readonly ipv6Only?: boolean },
): Promise<void> {
  server.listen(options)
  await once(server, 'listening')
}

/** Throws for a peer without a certificate. */
function streamOf(socket: TLSSocket): NodeTlsStream {
  const stream = streamOver(socket)
  if (stream === undefined) throw new NetError('EPROTO', 'the peer showed no certificate')
  return stream
}

/** Undefined for a peer without a certificate, or one whose network is gone. */
function streamOver(socket: TLSSocket): NodeTlsStream | undefined {
  socket.on('error', () => {}) // the stream receives it too; without a listener it would end the process
  if (!hasAddresses(socket)) return undefined
  const certificate = socket.getPeerX509Certificate()
  return certificate === undefined ? undefined : new NodeTlsStream(socket, certificate)
}

/** Unique among the connections of one listener. */
function socketKey(socket: Socket): string {
  return `${socket.remoteAddress} ${socket.remotePort}`
}

function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new NetError('EINVAL', 'not listening on a port')
  return address.port
}
