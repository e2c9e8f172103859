/** A stream of bytes to an authenticated peer. Disposing of it hangs up, after what was written is on its way. */
export interface TlsStream extends AsyncDisposable {
  /** The peer's certificate, DER; its SHA-256 is the device id. */
  readonly peerCertificate: Uint8Array
  readonly remoteAddress: string
  /** The next bytes; undefined once the peer has ended; rejects when the connection is lost or we hung up. */
  read(): Promise<Uint8Array | undefined>
  /** Resolves when the stream will take more. The bytes must not change afterwards: they are not copied. */
  write(data: Uint8Array): Promise<void>
}

export interface Identity {
  readonly certificatePem: string
  readonly keyPem: string
}

/** Certificates are not checked against anybody: who the peer is follows from its certificate, the caller decides. */
export interface Net {
  /** Disposing of the listener leaves the streams it made. */
  listenTls(
    options: { readonly host: string; readonly port: number; readonly identity: Identity },
    onStream: (stream: TlsStream) => void,
  ): Promise<AsyncDisposable & { readonly port: number }>
  dialTls(
    options: { readonly host: string; readonly port: number; readonly identity: Identity },
    signal: AbortSignal,
  ): Promise<TlsStream>
}
