/** One request. `path` starts with `/rest/` and includes the query. */
export interface ClientRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
}

export interface ClientReply {
  readonly status: number
  readonly text: string
  /** The unparsed body, for replies that are not text. */
  readonly bytes?: Uint8Array
  /** The header with the name of the file, if there is one. */
  readonly contentDisposition?: string | undefined
}

/** Sends requests to one daemon. Rejects only when there is no reply; no status is an error. */
export type Transport = (request: ClientRequest) => Promise<ClientReply>

/** Sends requests with `fetch`, in a browser or in Node. `baseUrl` is empty for the page's own origin. */
export function fetchTransport(baseUrl: string, fetcher: typeof fetch = fetch): Transport {
  const base = baseUrl.replace(/\/+$/, '')
  return async ({ method, path, headers, body, signal }) => {
    const reply = await fetcher(`${base}${path}`, {
      method,
      headers,
      signal,
      redirect: 'error',
      ...(body !== undefined && { body }),
    })
    const bytes = new Uint8Array(await reply.arrayBuffer())
    const contentDisposition = reply.headers.get('Content-Disposition') ?? undefined
    return { status: reply.status, text: new TextDecoder().decode(bytes), bytes, contentDisposition }
  }
}
