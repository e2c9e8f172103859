import type { ClientRequest as HttpClientRequest, RequestOptions } from 'node:http'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { X509Certificate } from 'node:crypto'
import { ClientError } from '../client/errors.ts'
import type { ClientReply, ClientRequest, Transport } from '../client/transport.ts'
import type { Endpoint } from './endpoint.ts'

// Not imported: an import reads every export of the module, and one of them loads a WebSocket client, 55 ms at start.
const { request: httpRequest } = process.getBuiltinModule('node:http')

/** No answer of a daemon comes near it; whoever sends more is no daemon. */
const REPLY_BYTES_MAX = 512 * 1024 * 1024

/**
 * Carries requests to a daemon by TCP or UNIX socket, plain or with TLS. When the certificate of the daemon is known,
 * no other is accepted; when it is not, any is, as every certificate of a daemon is signed by itself.
 */
export function nodeTransport(endpoint: Endpoint): Transport {
  return async (request) => {
    const options = requestOptions(endpoint, request)
    if (!endpoint.secure) return send(httpRequest({ ...options, agent: false }), request)
    const socket = await openTls(endpoint, request.signal)
    try {
      // No `agent` at all here: with any, even `false`, Node would open a plain connection of its own and send the key.
      return await send(httpRequest({ ...options, createConnection: () => socket }), request)
    } finally {
      socket.destroy()
    }
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

/** The certificate is compared before the first byte of the request leaves, because the API key is in it. */
function openTls(endpoint: Endpoint, signal: AbortSignal): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  signal.throwIfAborted()
  const target =
    endpoint.socketPath === undefined ? { host: endpoint.host, port: endpoint.port } : { path: endpoint.socketPath }
  const socket = connectTls({ ...target, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  const onAbort = () => void socket.destroy(new Error('given up', { cause: signal.reason }))
  signal.addEventListener('abort', onAbort, { once: true })
  socket.once('error', reject)
  socket.once('secureConnect', () => {
    signal.removeEventListener('abort', onAbort)
    const known = endpoint.certificatePem
    if (known !== undefined && !new X509Certificate(known).raw.equals(socket.getPeerCertificate().raw)) {
      socket.destroy()
      reject(new ClientError('impostor', 'the certificate is not the one in the home, so the API key was not sent'))
    } else {
      socket.off('error', reject)
      resolve(socket)
    }
  })
  return promise
}
