import type { Identity, Proxy } from './net.ts'

/** Which server certificate is accepted. Plain http has none. */
type ServerTrust =
  /** Issued for the host and signed by an authority of the system. */
  | { readonly kind: 'system' }
  /** Issued for the host and signed by this authority. */
  | { readonly kind: 'authority'; readonly certificatePem: string }
  /** Exactly this one, whatever its issuer and host: SHA-256 over its DER form. */
  | { readonly kind: 'pinned'; readonly sha256: Uint8Array }
  /** Any. For requests without secrets whose responses are not trusted. */
  | { readonly kind: 'any' }

export interface ClientRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `http:` or `https:`, without user and password. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** A longer response fails with code `EMSGSIZE`, as soon as the limit is exceeded. */
  readonly responseBytesMax: number
  /** For the whole exchange, from name resolution to the last byte; then code `ETIMEDOUT`. */
  readonly timeoutMs: number
  /** Default: the authorities of the system. */
  readonly trust?: ServerTrust
  /** Client certificate, sent on request. */
  readonly identity?: Identity
  readonly proxy?: Proxy
  /** An IP address of the machine from which the connection is made. Not with a proxy. */
  readonly localHost?: string
  /**
   * Which IP addresses may be connected to, decided after the name is resolved: a name that resolves to another address
   * the next time cannot pass. `EACCES` if none may. Not with a proxy, which resolves names itself.
   */
  readonly isAddressAllowed?: (address: string) => boolean
}

export interface ClientResponse {
  readonly status: number
  /** Lower-case names; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/**
 * HTTP requests to other servers. Every status resolves, also a redirect, which is never followed: the caller named one
 * host. Compressed responses are not supported. A certificate that is not accepted rejects with code `EPROTO` before
 * anything is sent.
 */
export interface HttpClient {
  send(request: ClientRequest, signal: AbortSignal): Promise<ClientResponse>
}
