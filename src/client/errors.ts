/** Why a request did not do what it was for. */
export type ClientFailure =
  /** Nobody listens there, or the connection broke before an answer. */
  | 'unreachable'
  /** No answer within the time allowed. */
  | 'timeout'
  /** Somebody else answers there than the daemon we know; nothing was sent. */
  | 'impostor'
  /** The daemon wants another API key. */
  | 'refused'
  /** The daemon answered with another status than 200; `status` and `text` say which. */
  | 'status'
  /** An answer that is not what the daemon speaks: another program is at this address. */
  | 'malformed'

/** A request that failed. Programs look at `failure` and `status`, people read the message. */
export class ClientError extends Error {
  override readonly name = 'ClientError'
  readonly failure: ClientFailure
  /** Of the answer; 0 when there was none. */
  readonly status: number
  /** What the daemon said, without the line end. */
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
