import type { IncomingMessage, ServerResponse } from 'node:http'
import { TLSSocket } from 'node:tls'
import type { HttpRequest } from '../../http.ts'

/** Requests to be aborted when the server closes. A listener for each on one signal takes as long as a short reply. */
export class OpenRequests {
  readonly #requests = new Set<AbortController>()
  #reason: Error | undefined

  add(request: AbortController): void {
    if (this.#reason === undefined) this.#requests.add(request)
    else request.abort(this.#reason)
  }

  delete(request: AbortController): void {
    this.#requests.delete(request)
  }

  close(reason: Error): void {
    this.#reason = reason
    for (const request of this.#requests) request.abort(reason)
  }
}

/** A request of node:http behind the port's interface. Rarely used properties are created on demand. */
export class NodeHttpRequest implements HttpRequest {
  readonly unixSocket: boolean
  readonly #incoming: IncomingMessage
  readonly #response: ServerResponse
  readonly #closing: OpenRequests
  /** The client waits for `100 Continue` before it sends its body. */
  readonly #expectsContinue: boolean
  #gone: AbortController | undefined
  #bodyTaken = false

  constructor(
    incoming: IncomingMessage,
    response: ServerResponse,
    options: { readonly unixSocket: boolean; readonly closing: OpenRequests; readonly expectsContinue: boolean },
  ) {
    this.#incoming = incoming
    this.#response = response
    this.#closing = options.closing
    this.#expectsContinue = options.expectsContinue
    this.unixSocket = options.unixSocket
  }

  get method(): string {
    return this.#incoming.method ?? ''
  }

  get target(): string {
    return this.#incoming.url ?? ''
  }

  get headers(): HttpRequest['headers'] {
    return this.#incoming.headers
  }

  get remoteAddress(): string {
    return this.#incoming.socket.remoteAddress ?? ''
  }

  get remotePort(): number {
    return this.#incoming.socket.remotePort ?? 0
  }

  get secure(): boolean {
    return this.#incoming.socket instanceof TLSSocket
  }

  get signal(): AbortSignal {
    if (this.#gone === undefined) {
      const gone = new AbortController()
      const leave = () => gone.abort(new Error('the client has gone away'))
      this.#gone = gone
      if (this.#incoming.socket.destroyed) leave()
      else {
        this.#closing.add(gone)
        this.#response.once('close', () => {
          this.#closing.delete(gone)
          if (!this.#response.writableFinished) leave() // afterwards nothing is left to abort
        })
      }
    }
    return this.#gone.signal
  }

  async body(limitBytes: number): Promise<Uint8Array> {
    if (this.#bodyTaken) throw new Error('the body of a request can be read only once')
    this.#bodyTaken = true
    if (Number(this.#incoming.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
    if (this.#expectsContinue) this.#response.writeContinue()

    // Listeners instead of an iterator: leaving an iterator early destroys the socket before the error reply is sent.
    const incoming = this.#incoming
    const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
    const pieces: Buffer[] = []
    let sizeBytes = 0
    const onData = (piece: Buffer) => {
      sizeBytes += piece.length
      if (sizeBytes > limitBytes) reject(tooLarge(limitBytes))
      else pieces.push(piece)
    }
    const onEnd = () => resolve(Buffer.concat(pieces, sizeBytes))
    const onClose = () => reject(codedError('body-incomplete', 'the request ended before its body did'))
    incoming.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose)
    try {
      return await promise
    } finally {
      incoming.pause()
      incoming.off('data', onData).off('end', onEnd).off('close', onClose)
    }
  }
}

function tooLarge(limitBytes: number): Error {
  return codedError('body-too-large', `request body larger than ${limitBytes} bytes`)
}

function codedError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
