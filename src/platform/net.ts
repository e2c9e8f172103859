/** A stream of bytes to an authenticated peer. Disposing of it hangs up, after what was written is on its way. */
export interface TlsStream extends AsyncDisposable {
  /** The peer's certificate, DER; its SHA-256 is the device id. */
  readonly peerCertificate: Uint8Array
  /** How many certificates the peer showed. A device shows its own and nothing else. */
  readonly certificateCount: number
  readonly remoteAddress: string
  /** How the bytes are protected, for people: `TLS1.3-TLS_AES_128_GCM_SHA256`. */
  readonly crypto: string
  /** Whether the peer's certificate is made out to this name, as its common name or one of its DNS names. */
  isNamed(name: string): boolean
  /** The next bytes; undefined once the peer has ended; rejects when the connection is lost or we hung up. */
  read(): Promise<Uint8Array | undefined>
  /**
   * Fills all of `target`, which nobody else may use meanwhile; false when the peer has ended before. `onBytes` hears of
   * every piece as it comes. Not at the same time as `read`. Left out by streams that gain nothing by it.
   */
  readInto?(target: Uint8Array, onBytes: (count: number) => void): Promise<boolean>
  /** Resolves when the stream will take more. The bytes must not change afterwards, see `consumed`. */
  write(data: Uint8Array): Promise<void>
  /**
   * Resolves when nobody looks any more at what was written so far, so that its memory may be used again. Rejects when
   * the connection is lost before. Left out by streams that keep what they are given.
   */
  consumed?(): Promise<void>
}

export interface Identity {
  readonly certificatePem: string
  readonly keyPem: string
}

/** Somebody who connects on our behalf. */
export interface Proxy {
  readonly kind: 'socks5' | 'http' | 'https'
  readonly host: string
  readonly port: number
  /** Secret; empty for none. */
  readonly user: string
  readonly password: string
}

export interface ListenOptions {
  /** An empty host is every address of the machine; then of the given family only, or of both. */
  readonly host: string
  readonly port: number
  readonly family?: 4 | 6
  readonly identity: Identity
  /** Peers that know no TLS 1.3 are let in too. */
  readonly allowTls12?: boolean
}

export interface DialOptions {
  readonly host: string
  readonly port: number
  readonly family?: 4 | 6
  readonly identity: Identity
  readonly allowTls12?: boolean
  readonly proxy?: Proxy
}

/** Certificates are not checked against anybody: who the peer is follows from its certificate, the caller decides. */
export interface Net {
  /**
   * Those who connect and do not prove who they are, be it slowly or never, keep nobody else waiting; they are limited
   * in number and time. Disposing of the listener leaves the streams it made.
   */
  listenTls(
    options: ListenOptions,
    onStream: (stream: TlsStream) => void,
  ): Promise<AsyncDisposable & { readonly port: number }>
  dialTls(options: DialOptions, signal: AbortSignal): Promise<TlsStream>
}
