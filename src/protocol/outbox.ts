import { detach } from '../core/errors.ts'
import type { TlsStream } from '../platform/net.ts'

/** `ordered` preserves the order; `fast` has priority, because each of its messages is latency-sensitive. */
export type Lane = 'ordered' | 'fast'

/** Fast messages sent in a row while an ordered one is queued. */
const FAST_IN_A_ROW_MAX = 8
/** Larger messages are written in pieces, so that a slow connection shows progress. Most blocks fit into one. */
const PIECE_BYTES_MAX = (1024 + 4) * 1024

interface Job {
  readonly pieces: readonly Uint8Array[]
  readonly isWanted: () => boolean
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
}

export interface OutboxDeps {
  readonly stream: Pick<TlsStream, 'write'>
  nowMs(): number
  /** A write has failed. */
  onFailure(error: unknown): void
}

/**
 * Writes messages one at a time. `send` resolves when the stream has accepted the message, which bounds the queue by
 * the number of callers. The first ordered message, the ClusterConfig, is sent before all others.
 */
export class Outbox {
  readonly #deps: OutboxDeps
  readonly #lanes: Readonly<Record<Lane, Job[]>> = { ordered: [], fast: [] }
  #isStarted = false
  #fastInARow = 0
  #pumping = false
  #ended: { readonly reason: unknown } | undefined
  #totalBytes = 0
  #writingSinceMs: number | undefined
  #lastWrittenMs: number

  constructor(deps: OutboxDeps) {
    this.#deps = deps
    this.#lastWrittenMs = deps.nowMs()
  }

  get totalBytes(): number {
    return this.#totalBytes
  }

  /** Since when a write has been pending; undefined without one. */
  get writingSinceMs(): number | undefined {
    return this.#writingSinceMs
  }

  get lastWrittenMs(): number {
    return this.#lastWrittenMs
  }

  /** Skips the message when `isWanted` is false at the time of the write. */
  send(lane: Lane, pieces: readonly Uint8Array[], isWanted: () => boolean = () => true): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended.reason)
    return this.#enqueue(lane, pieces, isWanted)
  }

  /** Sends one last message after the one in progress; all queued messages are rejected with the reason. */
  async finish(pieces: readonly Uint8Array[], reason: unknown): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended.reason
    this.end(reason)
    this.#isStarted = true
    await this.#enqueue('fast', pieces, () => true)
  }

  /** Rejects all queued and future messages. */
  end(reason: unknown): void {
    this.#ended ??= { reason }
    for (const lane of Object.values(this.#lanes)) {
      for (const job of lane.splice(0)) job.reject(reason)
    }
  }

  #enqueue(lane: Lane, pieces: readonly Uint8Array[], isWanted: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#lanes[lane].push({ pieces, isWanted, resolve, reject })
    if (!this.#pumping) detach(this.#pump())
    return promise
  }

  /** Never rejects: a failed write ends the outbox. */
  async #pump(): Promise<void> {
    this.#pumping = true
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      try {
        if (job.isWanted()) for (const piece of job.pieces) await this.#write(piece)
        job.resolve()
      } catch (error) {
        this.#deps.onFailure(error) // may call `end` with a more specific reason
        this.end(error)
        job.reject(this.#ended?.reason)
      }
    }
    this.#pumping = false
  }

  #next(): Job | undefined {
    const { ordered, fast } = this.#lanes
    const isOrderedNext = !this.#isStarted || fast.length === 0 || this.#fastInARow >= FAST_IN_A_ROW_MAX
    const job = isOrderedNext ? ordered.shift() : undefined
    if (job !== undefined) {
      this.#isStarted = true
      this.#fastInARow = 0
      return job
    }
    if (!this.#isStarted || fast.length === 0) return undefined
    this.#fastInARow++
    return fast.shift()
  }

  async #write(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length; at += PIECE_BYTES_MAX) {
      const part = piece.length <= PIECE_BYTES_MAX ? piece : piece.subarray(at, at + PIECE_BYTES_MAX)
      this.#writingSinceMs = this.#deps.nowMs()
      try {
        await this.#deps.stream.write(part)
      } finally {
        this.#writingSinceMs = undefined
        this.#lastWrittenMs = this.#deps.nowMs()
      }
      this.#totalBytes += part.length
    }
  }
}
