import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { makeCertificate } from '../../src/main/home/certificate.ts'
import type { Identity } from '../../src/platform/net.ts'

const DRIP_MS = 20
const TLS_HANDSHAKE = 0x16

/** `raw` is the connection below TLS, or the same one. */
type Act = (socket: Socket | TLSSocket, raw: Socket) => void

/** What a server does instead of answering. All but the first complete a TLS handshake if the client begins one. */
export const BEHAVIOURS: Readonly<Record<string, Act | 'mute'>> = {
  'accepts and stays silent': 'mute',
  'stays silent after the handshake': () => {},
  'answers 101': (socket) =>
    void socket.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'),
  'sends its head byte by byte': (socket) => drip(socket, `HTTP/1.1 200 OK\r\nX-Pad: ${'x'.repeat(60_000)}`),
  'sends its body byte by byte': (socket) => drip(socket, 'x'.repeat(60_000), 'HTTP/1.1 200 OK\r\n\r\n'),
  'sends zeros byte by byte': (socket) => drip(socket, '\0'.repeat(60_000)),
  'stops after the head': (socket) => void socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n'),
  'ends its half of the connection': (socket) => void socket.end(),
  'resets the connection': (_socket, raw) => void raw.resetAndDestroy(),
}

export interface SilentServer extends AsyncDisposable {
  readonly port: number
  /** Resolves when a client has sent something, or has connected to a server that is mute. */
  readonly reached: Promise<void>
  readonly openCount: number
}

const certificate: Identity = await makeCertificate({
  commonName: 'localhost',
  keyType: 'P-256',
  lifetimeDays: 10,
  nowMs: Date.now(),
  serial: new Uint8Array(8).fill(7),
})

/** A server on loopback that behaves in one of these ways, with TLS or without, as the client begins. */
export async function silentServer(act: Act | 'mute'): Promise<SilentServer> {
  const open = new Set<Socket>()
  const reached = Promise.withResolvers<void>()
  const begin = (socket: Socket | TLSSocket, raw: Socket): void => {
    socket.on('error', () => {}) // the client may leave at any time
    socket.on('end', () => raw.destroy())
    socket.resume()
    if (act !== 'mute') act(socket, raw)
    reached.resolve()
  }
  const options = { cert: certificate.certificatePem, key: certificate.keyPem, requestCert: true }
  const secure = (raw: Socket): void => {
    const socket = new TLSSocket(raw, {
      ...options,
      isServer: true,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1', 'bep-relay', 'bep/1.0'],
    })
    for (const event of ['error', 'end', 'close']) socket.on(event, () => raw.destroy())
    socket.resume()
    socket.on('secure', () => begin(socket, raw))
  }
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => open.delete(socket))
    if (act === 'mute') return begin(socket, socket)
    socket.once('data', (first: Buffer) => {
      socket.pause()
      socket.unshift(first)
      if (first[0] === TLS_HANDSHAKE) secure(socket)
      else begin(socket, socket)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    reached: reached.promise,
    get openCount() {
      return open.size
    },
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function drip(socket: Socket | TLSSocket, text: string, head = ''): void {
  if (head !== '') socket.write(head)
  let at = 0
  const timer = setInterval(() => {
    if (socket.destroyed || at >= text.length) clearInterval(timer)
    else socket.write(text.slice(at, ++at))
  }, DRIP_MS)
  socket.on('close', () => clearInterval(timer))
}
