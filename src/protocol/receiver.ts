import { messageOf } from '../core/errors.ts'
import type { DeviceId } from '../core/ids.ts'
import { violation } from '../core/wire/errors.ts'
import type { Clock } from '../platform/clock.ts'
import { TimeSlice } from '../sync/time-slice.ts'
import { turnsOf } from '../sync/turns.ts'
import type { ByteReader } from './byte-reader.ts'
import { readClusterConfig } from './cluster-config.ts'
import { ConnectionClosed } from './errors.ts'
import { readClose, readDownloadProgress, readProgressEnvelope, readRequest, readResponse } from './exchange.ts'
import { readFrame, unpackBody, type Frame, type FrameListener } from './frame.ts'
import { Inbox } from './inbox.ts'
import { firstFolder, readIndex, readIndexEnvelope, type IndexKind } from './index-data.ts'
import type { MessageCounter } from './message-counter.ts'
import type { MessageMemory } from './message-memory.ts'
import type { MessageType } from './messages.ts'
import type { PendingRequests } from './pending-requests.ts'
import type { RequestService } from './request-service.ts'
import { stateFault } from './state.ts'
import { inSlices, type Steps } from './steps.ts'
import type { ProtocolHandler } from './types.ts'

/** Other work runs after messages of this total cost, even if none of them is handled in steps. */
const PAUSE_BYTES = 1024 * 1024
/** The cost of a message besides its bytes. */
const MESSAGE_BYTES = 4 * 1024

export interface ReceiverDeps {
  readonly device: DeviceId
  readonly clock: Clock
  readonly memory: MessageMemory
  readonly messages: MessageCounter
  readonly incoming: ByteReader
  readonly pending: PendingRequests
  readonly service: RequestService
  /** Aborts when the connection has ended. */
  readonly closed: AbortSignal
  /** Whether the peer is in the middle of a message. */
  onProgress(midFrame: boolean): void
  /** The peer sent a Close with this reason. */
  onClose(reason: string): Promise<void>
  /** Reading or handling a message failed, or the peer has ended the stream. */
  onFailure(error: unknown): void
}

/** The receiving half of a connection: one loop reads messages, one decodes them and calls the handler in order. */
export class Receiver {
  readonly #deps: ReceiverDeps
  readonly #inbox = new Inbox()
  /** Memory of messages that are being read, queued or handled. */
  readonly #reserved = new Set<Disposable>()
  readonly #slice: TimeSlice
  /** Since the last pause. */
  #handledBytes = 0
  #isConfigReceived = false

  constructor(deps: ReceiverDeps) {
    this.#deps = deps
    this.#slice = this.#newSlice()
  }

  /** Ends with the connection; never rejects. */
  async run(handler: ProtocolHandler): Promise<void> {
    await Promise.all([this.#readAll(), this.#dispatchAll(handler)])
    for (const reserved of this.#reserved) reserved[Symbol.dispose]() // of messages that were not handled
  }

  async #readAll(): Promise<void> {
    const { incoming, pending, closed, onProgress, onFailure } = this.#deps
    const listener: FrameListener = {
      onProgress,
      bufferFor: (id, dataBytes) => pending.bufferFor(id, dataBytes),
      reserve: (lengthBytes) => this.#reserve(lengthBytes),
    }
    try {
      for (;;) {
        if (!this.#inbox.isReady) await this.#inbox.whenReady(closed)
        const frame = await readFrame(incoming, listener)
        if (frame === undefined) return this.#inbox.end()
        const settling = this.#receive(frame)
        if (settling !== undefined) await settling
      }
    } catch (error) {
      onFailure(error)
    }
  }

  #reserve(lengthBytes: number): Promise<Disposable> | undefined {
    const { device, memory, closed } = this.#deps
    const holding = memory.received.acquire(device, lengthBytes, closed)
    return holding && this.#reserveHeld(holding)
  }

  async #reserveHeld(holding: Promise<Disposable>): Promise<Disposable> {
    const held = await holding
    const reserved: Disposable = {
      [Symbol.dispose]: () => {
        this.#reserved.delete(reserved)
        held[Symbol.dispose]()
      },
    }
    this.#reserved.add(reserved)
    return reserved
  }

  /** Responses settle pending requests immediately; all other messages are queued in order. */
  #receive(frame: Frame): Promise<void> | undefined {
    const { pending, messages } = this.#deps
    messages.onReceived(frame)
    const fault = this.#isConfigReceived ? undefined : stateFault(frame)
    if (fault !== undefined) throw violation(fault)
    if (frame.type === 'ClusterConfig') this.#isConfigReceived = true
    if (frame.placed !== undefined) {
      pending.settle(frame.placed.id, { kind: 'data', data: frame.placed.data })
    } else if (frame.type === 'Response') return this.#settle(frame)
    else if (frame.type === 'Ping') frame.reserved?.[Symbol.dispose]()
    else this.#inbox.put(frame)
    return undefined
  }

  /** A response without a request is not even decompressed. */
  #settle(frame: Frame): Promise<void> | undefined {
    const { pending } = this.#deps
    if (pending.count > 0 && frame.unpackedBytes !== undefined) return this.#settlePacked(frame)
    using _received = frame.reserved
    if (pending.count === 0) return undefined
    const { id, reply } = readResponse(frame.body)
    pending.settle(id, reply)
    return undefined
  }

  async #settlePacked(frame: Frame): Promise<void> {
    using _received = frame.reserved
    using unpacked = await this.#unpack(frame)
    const { id, reply } = readResponse(unpacked.body)
    this.#deps.pending.settle(id, reply)
  }

  async #unpack(frame: Frame): Promise<Disposable & { readonly body: Uint8Array }> {
    const { device, memory, closed } = this.#deps
    using held = new DisposableStack()
    held.use(await memory.unpacked.acquire(device, frame.unpackedBytes ?? 0, closed))
    const body = await unpackBody(frame, this.#newSlice())
    const release = held.move()
    return { body, [Symbol.dispose]: () => release.dispose() }
  }

  async #dispatchAll(handler: ProtocolHandler): Promise<void> {
    const { closed, onFailure } = this.#deps
    try {
      for (;;) {
        const frame = this.#inbox.takeNow() ?? (await this.#inbox.take(closed))
        if (frame === undefined) throw new ConnectionClosed('connection closed by the device')
        using _received = frame.reserved
        using unpacked = frame.unpackedBytes === undefined ? undefined : await this.#unpack(frame)
        const body = unpacked?.body ?? frame.body
        const handling = this.#dispatch(frame.type, body, handler)
        if (handling !== undefined) await handling
        if (this.#isPauseDue(body.length)) await this.#slice.yield()
      }
    } catch (error) {
      onFailure(error)
    }
  }

  /** Many queued messages are handled within one turn of the event loop, if the handler does not wait. */
  #isPauseDue(bytes: number): boolean {
    this.#handledBytes += MESSAGE_BYTES + bytes
    if (this.#handledBytes < PAUSE_BYTES || !this.#slice.isDue) return false
    this.#handledBytes = 0
    return true
  }

  /** Undefined where the message is handled already. */
  #dispatch(type: MessageType, body: Uint8Array, handler: ProtocolHandler): Promise<void> | undefined {
    switch (type) {
      case 'ClusterConfig':
        return this.#dispatchConfig(body, handler)
      case 'Index':
        return this.#dispatchIndex(body, 'index', handler)
      case 'IndexUpdate':
        return this.#dispatchIndex(body, 'index update', handler)
      case 'Request':
        return this.#deps.service.admit(readRequest(body), handler, this.#deps.closed)
      case 'DownloadProgress':
        return this.#dispatchProgress(body, handler)
      case 'Close':
        return this.#deps.onClose(`closed by remote: ${readClose(body)}`)
      case 'Response':
      case 'Ping':
        return undefined
    }
  }

  async #dispatchConfig(body: Uint8Array, handler: ProtocolHandler): Promise<void> {
    const config = await inSlices(readClusterConfig(body), this.#newSlice())
    return this.#handle('cluster-config', () => handler.clusterConfig(config))
  }

  /** Whether the device may send this index is checked first. The records are decoded and delivered in parts. */
  async #dispatchIndex(body: Uint8Array, kind: IndexKind, handler: ProtocolHandler): Promise<void> {
    const { clock, closed } = this.#deps
    const accepts = (folder: string) => this.#handle(`${kind} for ${folder}`, () => handler.acceptsIndex(folder))
    const envelope = await acceptedEnvelope(body, readIndexEnvelope(body), accepts, this.#newSlice())
    if (envelope === undefined) return
    const slice = new TimeSlice(clock, closed, turnsOf(clock))
    const entering = slice.enter()
    if (entering !== undefined) await entering
    let isWhole = kind === 'index'
    for (const data of readIndex(body, envelope, kind)) {
      if (slice.isDue) await slice.yield()
      if (data === undefined) continue
      const isFirst = isWhole
      isWhole = false
      slice.leave()
      await this.#handle(`${kind} for ${data.folder}`, () =>
        isFirst ? handler.index(data) : handler.indexUpdate(data),
      )
      const again = slice.enter()
      if (again !== undefined) await again
    }
  }

  /** Whether the device may send it is checked first, as for an index. */
  async #dispatchProgress(body: Uint8Array, handler: ProtocolHandler): Promise<void> {
    const what = (folder: string) => `download-progress for ${folder}`
    const accepts = (folder: string) => this.#handle(what(folder), () => handler.acceptsDownloadProgress(folder))
    const envelope = await acceptedEnvelope(body, readProgressEnvelope(body), accepts, this.#newSlice())
    if (envelope === undefined) return
    const { folder, updates } = readDownloadProgress(body)
    await this.#handle(what(folder), () => handler.downloadProgress(folder, updates))
  }

  #newSlice(): TimeSlice {
    return new TimeSlice(this.#deps.clock, this.#deps.closed)
  }

  /** An exception of the handler closes the connection; the reason names the message. */
  async #handle<T>(what: string, act: () => Promise<T>): Promise<T> {
    const { closed } = this.#deps
    closed.throwIfAborted()
    try {
      return await act()
    } catch (error) {
      closed.throwIfAborted()
      throw violation(`handling ${what}: ${messageOf(error)}`)
    }
  }
}

/**
 * The fields of a message besides its costly content, if the device may send it for its folder; else undefined. Usually
 * the folder comes first and is all that is read of a refused message.
 */
async function acceptedEnvelope<E extends { readonly folder: string }>(
  body: Uint8Array,
  read: Steps<never, E>,
  accepts: (folder: string) => Promise<boolean>,
  slice: TimeSlice,
): Promise<E | undefined> {
  const first = firstFolder(body)
  if (first !== undefined && !(await accepts(first))) return undefined
  const envelope = await inSlices(read, slice)
  return envelope.folder === first || (await accepts(envelope.folder)) ? envelope : undefined
}
