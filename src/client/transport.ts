/** One request as the client makes it. `path` begins with `/rest/` and carries the query. */
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
}

/** Carries requests to one daemon. Rejects only when there is no answer: every status is one. */
export type Transport = (request: ClientRequest) => Promise<ClientReply>

/** Carries requests by `fetch`, in a browser or in Node. `baseUrl` is empty for the page's own origin. */
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
    return { status: reply.status, text: await reply.text() }
  }
}
