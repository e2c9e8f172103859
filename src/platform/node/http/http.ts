import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import { createServer as createNetServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { HttpHandler, HttpListener, HttpListenOptions, HttpReply, HttpServer } from '../../http.ts'
import { bindListener, type NetServer } from './http-bind.ts'
import { RequestQueue } from './http-queue.ts'
import { sendReply } from './http-reply.ts'
import { OpenRequests, NodeHttpRequest } from './http-request.ts'

// Not imported: an import reads every export of the module, and one of them loads a WebSocket client, 55 ms at start.
const { createServer } = process.getBuiltinModule('node:http')

/** As Go's server, which existing clients were written against; Node's own 16 KiB would break drop-in use. */
const HEAD_BYTES_MAX = 1024 * 1024
const HEADERS_MAX = 2_000
const HEAD_TIMEOUT_MS = 15_000
/** For the whole request, body included. It does not run while a reply is prepared, so long polls may wait. */
const REQUEST_TIMEOUT_MS = 60_000
const KEEP_ALIVE_MS = 15_000
const CONNECTIONS_MAX = 4_096
/** Runs also without any connection: each check wakes an idle device. */
const TIMEOUT_CHECK_MS = 10_000
/** Grace period for replies in progress when the listener closes. */
const CLOSE_GRACE_MS = 500
/** Of the event loop, until replies that are being sent have been passed on. */
const FLUSH_TURNS_MAX = 100

const SERVER_OPTIONS: ServerOptions = {
  maxHeaderSize: HEAD_BYTES_MAX,
  headersTimeout: HEAD_TIMEOUT_MS,
  requestTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: KEEP_ALIVE_MS,
  connectionsCheckingInterval: TIMEOUT_CHECK_MS,
  insecureHTTPParser: false,
  // The handler replies to a missing Host as to a wrong one.
  requireHostHeader: false,
  noDelay: true,
}

const HOST_TWICE: HttpReply = refusal(400, 'too many Host headers')
const ENCODING_UNKNOWN: HttpReply = refusal(400, 'unsupported transfer encoding')
const VERSION_UNKNOWN: HttpReply = refusal(505, 'HTTP Version Not Supported')
const HEADERS_TOO_MANY: HttpReply = refusal(431, 'Request Header Fields Too Large')
const HANDLER_FAILED: HttpReply = refusal(500, 'internal error')

/** The HTTP server of the machine. Never throws because of a client. */
export function createNodeHttpServer(): HttpServer {
  return { listen }
}

async function listen(options: HttpListenOptions, handler: HttpHandler): Promise<HttpListener> {
  const closing = new OpenRequests()
  const unixSocket = options.address.startsWith('/')
  const queue = new RequestQueue()
  const serve = (incoming: IncomingMessage, response: ServerResponse, expectsContinue: boolean) =>
    queue.start(incoming, response, () => {
      const refused = refuseHead(incoming)
      if (refused !== undefined) return deliver(incoming, response, refused)
      const request = new NodeHttpRequest(incoming, response, { unixSocket, closing, expectsContinue })
      handle(handler, request, incoming, response)
    })
  const plain = configure(createServer(SERVER_OPTIONS), serve)
  plain.on('connection', (socket: Socket) => queue.add(socket))
  const group =
    options.tls === undefined
      ? { entry: plain, servers: [plain], sockets: NONE, secured: NONE }
      : openBoth(plain, { ...options.tls, serve, queue })
  group.entry.maxConnections = CONNECTIONS_MAX
  const address = await bindListener(group.entry, options)
  return {
    address,
    [Symbol.asyncDispose]: () => close(group, closing),
  }
}

/** The servers of one address, and the sockets that are not assigned to one yet. */
interface ServerGroup {
  readonly entry: NetServer
  readonly servers: readonly Server[]
  readonly sockets: ReadonlySet<Socket>
  /** Those that encrypt what is written to them. */
  readonly secured: ReadonlySet<Socket>
}

const NONE: ReadonlySet<Socket> = new Set()

type Serve = (incoming: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void

function configure<T extends Server | TlsServer>(server: T, serve: Serve): T {
  // Unlimited here because Node drops requests over the limit silently; they are counted and rejected instead.
  server.maxHeadersCount = 0
  server.on('request', (incoming: IncomingMessage, response: ServerResponse) => serve(incoming, response, false))
  server.on('checkContinue', (incoming: IncomingMessage, response: ServerResponse) => serve(incoming, response, true))
  server.on('connection', (socket: Socket) => socket.on('error', ignoreSocketError))
  return server
}

/** The first byte of every TLS connection; no HTTP method begins with it. */
const TLS_HANDSHAKE = 22

/** One port for both: the first byte distinguishes them. */
function openBoth(
  plain: Server,
  tls: NonNullable<HttpListenOptions['tls']> & { readonly serve: Serve; readonly queue: RequestQueue },
): ServerGroup {
  const secure = configure(
    process.getBuiltinModule('node:https').createServer({
      ...SERVER_OPTIONS,
      cert: tls.certificatePem,
      key: tls.keyPem,
      minVersion: 'TLSv1.2',
      handshakeTimeout: HEAD_TIMEOUT_MS,
    }),
    tls.serve,
  )
  const secured = new Set<Socket>()
  secure.on('secureConnection', (socket) => {
    tls.queue.add(socket)
    secured.add(socket)
    socket.on('close', () => secured.delete(socket))
  })
  const sockets = new Set<Socket>()
  const entry = createNetServer({ noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', ignoreSocketError)
    socket.setTimeout(HEAD_TIMEOUT_MS, () => socket.destroy())
    socket.once('data', (first: Buffer) => {
      socket.setTimeout(0)
      socket.pause()
      socket.unshift(first)
      // TLS takes over the socket and the unshifted data; resuming the stream would consume that data.
      if (first[0] === TLS_HANDSHAKE) return void secure.emit('connection', socket)
      plain.emit('connection', socket)
      socket.resume()
    })
  })
  // A server that does not listen itself starts its header timeout only after this event.
  entry.once('listening', () => [plain, secure].forEach((server) => server.emit('listening')))
  return { entry, servers: [plain, secure], sockets, secured }
}

/** The socket closes by itself; the handler is notified by the signal. */
function ignoreSocketError(): void {}

/**
 * With two Host headers two programs may read different hosts from one request; with an unknown transfer encoding
 * different ends.
 */
function refuseHead(incoming: IncomingMessage): HttpReply | undefined {
  if (incoming.httpVersionMajor !== 1) return VERSION_UNKNOWN
  const raw = incoming.rawHeaders
  if (raw.length > 2 * HEADERS_MAX) return HEADERS_TOO_MANY
  let hosts = 0
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    if (name.length === 17 && name.toLowerCase() === 'transfer-encoding') {
      if (raw[i + 1]!.toLowerCase() !== 'chunked') return ENCODING_UNKNOWN
    }
  }
  return hosts > 1 ? HOST_TWICE : undefined
}

/** Synchronous for a synchronous handler: most replies are sent in the turn of their request. */
function handle(
  handler: HttpHandler,
  request: NodeHttpRequest,
  incoming: IncomingMessage,
  response: ServerResponse,
): void {
  let reply
  try {
    reply = handler(request)
  } catch {
    reply = HANDLER_FAILED
  }
  if (!(reply instanceof Promise)) return deliver(incoming, response, reply)
  reply.then(
    (settled) => deliver(incoming, response, settled),
    () => deliver(incoming, response, HANDLER_FAILED),
  )
}

/** A reply that cannot be sent ends its connection, not the process. */
function deliver(incoming: IncomingMessage, response: ServerResponse, reply: HttpReply): void {
  try {
    sendReply(incoming, response, reply)?.catch(() => response.destroy())
  } catch {
    response.destroy() // an invalid header: nothing was sent yet
  }
}

/** Stops listening immediately, ends long polls, and grants replies in progress a grace period. */
async function close({ entry, servers, sockets, secured }: ServerGroup, closing: OpenRequests): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  entry.close(() => resolve())
  closing.close(new Error('the server is closing'))
  // A connection counts as idle while its last reply is still being encrypted.
  const isSending = () => [...secured].some(({ writableLength }) => writableLength > 0)
  for (let turn = 0; turn < FLUSH_TURNS_MAX && isSending(); turn++) await nextTurn()
  for (const server of servers) if (server !== entry) server.close() // stops its timer
  for (const server of servers) server.closeIdleConnections()
  const timer = setTimeout(() => {
    for (const server of servers) server.closeAllConnections()
    for (const socket of sockets) socket.destroy()
  }, CLOSE_GRACE_MS)
  await promise
  clearTimeout(timer)
}

function refusal(status: number, text: string): HttpReply {
  return {
    status,
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff', Connection: 'close' },
    body: `${text}\n`,
  }
}
