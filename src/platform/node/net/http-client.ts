import { createHash } from 'node:crypto'
import type { ClientRequest as Outgoing, IncomingMessage } from 'node:http'
import { isIP, type Socket } from 'node:net'
import { connect, type ConnectionOptions, type TLSSocket } from 'node:tls'
import { messageOf, systemCode } from '../../../core/errors.ts'
import type { ClientResponse, ClientRequest, HttpClient } from '../../http-client.ts'
import { NetError } from '../../net-error.ts'
import { untilAborted } from '../../until-aborted.ts'
import { connectThrough } from './proxy.ts'
import { connectTcp, runDialogue } from './tcp.ts'

// Not imported: an import reads every export of the module, and one of them loads a WebSocket client, 55 ms at start.
const { request: httpRequest } = process.getBuiltinModule('node:http')

const HEAD_BYTES_MAX = 64 * 1024
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/**
 * One connection per request: requests are rare, and no pool has to be managed. Every step ends by itself when its
 * socket is closed; the race with the signal settles the call also where one does not.
 */
export const nodeHttpClient: HttpClient = {
  async send(request, signal) {
    signal.throwIfAborted()
    const late = new AbortController()
    const timeout = new NetError('ETIMEDOUT', `no response within ${request.timeoutMs / 1_000} s`)
    const timer = setTimeout(() => late.abort(timeout), request.timeoutMs)
    const either = AbortSignal.any([signal, late.signal])
    try {
      return await untilAborted(exchange(request, either), either)
    } catch (error) {
      either.throwIfAborted() // the reason, instead of the resulting socket error
      throw systemCode(error) === undefined ? new NetError('EPROTO', messageOf(error), { cause: error }) : error
    } finally {
      clearTimeout(timer)
    }
  },
}

async function exchange(request: ClientRequest, signal: AbortSignal): Promise<ClientResponse> {
  const url = new URL(request.url)
  const port = PORTS[url.protocol]
  if (port === undefined || url.username !== '' || url.password !== '') {
    throw new NetError('EINVAL', `${url.protocol}//${url.host} is not an HTTP address`)
  }
  const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? port : Number(url.port) }
  const { proxy, localHost, isAddressAllowed } = request
  const limits = {
    ...(localHost !== undefined && { localHost }),
    ...(isAddressAllowed !== undefined && { isAddressAllowed }),
  }
  const raw =
    proxy === undefined
      ? await connectTcp({ ...target, ...limits }, signal)
      : await connectThrough(proxy, target, signal)
  const onAbort = (): void => void raw.destroy()
  signal.addEventListener('abort', onAbort)
  try {
    signal.throwIfAborted()
    const socket = url.protocol === 'https:' ? await secured(raw, target.host, request, signal) : raw
    return await requestOver(socket, url, request)
  } finally {
    signal.removeEventListener('abort', onAbort)
    raw.destroy()
  }
}

/** The certificate is checked before the request is sent. */
async function secured(raw: Socket, host: string, request: ClientRequest, signal: AbortSignal): Promise<TLSSocket> {
  const trust = request.trust ?? { kind: 'system' }
  const isChecked = trust.kind === 'system' || trust.kind === 'authority'
  const options: ConnectionOptions = {
    socket: raw,
    host,
    ALPNProtocols: ['http/1.1'],
    minVersion: 'TLSv1.2',
    rejectUnauthorized: isChecked,
    ...(isIP(host) === 0 && { servername: host }),
    ...(trust.kind === 'authority' && { ca: trust.certificatePem }),
    ...(request.identity !== undefined && { cert: request.identity.certificatePem, key: request.identity.keyPem }),
  }
  const socket = connect(options)
  try {
    await runDialogue(socket, signal, (events) => events.until('secureConnect'))
  } catch (error) {
    signal.throwIfAborted()
    const isNetwork = /^E(?!RR_|PROTO)/.test(systemCode(error) ?? '')
    throw isNetwork
      ? error
      : new NetError('EPROTO', `the server is not who it should be: ${messageOf(error)}`, { cause: error })
  }
  if (trust.kind === 'pinned') checkPin(socket, trust.sha256)
  return socket
}

function checkPin(socket: TLSSocket, sha256: Uint8Array): void {
  const certificate = socket.getPeerX509Certificate()
  if (certificate !== undefined && createHash('sha256').update(certificate.raw).digest().equals(sha256)) return
  throw new NetError('EPROTO', 'the server is not who it should be: its certificate is another one')
}

async function requestOver(socket: Socket, url: URL, request: ClientRequest): Promise<ClientResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const outgoing: Outgoing = httpRequest({
    // No `agent` here: with any, even `false`, Node would open its own plain connection.
    createConnection: () => socket,
    method: request.method ?? 'GET',
    path: `${url.pathname}${url.search}`,
    maxHeaderSize: HEAD_BYTES_MAX,
    headers: { ...request.headers, Host: url.host, 'Accept-Encoding': 'identity', Connection: 'close' },
  })
  outgoing.on('error', reject)
  outgoing.on('response', resolve)
  // Without a listener Node closes the connection, and neither a response nor an error follows.
  outgoing.on('upgrade', () => reject(new NetError('EPROTO', 'the server switches to another protocol')))
  outgoing.on('close', () => reject(new NetError('ECONNRESET', 'connection lost'))) // has no effect after a response
  outgoing.end(request.body)
  const incoming = await promise
  return {
    status: incoming.statusCode ?? 0,
    headers: headersOf(incoming),
    body: await readAll(incoming, request.responseBytesMax),
  }
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  const entries = Object.entries(headers).map(([name, value = '']) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ])
  return Object.fromEntries(entries)
}

async function readAll(incoming: IncomingMessage, bytesMax: number): Promise<Uint8Array> {
  const tooLong = (): NetError => new NetError('EMSGSIZE', `the response is longer than ${bytesMax} bytes`)
  if (Number(incoming.headers['content-length'] ?? 0) > bytesMax) throw tooLong()
  const pieces: Buffer[] = []
  let sizeBytes = 0
  for await (const piece of incoming) {
    if (!Buffer.isBuffer(piece)) continue
    sizeBytes += piece.length
    if (sizeBytes > bytesMax) throw tooLong()
    pieces.push(piece)
  }
  return Buffer.concat(pieces)
}
