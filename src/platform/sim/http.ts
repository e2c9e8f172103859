import type { HttpHandler, HttpListener, HttpListenOptions, HttpReply, HttpRequest, HttpServer } from '../http.ts'

/** A request of a simulated client; defaults are those of a plain local client. */
export interface SimHttpCall {
  readonly method?: string
  readonly target: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Uint8Array
  readonly secure?: boolean
  readonly remoteAddress?: string
  readonly signal?: AbortSignal
}

/** A response as read by the client: complete body, header names in lower case. */
export interface SimHttpResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: string
}

interface Site {
  readonly handler: HttpHandler
  readonly closing: AbortController
  readonly unixSocket: boolean
}

const FIRST_FREE_PORT = 49_152

/** HTTP without sockets: a request is a function call, so that twenty daemons fit into one simulated run. */
export class SimHttpServer implements HttpServer {
  readonly #sites = new Map<string, Site>()
  #nextPort = FIRST_FREE_PORT

  async listen(options: HttpListenOptions, handler: HttpHandler): Promise<HttpListener> {
    const address = options.address.endsWith(':0') ? this.#withFreePort(options.address) : options.address
    if (this.#sites.has(address)) throw coded('EADDRINUSE', `address already in use ${address}`)
    const site: Site = { handler, closing: new AbortController(), unixSocket: address.startsWith('/') }
    this.#sites.set(address, site)
    return {
      address,
      [Symbol.asyncDispose]: async () => {
        if (this.#sites.get(address) === site) this.#sites.delete(address)
        site.closing.abort(new Error('the server is closing'))
      },
    }
  }

  /** Sends a request to the listener of the address; rejects with `ECONNREFUSED` without one. */
  async call(address: string, call: SimHttpCall): Promise<SimHttpResponse> {
    const site = this.#sites.get(address)
    if (site === undefined) throw coded('ECONNREFUSED', `connect ECONNREFUSED ${address}`)
    const signal = call.signal === undefined ? site.closing.signal : AbortSignal.any([site.closing.signal, call.signal])
    return collectReply(
      await callHandler(site.handler, simRequest(call, { signal, unixSocket: site.unixSocket, host: address })),
    )
  }

  #withFreePort(address: string): string {
    for (;;) {
      const candidate = address.replace(/:0$/, `:${this.#nextPort++}`)
      if (!this.#sites.has(candidate)) return candidate
    }
  }
}

/** Replies for a handler that throws, as the real server does. */
async function callHandler(handler: HttpHandler, request: HttpRequest): Promise<HttpReply> {
  try {
    return await handler(request)
  } catch {
    return { status: 500, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: 'internal error\n' }
  }
}

/** The request that a call becomes. */
export function simRequest(
  call: SimHttpCall,
  site: { readonly signal: AbortSignal; readonly unixSocket: boolean; readonly host: string },
): HttpRequest {
  const headers: Record<string, string | readonly string[]> = { host: site.host }
  for (const [name, value] of Object.entries(call.headers ?? {})) headers[name.toLowerCase()] = value
  let taken = false
  return {
    method: call.method ?? 'GET',
    target: call.target,
    headers,
    remoteAddress: site.unixSocket ? '' : (call.remoteAddress ?? '127.0.0.1'),
    remotePort: site.unixSocket ? 0 : 50_000,
    secure: call.secure ?? false,
    unixSocket: site.unixSocket,
    signal: site.signal,
    body: async (limitBytes) => {
      if (taken) throw new Error('the body of a request can be read only once')
      taken = true
      const bytes =
        typeof call.body === 'string' ? new TextEncoder().encode(call.body) : (call.body ?? new Uint8Array())
      if (bytes.length > limitBytes) throw coded('body-too-large', `request body larger than ${limitBytes} bytes`)
      return bytes
    },
  }
}

/** Reads a reply to its end, as a client would. */
export async function collectReply(reply: HttpReply): Promise<SimHttpResponse> {
  const headers: Record<string, string | readonly string[]> = {}
  for (const [name, value] of Object.entries(reply.headers)) headers[name.toLowerCase()] = value
  const { body } = reply
  if (body === undefined || typeof body === 'string') return { status: reply.status, headers, body: body ?? '' }
  if (body instanceof Uint8Array) return { status: reply.status, headers, body: new TextDecoder().decode(body) }
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of body) text += typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true })
  return { status: reply.status, headers, body: text }
}

function coded(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
