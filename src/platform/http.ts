/** A request as received. Nothing is validated yet: names, paths and lengths are hostile. */
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
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal
  /** Reads the body once; rejects with code `body-too-large` beyond the limit. */
  body(limitBytes: number): Promise<Uint8Array>
}

export interface HttpReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** An iterable is sent chunked, each chunk immediately, headers first. */
  readonly body?: string | Uint8Array | AsyncIterable<string | Uint8Array>
}

export type HttpHandler = (request: HttpRequest) => HttpReply | Promise<HttpReply>

export interface HttpListenOptions {
  /** `host:port`, or an absolute path for a UNIX socket. */
  readonly address: string
  readonly unixSocketMode?: number
  /** With a certificate the port serves both: TLS for clients that start a handshake, plain HTTP for others. */
  readonly tls?: { readonly certificatePem: string; readonly keyPem: string }
}

export interface HttpListener extends AsyncDisposable {
  /** The bound address: `host:port` with the port in use, or the socket path. */
  readonly address: string
}

export interface HttpServer {
  /** Rejects with code `EADDRINUSE` when the address is in use. */
  listen(options: HttpListenOptions, handler: HttpHandler): Promise<HttpListener>
}
