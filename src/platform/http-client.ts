import type { Identity, Proxy } from './net.ts'

/** Which certificate of a server is accepted. Plain http asks for none. */
type ServerTrust =
  /** One that is made out to the host and signed by an authority of the system. */
  | { readonly kind: 'system' }
  /** One that is made out to the host and signed by this authority. */
  | { readonly kind: 'authority'; readonly certificatePem: string }
  /** Exactly this one, whoever signed it and to whomever it is made out: SHA-256 over its DER form. */
  | { readonly kind: 'pinned'; readonly sha256: Uint8Array }
  /** Any. For servers of which nothing secret is asked and whose answers are not believed. */
  | { readonly kind: 'any' }

export interface ClientRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** `http:` or `https:`, without user and password. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** A longer answer is refused with code `EMSGSIZE`, as soon as it is known to be longer. */
  readonly answerBytesMax: number
  /** For all of it, from the name of the host to the last byte; then code `ETIMEDOUT`. */
  readonly timeoutMs: number
  /** The system's authorities unless told otherwise. */
  readonly trust?: ServerTrust
  /** Shown to servers that ask for a certificate. */
  readonly identity?: Identity
  readonly proxy?: Proxy
}

export interface ClientAnswer {
  readonly status: number
  /** Lower-case names; repeated headers joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

/**
 * Requests to servers elsewhere. Every status is an answer. Redirects are answers too and never followed: the caller
 * asked one host. Answers come uncompressed or not at all. A certificate that is not accepted rejects with code
 * `EPROTO` before anything is sent.
 */
export interface HttpClient {
  send(request: ClientRequest, signal: AbortSignal): Promise<ClientAnswer>
}
