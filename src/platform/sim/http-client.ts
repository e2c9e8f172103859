import { createHash, X509Certificate } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { ClientResponse, ClientRequest, HttpClient } from '../http-client.ts'
import type { HttpHandler, HttpListener, HttpListenOptions, HttpReply, HttpServer } from '../http.ts'
import { NetError } from '../net-error.ts'
import { simRequest } from './http.ts'

interface Site {
  readonly handler: HttpHandler
  readonly certificate: X509Certificate | undefined
}

const FIRST_FREE_PORT = 49_152

/** The servers that a simulated machine can reach, by `host:port`. All certificates are self-signed. */
export class SimHttpClient implements HttpClient, HttpServer {
  readonly #clock: Clock
  readonly #sites = new Map<string, Site>()
  #nextPort = FIRST_FREE_PORT

  constructor(clock: Clock) {
    this.#clock = clock
  }

  async listen({ address, tls }: HttpListenOptions, handler: HttpHandler): Promise<HttpListener> {
    const chosen = address.replace(/:0$/, () => `:${this.#nextPort++}`)
    if (this.#sites.has(chosen)) throw new NetError('EADDRINUSE', `address already in use ${chosen}`)
    this.#sites.set(chosen, {
      handler,
      certificate: tls === undefined ? undefined : new X509Certificate(tls.certificatePem),
    })
    return { address: chosen, [Symbol.asyncDispose]: async () => void this.#sites.delete(chosen) }
  }

  async send(request: ClientRequest, signal: AbortSignal): Promise<ClientResponse> {
    signal.throwIfAborted()
    const done = new AbortController()
    const either = AbortSignal.any([signal, done.signal])
    const tooLate = async (): Promise<never> => {
      await this.#clock.sleep(request.timeoutMs, either)
      throw new NetError('ETIMEDOUT', `no response within ${request.timeoutMs / 1_000} s`)
    }
    try {
      const response = await Promise.race([this.#request(request, either), tooLate()])
      signal.throwIfAborted()
      return response
    } finally {
      done.abort(new NetError('ECONNABORTED', 'the exchange is over'))
    }
  }

  async #request(request: ClientRequest, signal: AbortSignal): Promise<ClientResponse> {
    const url = new URL(request.url)
    const isSecure = url.protocol === 'https:'
    if ((!isSecure && url.protocol !== 'http:') || url.username !== '')
      throw new NetError('EINVAL', 'not an HTTP address')
    const address = url.port === '' ? `${url.hostname}:${isSecure ? 443 : 80}` : url.host
    if (request.isAddressAllowed?.(url.hostname) === false) throw new NetError('EACCES', `${address} is not public`)
    const site = this.#sites.get(address)
    if (site === undefined) throw new NetError('ECONNREFUSED', `no listener at ${address}`)
    if (isSecure) checkTrust(site, url.hostname, request)
    const call = {
      method: request.method ?? 'GET',
      target: `${url.pathname}${url.search}`,
      headers: { ...request.headers },
      ...(request.body !== undefined && { body: request.body }),
      secure: isSecure,
    }
    const reply = await site.handler(simRequest(call, { signal, unixSocket: false, host: url.host }))
    return { status: reply.status, headers: headersOf(reply), body: await bodyOf(reply, request.responseBytesMax) }
  }
}

function checkTrust({ certificate }: Site, host: string, { trust = { kind: 'system' } }: ClientRequest): void {
  const refuse = (): never => {
    throw new NetError('EPROTO', 'the server is not who it should be')
  }
  if (certificate === undefined) return refuse() // a plain HTTP server
  const isNamed = certificate.checkHost(host) !== undefined || certificate.checkIP(host) !== undefined
  switch (trust.kind) {
    case 'any':
      return
    case 'system':
      return refuse() // the simulated system trusts no authority
    case 'pinned':
      return createHash('sha256').update(certificate.raw).digest().equals(trust.sha256) ? undefined : refuse()
    case 'authority':
      return isNamed && certificate.verify(new X509Certificate(trust.certificatePem).publicKey) ? undefined : refuse()
  }
}

function headersOf({ headers }: HttpReply): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat().join(', ')]),
  )
}

async function bodyOf({ body = '' }: HttpReply, bytesMax: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = []
  let sizeBytes = 0
  const take = (piece: string | Uint8Array): void => {
    const bytes = typeof piece === 'string' ? new TextEncoder().encode(piece) : piece
    sizeBytes += bytes.length
    if (sizeBytes > bytesMax) throw new NetError('EMSGSIZE', `the response is longer than ${bytesMax} bytes`)
    pieces.push(bytes)
  }
  if (typeof body === 'string' || body instanceof Uint8Array) take(body)
  else for await (const piece of body) take(piece)
  return Buffer.concat(pieces)
}
