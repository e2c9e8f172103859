import { request, type Agent } from 'node:http'

/** Where a REST interface listens: a URL, or a UNIX socket, which is reachable across network namespaces. */
export type RestAddress = { readonly url: string } | { readonly socketPath: string }

export interface Reply {
  readonly status: number
  readonly contentType: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

export interface RestOptions {
  readonly address: RestAddress
  readonly apiKey: string
  /** Shared by requests that shall use the same connections. */
  readonly agent?: Agent
  readonly timeoutMs?: number
}

/** One request with the API key. Rejects without a response; any status resolves. */
export function rest(options: RestOptions, method: string, path: string, body?: unknown): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const { address, agent, apiKey, timeoutMs = 120_000 } = options
  const where = 'url' in address ? urlParts(address.url) : { socketPath: address.socketPath }
  const payload = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const headers: Record<string, string> = { Host: 'localhost', 'X-API-Key': apiKey }
  if (payload !== undefined) headers['Content-Length'] = String(Buffer.byteLength(payload))
  const outgoing = request({ ...where, ...(agent && { agent }), method, path, headers }, (incoming) => {
    let text = ''
    incoming.setEncoding('utf8')
    incoming.on('data', (chunk: string) => {
      text += chunk
    })
    incoming.on('error', reject)
    incoming.on('end', () => {
      const contentType = incoming.headers['content-type'] ?? ''
      resolve({ status: incoming.statusCode ?? 0, contentType, headers: incoming.headers, text })
    })
  })
  outgoing.on('error', (error) => {
    // The other side has closed a kept connection, or was killed: as Node advises, the request is sent again.
    const isStale = outgoing.reusedSocket && 'code' in error && /^(ECONNRESET|EPIPE)$/.test(String(error.code))
    if (isStale) resolve(rest(options, method, path, body))
    else reject(error)
  })
  outgoing.setTimeout(timeoutMs, () =>
    outgoing.destroy(new Error(`no response within ${timeoutMs} ms: ${method} ${path}`)),
  )
  outgoing.end(payload)
  return promise
}

function urlParts(url: string): { readonly host: string; readonly port: string } {
  const { hostname, port } = new URL(url)
  return { host: hostname, port }
}

/** The JSON of a reply that must be a success. */
export function parsed(reply: Reply): unknown {
  if (reply.status !== 200) throw new Error(`status ${reply.status}: ${reply.text}`)
  return reply.text === '' ? undefined : JSON.parse(reply.text)
}
