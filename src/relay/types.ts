import type { TlsStream } from '../platform/net.ts'

/** The state of one listen address. */
export interface RelayListenerStatus {
  /** Why no relay is joined at present; null while one is. */
  readonly error: string | null
  /** The relay that is joined, without its token. */
  readonly joined: string | undefined
}

export type OnRelayStream = (stream: TlsStream) => void
