import type { Compression } from '../core/config/config.ts'
import { detach, messageOf } from '../core/errors.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { TlsStream } from '../platform/net.ts'
import type { ByteReader } from './byte-reader.ts'
import { writeClusterConfig } from './cluster-config.ts'
import { ProtocolError } from '../core/wire/errors.ts'
import { ConnectionClosed } from './errors.ts'
import { writeClose, writeDownloadProgress, writeRequest, writeResponse } from './exchange.ts'
import type { Body } from './body.ts'
import { writeFrame } from './frame.ts'
import type { HelloResult } from './hello.ts'
import { writeIndex } from './index-data.ts'
import { MessageCounter } from './message-counter.ts'
import type { MessageMemory } from './message-memory.ts'
import type { MessageType } from './messages.ts'
import { Outbox, type Lane } from './outbox.ts'
import { IdleTimeouts } from './idle-timeouts.ts'
import { PendingRequests } from './pending-requests.ts'
import { Receiver } from './receiver.ts'
import { RequestService } from './request-service.ts'
import type {
  BlockReply,
  BlockRequest,
  ClusterConfig,
  Connection,
  DownloadUpdate,
  Hello,
  IndexData,
  ProtocolHandler,
} from './types.ts'

const CLOSE_MS_MAX = 10_000

export interface ConnectionDeps {
  readonly clock: Clock
  readonly logger: Logger
  /** Shared by all connections. */
  readonly memory: MessageMemory
}

export interface ConnectionOptions {
  readonly device: DeviceId
  readonly connectionId: string
  readonly transport: string
  readonly remoteAddress: string
  readonly isLocal: boolean
  readonly crypto: string
  readonly priority: number
  readonly compression: Compression
}

/**
 * A connection after the Hello exchange. Sends messages and closes; a loop checks timeouts. `Receiver` reads, and calls
 * the handler; requests of the peer are served in parallel. Owns the stream.
 */
export class ProtocolConnection implements Connection {
  readonly device: DeviceId
  readonly connectionId: string
  readonly hello: Hello
  readonly transport: string
  readonly remoteAddress: string
  readonly isLocal: boolean
  readonly crypto: string
  readonly establishedMs: number
  readonly priority: number
  readonly messages = new MessageCounter()
  readonly #compression: Compression
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #stream: TlsStream
  readonly #incoming: ByteReader
  readonly #receiver: Receiver
  readonly #outbox: Outbox
  readonly #pending = new PendingRequests()
  readonly #service: RequestService
  readonly #timeouts: IdleTimeouts
  readonly #stop = new AbortController()
  #running = false
  /** Whether our ClusterConfig has been queued. */
  #isConfigSent = false
  #closing: Promise<void> | undefined
  #disposal: Promise<void> | undefined

  constructor(deps: ConnectionDeps, stream: TlsStream, helloResult: HelloResult, options: ConnectionOptions) {
    this.device = options.device
    this.connectionId = options.connectionId
    this.hello = helloResult.hello
    this.transport = options.transport
    this.remoteAddress = options.remoteAddress
    this.isLocal = options.isLocal
    this.crypto = options.crypto
    this.priority = options.priority
    this.establishedMs = deps.clock.nowMs()
    this.#compression = options.compression
    this.#clock = deps.clock
    this.#logger = deps.logger
    this.#stream = stream
    this.#incoming = helloResult.incoming
    const nowMs = () => deps.clock.monotonicMs()
    this.#outbox = new Outbox({ stream, nowMs, onFailure: (error) => this.#end(error) })
    this.#timeouts = new IdleTimeouts(deps.clock, this.#incoming, this.#outbox)
    const respond = (id: number, reply: BlockReply) => this.#respond(id, reply)
    this.#service = new RequestService({ device: options.device, logger: deps.logger, respond })
    this.#receiver = new Receiver({
      device: options.device,
      clock: deps.clock,
      memory: deps.memory,
      messages: this.messages,
      incoming: this.#incoming,
      pending: this.#pending,
      service: this.#service,
      closed: this.closed,
      onProgress: (midFrame) => void (this.#timeouts.midFrame = midFrame),
      onClose: (reason) => this.close(reason),
      onFailure: (error) => this.#fail(error),
    })
  }

  get inBytesTotal(): number {
    return this.#incoming.totalBytes
  }

  get outBytesTotal(): number {
    return this.#outbox.totalBytes
  }

  get idleMs(): number {
    const { waitingSinceMs } = this.#incoming
    return waitingSinceMs === undefined ? 0 : this.#clock.monotonicMs() - waitingSinceMs
  }

  get closed(): AbortSignal {
    return this.#stop.signal
  }

  async run(handler: ProtocolHandler): Promise<void> {
    if (this.#running) throw new Error('a connection can run only once')
    this.#running = true
    await Promise.all([this.#receiver.run(handler), this.#watch()])
    await this.#service.settled()
    await this.#closing
    await this.#disposal
  }

  async clusterConfig(config: ClusterConfig): Promise<void> {
    this.#isConfigSent = true
    await this.#send('ordered', 'ClusterConfig', [writeClusterConfig(config)])
  }

  async index(data: IndexData): Promise<void> {
    await this.#send('ordered', 'Index', [writeIndex({ ...data, prevSequence: 0 })])
  }

  async indexUpdate(data: IndexData): Promise<void> {
    await this.#send('ordered', 'IndexUpdate', [writeIndex(data)])
  }

  async downloadProgress(folder: string, updates: readonly DownloadUpdate[]): Promise<void> {
    await this.#send('ordered', 'DownloadProgress', [writeDownloadProgress(folder, updates)])
  }

  request(request: BlockRequest, signal: AbortSignal): Promise<Uint8Array> {
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.closed.aborted) return Promise.reject(this.closed.reason)
    const { id, response } = this.#pending.open(request.into, signal)
    const body: Body = [writeRequest(id, request)]
    this.#outbox.post('fast', writeFrame('Request', body, this.#compression), {
      isWanted: () => this.#countWanted(body, this.#pending.has(id)),
      onFailed: (error) => this.#pending.fail(id, error),
    })
    return response
  }

  close(reason: string): Promise<void> {
    this.#closing ??= this.#sendClose(reason)
    return this.#closing
  }

  async #send(lane: Lane, type: MessageType, body: Body): Promise<void> {
    // The fast lane of the outbox waits for it anyway.
    if (!this.#isConfigSent && lane !== 'fast') throw new Error(`${type} before our own ClusterConfig`)
    const isWanted = () => this.#countWanted(body, true)
    await this.#outbox.send(lane, writeFrame(type, body, this.#compression), isWanted)
  }

  /** Counts a message that is about to be written. */
  #countWanted(body: Body, isWanted: boolean): boolean {
    if (isWanted) this.messages.onSent(body)
    return isWanted
  }

  /** Resolves when the response is sent and its memory is free. */
  async #respond(id: number, reply: BlockReply): Promise<void> {
    await this.#send('fast', 'Response', writeResponse(id, reply))
    if (reply.kind === 'refused' || reply.releaseBuffer === undefined || this.#stream.consumed === undefined) return
    await this.#stream.consumed()
    reply.releaseBuffer()
  }

  /** Sends pings and enforces the timeouts. Ends with the connection; never rejects. */
  async #watch(): Promise<void> {
    try {
      for (;;) {
        await this.#clock.sleep(this.#timeouts.nextCheckMs, this.closed)
        if (this.#timeouts.isTimedOut) throw new ConnectionClosed('read timeout')
        if (this.#isConfigSent && this.#timeouts.isPingDue) await this.#send('fast', 'Ping', [new Uint8Array(0)])
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Sends a Close for a violation; ends without one otherwise. A close in progress is not interrupted. */
  #fail(error: unknown): void {
    if (this.closed.aborted || this.#closing !== undefined) return
    if (error instanceof ProtocolError && error.kind === 'violation') detach(this.close(error.message))
    else this.#end(error)
  }

  async #sendClose(reason: string): Promise<void> {
    const closed = new ConnectionClosed(reason)
    const done = new AbortController()
    const pieces = writeFrame('Close', [writeClose(reason)], this.#compression)
    try {
      await Promise.race([this.#outbox.finish(pieces, closed), this.#clock.sleep(CLOSE_MS_MAX, done.signal)])
    } catch {
      // the stream has failed: a Close cannot be delivered
    }
    done.abort()
    this.#end(closed)
    await this.#disposal
  }

  #end(error: unknown): void {
    if (this.closed.aborted) return
    const reason = error instanceof ConnectionClosed ? error : new ConnectionClosed(messageOf(error), { cause: error })
    this.#logger.debug(() => `Connection ${this.connectionId} to ${this.device} ended: ${reason.message}`)
    this.#outbox.end(reason)
    this.#pending.failAll(reason)
    this.#stop.abort(reason)
    this.#disposal = this.#dispose()
  }

  async #dispose(): Promise<void> {
    try {
      await this.#stream[Symbol.asyncDispose]()
    } catch (error) {
      this.#logger.debug(() => `Could not close the stream to ${this.device}: ${messageOf(error)}`)
    }
  }
}
