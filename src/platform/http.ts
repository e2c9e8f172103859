/** A request as it arrived. Nothing in it has been looked at yet: names, paths and lengths are hostile. */
export interface HttpRequest {
  readonly method: string
  /** The request target exactly as sent, query included. */
  readonly target: string
  /** Lower-case names; repeated headers as Node joins them. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly remoteAddress: string
  readonly remotePort: number
  readonly secure: boolean
  readonly unixSocket: boolean
  /** Aborts when the client goes away. */
  readonly signal: AbortSignal
  /** Reads the body once; rejects with code `body-too-large` beyond the limit. */
  body(limitBytes: number): Promise<Uint8Array>
}

export interface HttpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** An iterable is sent chunked, each piece as soon as it is there, headers first. */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>
}

export type HttpHandler = (request: HttpRequest) => HttpReply | Promise<HttpReply>

export interface HttpListenOptions {
  /** `host:port`, or an absolute path for a UNIX socket. */
  readonly address: string
  readonly unixSocketMode?: number
  /** With a certificate the port speaks both: TLS for those who begin a handshake, plain for the rest. */
  readonly tls?: { readonly certificatePem: string; readonly keyPem: string }
}

export interface HttpListener extends AsyncDisposable {
  /** Where it really listens: `host:port` with the port in use, or the socket path. */
  readonly address: string
}

export interface HttpServer {
  /** Rejects with code `EADDRINUSE` when somebody else is there. */
  listen(options: HttpListenOptions, handler: HttpHandler): Promise<HttpListener>
}
