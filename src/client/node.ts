/**
 * `twinfold/node`: carries the requests of a client in Node, over TCP, TLS with a pinned certificate, or a UNIX socket.
 * The only file of the client that does not run in a browser.
 */
import { X509Certificate } from 'node:crypto'
import type { ClientRequest as HttpClientRequest, RequestOptions } from 'node:http'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { TwinfoldError } from '../core/errors.ts'
import { parseEndpoint, type Endpoint } from './endpoint.ts'
import { ClientError } from './errors.ts'
import type { ClientReply, ClientRequest, Transport } from './transport.ts'

export type { Endpoint }
export type { ClientReply, ClientRequest, Transport }

// Not imported: an import reads every export of the module, and one of them loads a WebSocket client, 55 ms at start.
const { request: httpRequest } = process.getBuiltinModule('node:http')

/** No answer of a daemon comes near it; whoever sends more is no daemon. */
const REPLY_BYTES_MAX = 512 * 1024 * 1024
const FINGERPRINT_DIGITS = 64

/** Whom to believe to be the daemon; a daemon signs its certificate itself, so that no authority knows it. */
export type Trust =
  /** This certificate and no other: the content of `https-cert.pem` in the home. */
  | { readonly certificatePem: string }
  /** The certificate with this SHA-256 fingerprint: 64 hexadecimal digits, colons and spaces do not matter. */
  | { readonly fingerprint: string }
  /** Any certificate: whoever sits in between can read the API key. */
  | 'any'
  /** A certificate that Node accepts for this host, as of a reverse proxy. */
  | 'authorities'

export interface NodeTransportOptions {
  /** For HTTPS; `authorities` unless told. */
  readonly trust?: Trust
}

/**
 * Carries requests to the daemon at an address: `http://host:port`, `https://host:port`, `unix:///path`, or
 * `unixs:///path` for TLS on a socket. A daemon that is not the trusted one fails with `impostor`, and is sent nothing.
 */
export function nodeTransport(address: string | Endpoint, options: NodeTransportOptions = {}): Transport {
  const endpoint = typeof address === 'string' ? parseEndpoint(address, { useTls: false }) : address
  const isTrusted = checkOf(options.trust ?? 'authorities')
  return async (request) => {
    request.signal.throwIfAborted()
    const outgoing = requestOptions(endpoint, request)
    if (!endpoint.secure) return send(httpRequest({ ...outgoing, agent: false }), request)
    const socket = await openTls(endpoint, isTrusted, request.signal)
    try {
      // No `agent` at all here: with any, even `false`, Node would open a plain connection of its own and send the key.
      return await send(httpRequest({ ...outgoing, createConnection: () => socket }), request)
    } finally {
      socket.destroy()
    }
  }
}

type Check = (socket: TLSSocket) => boolean

/** A pin that cannot be read is refused here, not at the first request. */
function checkOf(trust: Trust): Check {
  if (trust === 'any') return () => true
  if (trust === 'authorities') return (socket) => socket.authorized
  if ('certificatePem' in trust) {
    const known = certificateIn(trust.certificatePem)
    return (socket) => known.equals(socket.getPeerCertificate().raw)
  }
  const wanted = trust.fingerprint.replace(/[:\s]/g, '').toLowerCase()
  if (wanted.length !== FINGERPRINT_DIGITS || /[^\da-f]/.test(wanted)) {
    throw new TwinfoldError('usage', `a SHA-256 fingerprint has ${FINGERPRINT_DIGITS} hexadecimal digits`)
  }
  return (socket) => socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '').toLowerCase() === wanted
}

function certificateIn(pem: string): Buffer {
  try {
    return new X509Certificate(pem).raw
  } catch (cause) {
    throw new TwinfoldError('usage', 'the certificate to trust is no certificate in PEM', { cause })
  }
}

function requestOptions(endpoint: Endpoint, request: ClientRequest): RequestOptions {
  const target =
    endpoint.socketPath === undefined
      ? { host: endpoint.host, port: endpoint.port }
      : { socketPath: endpoint.socketPath, host: 'localhost' }
  return {
    ...target,
    method: request.method,
    path: request.path,
    headers: request.headers,
    signal: request.signal,
  }
}

function send(outgoing: HttpClientRequest, request: ClientRequest): Promise<ClientReply> {
  const { promise, resolve, reject } = Promise.withResolvers<ClientReply>()
  outgoing.on('error', reject)
  outgoing.on('response', (incoming) => {
    const pieces: Buffer[] = []
    let sizeBytes = 0
    incoming.on('error', reject)
    incoming.on('data', (piece: Buffer) => {
      sizeBytes += piece.length
      if (sizeBytes > REPLY_BYTES_MAX) incoming.destroy(new Error('the answer is too long'))
      else pieces.push(piece)
    })
    incoming.on('end', () => {
      const bytes = Buffer.concat(pieces)
      const contentDisposition = incoming.headers['content-disposition']
      resolve({ status: incoming.statusCode ?? 0, text: bytes.toString('utf8'), bytes, contentDisposition })
    })
  })
  outgoing.end(request.body)
  return promise
}

/** The certificate is looked at before the first byte of the request leaves, because the API key is in it. */
function openTls(endpoint: Endpoint, isTrusted: Check, signal: AbortSignal): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const { host, port, socketPath } = endpoint
  const target = socketPath === undefined ? { host, port, ...serverName(host) } : { path: socketPath }
  const socket = connectTls({ ...target, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  const onAbort = () => void socket.destroy(new Error('given up', { cause: signal.reason }))
  signal.addEventListener('abort', onAbort, { once: true })
  socket.once('close', () => signal.removeEventListener('abort', onAbort))
  socket.once('error', reject)
  socket.once('secureConnect', () => {
    signal.removeEventListener('abort', onAbort)
    if (isTrusted(socket)) {
      socket.off('error', reject)
      resolve(socket)
    } else {
      socket.destroy()
      reject(new ClientError('impostor', 'the certificate is not the trusted one, so the API key was not sent'))
    }
  })
  return promise
}

/** Names only: an address may not be told to a server that way. */
function serverName(host: string): { servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host }
}
