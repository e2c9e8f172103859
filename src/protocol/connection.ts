import type { Compression } from '../core/config/config.ts'
import { messageOf } from '../core/errors.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { TlsStream } from '../platform/net.ts'
import type { ByteReader } from './byte-reader.ts'
import { readClusterConfig, writeClusterConfig } from './cluster-config.ts'
import { ProtocolError, violation } from '../core/wire/errors.ts'
import { ConnectionClosed } from './errors.ts'
import {
  readClose,
  readDownloadProgress,
  readRequest,
  readResponse,
  writeClose,
  writeDownloadProgress,
  writeRequest,
  writeResponse,
} from './exchange.ts'
import type { Body } from './body.ts'
import { readFrame, writeFrame, type Frame, type FrameListener } from './frame.ts'
import type { HelloResult } from './hello.ts'
import { Inbox } from './inbox.ts'
import { readIndex, writeIndex } from './index-data.ts'
import type { MessageType } from './messages.ts'
import { ProtocolMetrics } from './metrics.ts'
import { Outbox, type Lane } from './outbox.ts'
import { IdleTimeouts } from './idle-timeouts.ts'
import { PendingRequests } from './pending-requests.ts'
import { RequestService } from './request-service.ts'
import { stateFault } from './state.ts'
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
  readonly metrics?: ProtocolMetrics
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
 * A connection after the Hello exchange. One loop reads, one dispatches messages in order, one checks timeouts;
 * requests of the peer are served in parallel. Owns the stream.
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
  readonly #compression: Compression
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #metrics: ProtocolMetrics
  readonly #stream: TlsStream
  readonly #incoming: ByteReader
  readonly #outbox: Outbox
  readonly #inbox = new Inbox()
  readonly #pending = new PendingRequests()
  readonly #service: RequestService
  readonly #timeouts: IdleTimeouts
  readonly #stop = new AbortController()
  #running = false
  /** Whether our ClusterConfig has been queued, and whether the peer's has been received. */
  #isConfigSent = false
  #isConfigReceived = false
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
    this.#metrics = deps.metrics ?? new ProtocolMetrics()
    this.#stream = stream
    this.#incoming = helloResult.incoming
    const nowMs = () => deps.clock.monotonicMs()
    this.#outbox = new Outbox({ stream, nowMs, onFailure: (error) => this.#end(error) })
    this.#timeouts = new IdleTimeouts(deps.clock, this.#incoming, this.#outbox)
    const respond = (id: number, reply: BlockReply) => this.#respond(id, reply)
    this.#service = new RequestService({ device: options.device, logger: deps.logger, respond })
  }

  get inBytesTotal(): number {
    return this.#incoming.totalBytes
  }

  get outBytesTotal(): number {
    return this.#outbox.totalBytes
  }

  get silentMs(): number {
    const { waitingSinceMs } = this.#incoming
    return waitingSinceMs === undefined ? 0 : this.#clock.monotonicMs() - waitingSinceMs
  }

  get closed(): AbortSignal {
    return this.#stop.signal
  }

  async run(handler: ProtocolHandler): Promise<void> {
    if (this.#running) throw new Error('a connection can run only once')
    this.#running = true
    await Promise.all([this.#readAll(), this.#dispatchAll(handler), this.#watch()])
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

  async request(request: BlockRequest, signal: AbortSignal): Promise<Uint8Array> {
    signal.throwIfAborted()
    this.closed.throwIfAborted()
    const { id, response } = this.#pending.open(request.into, signal)
    const sent = this.#send('fast', 'Request', [writeRequest(id, request)], () => this.#pending.has(id))
    sent.catch((error: unknown) => this.#pending.fail(id, error))
    return await response
  }

  close(reason: string): Promise<void> {
    this.#closing ??= this.#sendClose(reason)
    return this.#closing
  }

  async #send(lane: Lane, type: MessageType, body: Body, isWanted?: () => boolean): Promise<void> {
    // The fast lane of the outbox waits for it anyway.
    if (!this.#isConfigSent && lane !== 'fast') throw new Error(`${type} before our own ClusterConfig`)
    await this.#outbox.send(lane, writeFrame(type, body, this.#compression), isWanted)
    this.#metrics.countSent(type)
  }

  /** Resolves when the response is sent and its memory is free. */
  async #respond(id: number, reply: BlockReply): Promise<void> {
    await this.#send('fast', 'Response', writeResponse(id, reply))
    if (reply.kind === 'refused' || reply.releaseBuffer === undefined || this.#stream.consumed === undefined) return
    await this.#stream.consumed()
    reply.releaseBuffer()
  }

  /** Ends with the connection; never rejects. */
  async #readAll(): Promise<void> {
    const listener: FrameListener = {
      onProgress: (midFrame) => void (this.#timeouts.midFrame = midFrame),
      bufferFor: (id, dataBytes) => this.#pending.bufferFor(id, dataBytes),
    }
    try {
      for (;;) {
        await this.#inbox.whenReady(this.closed)
        const frame = await readFrame(this.#incoming, listener)
        if (frame === undefined) return this.#inbox.end()
        this.#metrics.countReceived(frame.type)
        this.#receive(frame)
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Responses settle pending requests immediately; all other messages are queued in order. */
  #receive(frame: Frame): void {
    const fault = this.#isConfigReceived ? undefined : stateFault(frame)
    if (fault !== undefined) throw violation(fault)
    if (frame.type === 'ClusterConfig') this.#isConfigReceived = true
    if (frame.placed !== undefined) {
      this.#pending.settle(frame.placed.id, { kind: 'data', data: frame.placed.data })
    } else if (frame.type === 'Response') {
      const { id, reply } = readResponse(frame.body)
      this.#pending.settle(id, reply)
    } else if (frame.type !== 'Ping') this.#inbox.put(frame)
  }

  /** Ends with the connection; never rejects. */
  async #dispatchAll(handler: ProtocolHandler): Promise<void> {
    try {
      for (;;) {
        const frame = await this.#inbox.take(this.closed)
        if (frame === undefined) throw new ConnectionClosed('connection closed by the device')
        await this.#dispatch(frame, handler)
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  async #dispatch({ type, body }: Frame, handler: ProtocolHandler): Promise<void> {
    switch (type) {
      case 'ClusterConfig': {
        const config = readClusterConfig(body)
        return this.#handle('cluster-config', () => handler.clusterConfig(config))
      }
      case 'Index': {
        let isFirst = true
        for (const data of readIndex(body, 'index')) {
          const take = isFirst ? handler.index.bind(handler) : handler.indexUpdate.bind(handler)
          await this.#handle(`index for ${data.folder}`, () => take(data))
          isFirst = false
        }
        return
      }
      case 'IndexUpdate': {
        for (const data of readIndex(body, 'index update')) {
          await this.#handle(`index update for ${data.folder}`, () => handler.indexUpdate(data))
        }
        return
      }
      case 'Request':
        return this.#service.admit(readRequest(body), handler, this.closed)
      case 'DownloadProgress': {
        const { folder, updates } = readDownloadProgress(body)
        return this.#handle(`download-progress for ${folder}`, () => handler.downloadProgress(folder, updates))
      }
      case 'Close':
        return this.close(`closed by remote: ${readClose(body)}`)
      case 'Response':
      case 'Ping':
        return
    }
  }

  /** An exception of the handler closes the connection; the reason names the message. */
  async #handle(what: string, act: () => Promise<void>): Promise<void> {
    this.closed.throwIfAborted()
    try {
      await act()
    } catch (error) {
      this.closed.throwIfAborted()
      throw violation(`handling ${what}: ${messageOf(error)}`)
    }
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
    if (error instanceof ProtocolError && error.kind === 'violation') void this.close(error.message)
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
