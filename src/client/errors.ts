/** Why a request failed. */
export type ClientFailure =
  /** There is no home with a configuration, or its interface is switched off. */
  | 'no-home'
  /** No connection, or it was closed before the reply. */
  | 'unreachable'
  /** No reply within the timeout. */
  | 'timeout'
  /** The certificate is not that of the expected daemon; nothing was sent. */
  | 'impostor'
  /** The daemon refused the API key. */
  | 'refused'
  /** Another status than 200; see `status` and `text`. */
  | 'status'
  /** The reply is not that of a daemon: another program listens at this address. */
  | 'malformed'

/** A request that failed. Programs check `failure` and `status`; the message is for users. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly failure: ClientFailure
  /** Of the reply; 0 when there was none. */
  readonly status: number
  /** The body of the reply, without the trailing newline. */
  readonly text: string

  constructor(
    failure: ClientFailure,
    message: string,
    details: { status?: number; text?: string; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.failure = failure
    this.status = details.status ?? 0
    this.text = details.text ?? ''
  }
}
