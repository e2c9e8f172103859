/** A connection that failed, as the system says it: programs read `code`, people the message. */
export class NetError extends Error {
  override readonly name = 'NetError'
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(`${code}: ${message}`, options)
    this.code = code
  }
}

/** We hung up ourselves: what is asked of the stream afterwards is the mistake of whoever asks. */
export function hungUp(): NetError {
  return new NetError('ECONNABORTED', 'the connection was closed on this side')
}
