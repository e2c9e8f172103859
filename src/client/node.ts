/**
 * `twinfold/node`: the transport of a client in Node, over TCP, TLS with a pinned certificate, or a UNIX socket.
 * The only file of the client that does not run in a browser.
 */
import { X509Certificate } from 'node:crypto'
import type { ClientRequest as HttpClientRequest, IncomingMessage, RequestOptions } from 'node:http'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { messageOf, systemCode, TwinfoldError } from '../core/errors.ts'
import { findLocations } from '../core/find-locations.ts'
import { ADDRESS_FILE } from '../core/locations.ts'
import { Client } from './client.ts'
import { parseEndpoint, type Endpoint } from './endpoint.ts'
import { parseRunningAddress, readHomeAddress, type HomeAddress } from './home.ts'
import { ClientError } from './errors.ts'
import { isStreamed, type ClientReply, type ClientRequest, type Transport } from './transport.ts'

export type { Endpoint }
export type { ClientReply, ClientRequest, Transport }

// Not imported: an import evaluates every export, and one of them loads a WebSocket client, 55 ms at start.
const { request: httpRequest } = process.getBuiltinModule('node:http')

/** Far above the largest reply of a daemon; bounds memory when another program replies. */
const REPLY_BYTES_MAX = 512 * 1024 * 1024
const FINGERPRINT_DIGITS = 64

/** How to verify the daemon, whose certificate is self-signed by default. */
export type Trust =
  /** Only this certificate: the content of `https-cert.pem` in the home. */
  | { readonly certificatePem: string }
  /** The certificate with this SHA-256 fingerprint: 64 hexadecimal digits, colons and spaces are ignored. */
  | { readonly fingerprint: string }
  /** Any certificate: a man in the middle can read the API key. */
  | 'any'
  /** A certificate that Node accepts for this host, such as that of a reverse proxy. */
  | 'authorities'

export interface NodeTransportOptions {
  /** For HTTPS; default `authorities`. */
  readonly trust?: Trust
}

/**
 * Sends requests to the daemon at an address: `http://host:port`, `https://host:port`, `unix:///path`, or
 * `unixs:///path` for TLS on a socket. Another certificate fails with `impostor` before anything is sent.
 */
export function nodeTransport(address: string | Endpoint, options: NodeTransportOptions = {}): Transport {
  const endpoint = typeof address === 'string' ? parseEndpoint(address, { useTls: false }) : address
  const isTrusted = checkOf(options.trust ?? 'authorities')
  return async (request) => {
    request.signal.throwIfAborted()
    const outgoing = requestOptions(endpoint, request)
    if (!endpoint.secure) return send(httpRequest({ ...outgoing, agent: false }), request)
    const socket = await openTls(endpoint, isTrusted, request.signal)
    let isOpen = false
    try {
      // No `agent` option here: with any, even `false`, Node would open a plain connection and send the key over it.
      const reply = await send(httpRequest({ ...outgoing, createConnection: () => socket }), request)
      isOpen = reply.body !== undefined
      return reply
    } finally {
      if (!isOpen) socket.destroy()
    }
  }
}

/**
 * A client of the daemon of a home on this machine, by default the one that `twinfold` itself uses: address, key and
 * certificate are those in the home. Rejects with `no-home` where there is none. Does not check whether it runs.
 */
export async function clientOfHome(home: string = defaultHome()): Promise<Client> {
  const gui = await readGui(home)
  const address = await runningAddress(join(home, ADDRESS_FILE))
  if (!gui.isEnabled && address === undefined) {
    throw new ClientError('no-home', `the REST interface is switched off in ${join(home, 'config.xml')}`)
  }
  const endpoint = parseEndpoint(address ?? gui.address, { useTls: gui.useTls })
  const certificatePem = endpoint.secure ? await readFile(join(home, 'https-cert.pem'), 'utf8') : undefined
  const trust = certificatePem === undefined ? {} : { trust: { certificatePem } }
  return new Client({ transport: nodeTransport(endpoint, trust), apiKey: gui.apiKey })
}

/** Where the daemon of this user has its configuration, unless it was started with another home. */
export function defaultHome(): string {
  const { STHOMEDIR: home = '', STCONFDIR: config = '', STDATADIR: data = '' } = process.env
  return findLocations({
    platform: process.platform,
    environment: process.env,
    userHome: homedir(),
    workingDirectory: process.cwd(),
    home,
    config,
    data,
    exists: existsSync,
  }).configDirectory
}

async function readGui(home: string): Promise<HomeAddress> {
  try {
    return readHomeAddress(await readFile(join(home, 'config.xml'), 'utf8'))
  } catch (cause) {
    const remedy = 'start a daemon there with "twinfold serve", or give the home of the running one'
    throw new ClientError('no-home', `${home} is no home of a daemon: ${messageOf(cause)}; ${remedy}`, { cause })
  }
}

/** The address that a running daemon has written; undefined without one, and where its process has ended. */
export async function runningAddress(file: string): Promise<string | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '') // also where it cannot be read: the configured one is tried
  const running = parseRunningAddress(text)
  return running !== undefined && isRunning(running.processId) ? running.address : undefined
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0)
  } catch (error) {
    return systemCode(error) === 'EPERM' // of another user
  }
}

type Check = (socket: TLSSocket) => boolean

/** Rejects an invalid pin here, not at the first request. */
function checkOf(trust: Trust): Check {
  if (trust === 'any') return () => true
  if (trust === 'authorities') return (socket) => socket.authorized
  if ('certificatePem' in trust) {
    const pinned = certificateIn(trust.certificatePem)
    return (socket) => pinned.equals(socket.getPeerCertificate().raw)
  }
  const expected = trust.fingerprint.replace(/[:\s]/g, '').toLowerCase()
  if (expected.length !== FINGERPRINT_DIGITS || /[^\da-f]/.test(expected)) {
    throw new TwinfoldError('usage', `a SHA-256 fingerprint has ${FINGERPRINT_DIGITS} hexadecimal digits`)
  }
  return (socket) => socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '').toLowerCase() === expected
}

function certificateIn(pem: string): Buffer {
  try {
    return new X509Certificate(pem).raw
  } catch (cause) {
    throw new TwinfoldError('usage', 'the certificate to trust is not a PEM certificate', { cause })
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
  // A reply that is none, such as `101`, ends the connection without an error. After a reply, its own events decide.
  const onClose = () => reject(new Error('the connection was closed without a reply'))
  outgoing.on('close', onClose)
  outgoing.on('response', (incoming) => {
    outgoing.off('close', onClose)
    const status = incoming.statusCode ?? 0
    const contentDisposition = incoming.headers['content-disposition']
    if (isStreamed(request, status)) {
      const header = (name: string) => [incoming.headers[name.toLowerCase()] ?? []].flat()[0]
      resolve({ status, text: '', body: piecesOf(incoming), header, contentDisposition })
      return
    }
    const pieces: Buffer[] = []
    let sizeBytes = 0
    incoming.on('error', reject)
    incoming.on('data', (piece: Buffer) => {
      sizeBytes += piece.length
      if (sizeBytes > REPLY_BYTES_MAX) incoming.destroy(new Error('the reply is too long'))
      else pieces.push(piece)
    })
    incoming.on('end', () => {
      const bytes = Buffer.concat(pieces)
      resolve({ status, text: bytes.toString('utf8'), bytes, contentDisposition })
    })
  })
  outgoing.end(request.body)
  return promise
}

/** Ends with an error if the connection is closed before the end of the body. */
async function* piecesOf(incoming: IncomingMessage): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for await (const piece of incoming) yield piece as Uint8Array
  } finally {
    incoming.destroy()
    incoming.socket.destroy()
  }
}

/** Verifies the certificate before the first byte of the request is sent, because it contains the API key. */
function openTls(endpoint: Endpoint, isTrusted: Check, signal: AbortSignal): Promise<TLSSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const { host, port, socketPath } = endpoint
  const target = socketPath === undefined ? { host, port, ...serverName(host) } : { path: socketPath }
  const socket = connectTls({ ...target, rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] })
  const onAbort = () => void socket.destroy(new Error('aborted', { cause: signal.reason }))
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

/** Names only: TLS does not allow addresses in SNI. */
function serverName(host: string): { servername?: string } {
  return /^[\d.]+$|:/.test(host) ? {} : { servername: host }
}
