/** A stream of bytes to an authenticated peer. */
export interface TlsStream extends AsyncDisposable {
  /** The peer's certificate, DER; its SHA-256 is the device id. */
  readonly peerCertificate: Uint8Array
  readonly remoteAddress: string
  /** The next bytes; undefined once the peer has ended. */
  read(): Promise<Uint8Array | undefined>
  /** Resolves when the stream will take more. */
  write(data: Uint8Array): Promise<void>
}

export interface Identity {
  readonly certificatePem: string
  readonly keyPem: string
}

export interface Net {
  listenTls(
    options: { readonly host: string; readonly port: number; readonly identity: Identity },
    onStream: (stream: TlsStream) => void,
  ): Promise<AsyncDisposable & { readonly port: number }>
  dialTls(
    options: { readonly host: string; readonly port: number; readonly identity: Identity },
    signal: AbortSignal,
  ): Promise<TlsStream>
}
