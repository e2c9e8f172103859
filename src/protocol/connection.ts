import type { Compression } from '../core/config/config.ts'
import { messageOf } from '../core/errors.ts'
import type { DeviceId } from '../core/ids.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { TlsStream } from '../platform/net.ts'
import type { ByteReader } from './byte-reader.ts'
import { readClusterConfig, writeClusterConfig } from './cluster-config.ts'
import { ConnectionClosed, ProtocolError, violation } from './errors.ts'
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
import { readFrame, writeFrame, type Body, type Frame, type FrameListener } from './frame.ts'
import type { Greeting } from './hello.ts'
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

const FAREWELL_MS_MAX = 10_000

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
 * A connection to a device that said hello. One loop reads, one acts on what was read in order, one watches the time;
 * requests of the peer are served side by side. Owns the stream from its construction on.
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
  readonly #patience: IdleTimeouts
  readonly #stop = new AbortController()
  #running = false
  /** We have introduced ourselves; the peer has. */
  #weAreReady = false
  #peerIsReady = false
  #farewell: Promise<void> | undefined
  #disposal: Promise<void> | undefined

  constructor(deps: ConnectionDeps, stream: TlsStream, greeting: Greeting, options: ConnectionOptions) {
    this.device = options.device
    this.connectionId = options.connectionId
    this.hello = greeting.hello
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
    this.#incoming = greeting.incoming
    const nowMs = () => deps.clock.monotonicMs()
    this.#outbox = new Outbox({ stream, nowMs, onFailure: (error) => this.#end(error) })
    this.#patience = new IdleTimeouts(deps.clock, this.#incoming, this.#outbox)
    const answer = (id: number, reply: BlockReply) => this.#answer(id, reply)
    this.#service = new RequestService({ device: options.device, logger: deps.logger, answer })
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
    if (this.#running) throw new Error('a connection runs once')
    this.#running = true
    await Promise.all([this.#readAll(), this.#dispatchAll(handler), this.#watch()])
    await this.#service.settled()
    await this.#farewell
    await this.#disposal
  }

  async clusterConfig(config: ClusterConfig): Promise<void> {
    this.#weAreReady = true
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
    const { id, answer } = this.#pending.open(request.into, signal)
    const sent = this.#send('fast', 'Request', [writeRequest(id, request)], () => this.#pending.has(id))
    sent.catch((error: unknown) => this.#pending.fail(id, error))
    return await answer
  }

  close(reason: string): Promise<void> {
    this.#farewell ??= this.#sayGoodbye(reason)
    return this.#farewell
  }

  async #send(lane: Lane, type: MessageType, body: Body, isWanted?: () => boolean): Promise<void> {
    // What is fast waits for it by itself.
    if (!this.#weAreReady && lane !== 'fast') throw new Error(`${type} before our own ClusterConfig`)
    await this.#outbox.send(lane, writeFrame(type, body, this.#compression), isWanted)
    this.#metrics.countSent(type)
  }

  /** Resolves when the answer is on its way and its memory is free. */
  async #answer(id: number, reply: BlockReply): Promise<void> {
    await this.#send('fast', 'Response', writeResponse(id, reply))
    if (reply.kind === 'refused' || reply.giveBack === undefined || this.#stream.consumed === undefined) return
    await this.#stream.consumed()
    reply.giveBack()
  }

  /** Ends with the connection; never rejects. */
  async #readAll(): Promise<void> {
    const listener: FrameListener = {
      onProgress: (midFrame) => void (this.#patience.midFrame = midFrame),
      placeFor: (id, dataBytes) => this.#pending.placeFor(id, dataBytes),
    }
    try {
      for (;;) {
        await this.#inbox.whenRoom(this.closed)
        const frame = await readFrame(this.#incoming, listener)
        if (frame === undefined) return this.#inbox.end()
        this.#metrics.countReceived(frame.type)
        this.#receive(frame)
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  /** Answers are for whoever waits, and nothing overtakes them; all else is dealt with in order. */
  #receive(frame: Frame): void {
    const fault = this.#peerIsReady ? undefined : stateFault(frame)
    if (fault !== undefined) throw violation(fault)
    if (frame.type === 'ClusterConfig') this.#peerIsReady = true
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
        if (frame === undefined) throw new ConnectionClosed('the device hung up')
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

  /** What a handler refuses ends the connection, with what was being handled and why. */
  async #handle(what: string, act: () => Promise<void>): Promise<void> {
    this.closed.throwIfAborted()
    try {
      await act()
    } catch (error) {
      this.closed.throwIfAborted()
      throw violation(`handling ${what}: ${messageOf(error)}`)
    }
  }

  /** Breaks our silence and ends theirs. Ends with the connection; never rejects. */
  async #watch(): Promise<void> {
    try {
      for (;;) {
        await this.#clock.sleep(this.#patience.nextCheckMs, this.closed)
        if (this.#patience.isTimedOut) throw new ConnectionClosed('read timeout')
        if (this.#weAreReady && this.#patience.isPingDue) await this.#send('fast', 'Ping', [new Uint8Array(0)])
      }
    } catch (error) {
      this.#fail(error)
    }
  }

  /** A violation is told to the peer, everything else just ends. A farewell under way is not cut short. */
  #fail(error: unknown): void {
    if (this.closed.aborted || this.#farewell !== undefined) return
    if (error instanceof ProtocolError && error.kind === 'violation') void this.close(error.message)
    else this.#end(error)
  }

  async #sayGoodbye(reason: string): Promise<void> {
    const closed = new ConnectionClosed(reason)
    const done = new AbortController()
    const pieces = writeFrame('Close', [writeClose(reason)], this.#compression)
    try {
      await Promise.race([this.#outbox.finish(pieces, closed), this.#clock.sleep(FAREWELL_MS_MAX, done.signal)])
    } catch {
      // the stream is gone: nobody is left to say it to
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
      this.#logger.debug(() => `Could not hang up on ${this.device}: ${messageOf(error)}`)
    }
  }
}
