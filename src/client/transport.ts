/** One request. `path` starts with `/rest/` and includes the query. */
export interface ClientRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal: AbortSignal
  /** A reply with status 200 or 206 is given with its headers, and its body as it arrives. */
  readonly streamed?: true
}

export interface ClientReply {
  readonly status: number
  readonly text: string
  /** The body of a streamed reply, to be read to its end or left early; the signal of the request ends it, too. */
  readonly body?: AsyncIterable<Uint8Array>
  /** A header of a streamed reply. */
  readonly header?: (name: string) => string | undefined
  /** The unparsed body, for replies that are not text. */
  readonly bytes?: Uint8Array
  /** The header with the name of the file, if there is one. */
  readonly contentDisposition?: string | undefined
}

/** Sends requests to one daemon. Rejects only when there is no reply; no status is an error. */
export type Transport = (request: ClientRequest) => Promise<ClientReply>

/** Whether the body of this reply is streamed to the caller; an error is read as a whole. */
export function isStreamed({ streamed }: ClientRequest, status: number): boolean {
  return streamed === true && (status === 200 || status === 206)
}

/** Sends requests with `fetch`, in a browser or in Node. `baseUrl` is empty for the page's own origin. */
export function fetchTransport(baseUrl: string, fetcher: typeof fetch = fetch): Transport {
  const base = baseUrl.replace(/\/+$/, '')
  return async (request) => {
    const { method, path, headers, body, signal } = request
    const reply = await fetcher(`${base}${path}`, {
      method,
      headers,
      signal,
      redirect: 'error',
      ...(body !== undefined && { body }),
    })
    const contentDisposition = reply.headers.get('Content-Disposition') ?? undefined
    if (isStreamed(request, reply.status)) {
      const header = (name: string) => reply.headers.get(name) ?? undefined
      return { status: reply.status, text: '', body: piecesOf(reply.body), header, contentDisposition }
    }
    const bytes = new Uint8Array(await reply.arrayBuffer())
    return { status: reply.status, text: new TextDecoder().decode(bytes), bytes, contentDisposition }
  }
}

/** Not the stream's own iterator, which some browsers do not have. */
async function* piecesOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader()
  try {
    for (let piece = await reader?.read(); piece?.value !== undefined; piece = await reader?.read()) yield piece.value
  } finally {
    await reader?.cancel().catch(() => {}) // the connection may have failed already
  }
}
