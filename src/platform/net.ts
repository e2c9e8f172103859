/** A stream of bytes to an authenticated peer. Disposal closes it after written data was sent. */
export interface TlsStream extends AsyncDisposable {
  /** The peer's certificate, DER; its SHA-256 is the device id. */
  readonly peerCertificate: Uint8Array
  /** Number of certificates that the peer sent. A device sends exactly one. */
  readonly certificateCount: number
  readonly remoteAddress: string
  /** The address of this machine that the connection uses; left out where it cannot change. */
  readonly localHost?: string
  /** TLS version and cipher suite for display: `TLS1.3-TLS_AES_128_GCM_SHA256`. */
  readonly crypto: string
  /**
   * Keying material of this connection under a label (RFC 5705): both ends get the same 32 bytes, which are
   * a secret of theirs. Undefined below TLS 1.3. Left out by streams that export none.
   */
  exportKey?(label: string): Uint8Array | undefined
  /** Whether the peer's certificate has this common name or DNS name. */
  isNamed(name: string): boolean
  /** The next bytes; undefined once the peer has ended; rejects when the connection is lost or was closed locally. */
  read(): Promise<Uint8Array | undefined>
  /**
   * Fills all of `target`, which must not be used meanwhile; false when the peer has ended before. `onBytes` is called
   * for every received chunk. Not concurrently with `read`. Left out by streams without an advantage.
   */
  readInto?(target: Uint8Array, onBytes: (count: number) => void): Promise<boolean>
  /**
   * Resolves when the stream accepts more; undefined where it does so at once. Throws or rejects when the connection is
   * lost. The bytes must not change afterwards, see `consumed`.
   */
  write(data: Uint8Array): Promise<void> | undefined
  /**
   * Resolves when the memory of everything written so far may be reused. Rejects when the connection is lost before.
   * Left out by streams that retain what they are given.
   */
  consumed?(): Promise<void>
}

export interface Identity {
  readonly certificatePem: string
  readonly keyPem: string
}

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
  /** Accepts peers without TLS 1.3. */
  readonly allowTls12?: boolean
}

export interface TcpDialOptions {
  readonly host: string
  readonly port: number
  readonly family?: 4 | 6
  readonly proxy?: Proxy
}

export interface DialOptions extends TcpDialOptions {
  readonly identity: Identity
  readonly allowTls12?: boolean
  /** Application protocol that the peer has to select; default: the one between devices, which need not. */
  readonly protocol?: string
  /** The name of the server, sent in the handshake; none by default. */
  readonly serverName?: string
}

export type TlsRole = 'client' | 'server'

/** A TCP connection before TLS runs over it. Disposal closes it. */
export interface PlainStream extends AsyncDisposable {
  readonly remoteAddress: string
  /** Exactly this many bytes. Rejects and closes the stream when the peer ends before, or the signal aborts. */
  take(count: number, signal: AbortSignal): Promise<Uint8Array>
  write(data: Uint8Array): Promise<void>
  /** Runs TLS over the connection, which belongs to the result from now on. Closes it if the handshake fails. */
  secure(
    role: TlsRole,
    settings: { readonly identity: Identity; readonly allowTls12?: boolean },
    signal: AbortSignal,
  ): Promise<TlsStream>
}

/** Certificates are not verified against an authority: the certificate identifies the peer, the caller decides. */
export interface Net {
  /**
   * Connections with a pending handshake do not block others; they are limited in number and time. Disposal of the
   * listener keeps its streams open.
   */
  listenTls(
    options: ListenOptions,
    onStream: (stream: TlsStream) => void,
  ): Promise<AsyncDisposable & { readonly port: number }>
  dialTls(options: DialOptions, signal: AbortSignal): Promise<TlsStream>
  dialTcp(options: TcpDialOptions, signal: AbortSignal): Promise<PlainStream>
}
