import { messageOf } from '../core/errors.ts'
import { violation } from '../core/wire/errors.ts'
import type { ByteReader } from './byte-reader.ts'
import { readClusterConfig } from './cluster-config.ts'
import { ConnectionClosed } from './errors.ts'
import { readClose, readDownloadProgress, readRequest, readResponse } from './exchange.ts'
import { readFrame, type Frame, type FrameListener } from './frame.ts'
import { Inbox } from './inbox.ts'
import { readIndex } from './index-data.ts'
import type { PendingRequests } from './pending-requests.ts'
import type { RequestService } from './request-service.ts'
import { stateFault } from './state.ts'
import type { ProtocolHandler } from './types.ts'

export interface ReceiverDeps {
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
  #isConfigReceived = false

  constructor(deps: ReceiverDeps) {
    this.#deps = deps
  }

  /** Ends with the connection; never rejects. */
  async run(handler: ProtocolHandler): Promise<void> {
    await Promise.all([this.#readAll(), this.#dispatchAll(handler)])
  }

  async #readAll(): Promise<void> {
    const { incoming, pending, closed, onProgress, onFailure } = this.#deps
    const listener: FrameListener = { onProgress, bufferFor: (id, dataBytes) => pending.bufferFor(id, dataBytes) }
    try {
      for (;;) {
        await this.#inbox.whenReady(closed)
        const frame = await readFrame(incoming, listener)
        if (frame === undefined) return this.#inbox.end()
        this.#receive(frame)
      }
    } catch (error) {
      onFailure(error)
    }
  }

  /** Responses settle pending requests immediately; all other messages are queued in order. */
  #receive(frame: Frame): void {
    const { pending } = this.#deps
    const fault = this.#isConfigReceived ? undefined : stateFault(frame)
    if (fault !== undefined) throw violation(fault)
    if (frame.type === 'ClusterConfig') this.#isConfigReceived = true
    if (frame.placed !== undefined) {
      pending.settle(frame.placed.id, { kind: 'data', data: frame.placed.data })
    } else if (frame.type === 'Response') {
      const { id, reply } = readResponse(frame.body)
      pending.settle(id, reply)
    } else if (frame.type !== 'Ping') this.#inbox.put(frame)
  }

  async #dispatchAll(handler: ProtocolHandler): Promise<void> {
    const { closed, onFailure } = this.#deps
    try {
      for (;;) {
        const frame = await this.#inbox.take(closed)
        if (frame === undefined) throw new ConnectionClosed('connection closed by the device')
        await this.#dispatch(frame, handler)
      }
    } catch (error) {
      onFailure(error)
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
        return this.#deps.service.admit(readRequest(body), handler, this.#deps.closed)
      case 'DownloadProgress': {
        const { folder, updates } = readDownloadProgress(body)
        return this.#handle(`download-progress for ${folder}`, () => handler.downloadProgress(folder, updates))
      }
      case 'Close':
        return this.#deps.onClose(`closed by remote: ${readClose(body)}`)
      case 'Response':
      case 'Ping':
        return
    }
  }

  /** An exception of the handler closes the connection; the reason names the message. */
  async #handle(what: string, act: () => Promise<void>): Promise<void> {
    const { closed } = this.#deps
    closed.throwIfAborted()
    try {
      await act()
    } catch (error) {
      closed.throwIfAborted()
      throw violation(`handling ${what}: ${messageOf(error)}`)
    }
  }
}
