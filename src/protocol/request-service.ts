import { messageOf } from '../core/errors.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'
import { Wakeup } from '../sync/wakeup.ts'
import type { IncomingRequest } from './exchange.ts'
import { quoted } from './names.ts'
import type { BlockReply, ProtocolHandler } from './types.ts'

const OPEN_COUNT_MAX = 512
/** Bytes read from disk and not yet sent, per connection: enough to saturate a fast network. */
const OPEN_BYTES_MAX = 2 * 1024 * 1024

type Server = Pick<ProtocolHandler, 'request'>

export interface RequestServiceDeps {
  readonly device: DeviceId
  readonly logger: Logger
  /** Rejects when the connection has ended. */
  respond(id: number, reply: BlockReply): Promise<void>
}

/** Serves the requests of one peer in parallel, within limits. */
export class RequestService {
  readonly #deps: RequestServiceDeps
  readonly #open = new Set<Promise<void>>()
  #openBytes = 0
  readonly #freed = new Wakeup()

  constructor(deps: RequestServiceDeps) {
    this.#deps = deps
  }

  /**
   * Resolves once the request is within the limits and being served, one waiter at a time; undefined where it is
   * already. Two of the largest blocks are within the limits: while one is sent the next is read.
   */
  admit(incoming: IncomingRequest, handler: Server, signal: AbortSignal): Promise<void> | undefined {
    const bytes = incoming.refusal === undefined ? incoming.request.sizeBytes : 0
    if (!this.#hasRoom(bytes)) return this.#admitLater(incoming, bytes, handler, signal)
    this.#begin(incoming, bytes, handler, signal)
    return undefined
  }

  #hasRoom(bytes: number): boolean {
    const bytesMax = Math.max(OPEN_BYTES_MAX, 2 * bytes)
    return this.#open.size < OPEN_COUNT_MAX && this.#openBytes + bytes <= bytesMax
  }

  async #admitLater(incoming: IncomingRequest, bytes: number, handler: Server, signal: AbortSignal): Promise<void> {
    while (!this.#hasRoom(bytes)) await this.#freed.wait(signal)
    this.#begin(incoming, bytes, handler, signal)
  }

  #begin(incoming: IncomingRequest, bytes: number, handler: Server, signal: AbortSignal): void {
    this.#openBytes += bytes
    const served = this.#serve(incoming, handler, signal).finally(() => {
      this.#open.delete(served)
      this.#openBytes -= bytes
      this.#freed.ring()
    })
    this.#open.add(served)
  }

  /** Resolves when nothing is being served. */
  async settled(): Promise<void> {
    await Promise.all(this.#open)
  }

  /** Never rejects: an exception of the handler becomes a refusal, and a failed response means a closed connection. */
  async #serve({ id, request, refusal }: IncomingRequest, handler: Server, signal: AbortSignal): Promise<void> {
    let reply: BlockReply = { kind: 'refused', code: refusal ?? 'generic' }
    try {
      if (refusal === undefined) reply = await handler.request(request, signal)
    } catch (error) {
      if (signal.aborted) return
      const what = `a block of ${quoted(request.name)} in ${quoted(request.folder)}`
      this.#deps.logger.warn(`Could not serve ${what} to ${this.#deps.device}: ${messageOf(error)}`)
    }
    await this.#deps.respond(id, reply).catch(() => {}) // the reason is in the `closed` signal
  }
}
