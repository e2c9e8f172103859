import { detach } from '../core/errors.ts'
import type { TlsStream } from '../platform/net.ts'

/** `ordered` preserves the order; `fast` has priority, because each of its messages is latency-sensitive. */
export type Lane = 'ordered' | 'fast'

/** Fast messages sent in a row while an ordered one is queued. */
const FAST_IN_A_ROW_MAX = 8
/** Larger messages are written in pieces, so that a slow connection shows progress. Most blocks fit into one. */
const PIECE_BYTES_MAX = (1024 + 4) * 1024

/** A message, and what is called about it. */
export interface Posted {
  /** At the time of the write: the message is skipped where it is false. */
  isWanted(): boolean
  /** The stream has accepted the message, or it was skipped. */
  onAccepted?(): void
  onFailed(error: unknown): void
}

interface Job {
  readonly pieces: readonly Uint8Array[]
  readonly posted: Posted
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
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.post(lane, pieces, { isWanted, onAccepted: resolve, onFailed: reject })
    return promise
  }

  /** The same without a promise. */
  post(lane: Lane, pieces: readonly Uint8Array[], posted: Posted): void {
    if (this.#ended !== undefined) return posted.onFailed(this.#ended.reason)
    this.#enqueue(lane, { pieces, posted })
  }

  /** Sends one last message after the one in progress; all queued messages are rejected with the reason. */
  async finish(pieces: readonly Uint8Array[], reason: unknown): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended.reason
    this.end(reason)
    this.#isStarted = true
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#enqueue('fast', { pieces, posted: { isWanted: () => true, onAccepted: resolve, onFailed: reject } })
    await promise
  }

  /** Rejects all queued and future messages. */
  end(reason: unknown): void {
    this.#ended ??= { reason }
    for (const lane of Object.values(this.#lanes)) {
      for (const { posted } of lane.splice(0)) posted.onFailed(reason)
    }
  }

  #enqueue(lane: Lane, job: Job): void {
    this.#lanes[lane].push(job)
    if (!this.#pumping) detach(this.#pump())
  }

  /** Never rejects: a failed write ends the outbox. */
  async #pump(): Promise<void> {
    this.#pumping = true
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      const { pieces, posted } = job
      try {
        if (posted.isWanted()) {
          for (const piece of pieces) {
            const writing = this.#write(piece)
            if (writing !== undefined) await writing
          }
        }
        posted.onAccepted?.()
      } catch (error) {
        this.#writingSinceMs = undefined
        this.#deps.onFailure(error) // may call `end` with a more specific reason
        this.end(error)
        posted.onFailed(this.#ended?.reason)
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

  /** Undefined where the stream has accepted the piece at once: a promise for each message would cost more. */
  #write(piece: Uint8Array): Promise<void> | undefined {
    if (piece.length > PIECE_BYTES_MAX) return this.#writeParts(piece)
    if (piece.length === 0) return undefined
    this.#writingSinceMs = this.#deps.nowMs()
    const writing = this.#deps.stream.write(piece)
    if (writing !== undefined) return this.#accepted(writing, piece.length)
    this.#noteWritten(piece.length)
    return undefined
  }

  async #accepted(writing: Promise<void>, bytes: number): Promise<void> {
    await writing
    this.#noteWritten(bytes)
  }

  #noteWritten(bytes: number): void {
    this.#writingSinceMs = undefined
    this.#lastWrittenMs = this.#deps.nowMs()
    this.#totalBytes += bytes
  }

  async #writeParts(piece: Uint8Array): Promise<void> {
    for (let at = 0; at < piece.length; at += PIECE_BYTES_MAX)
      await this.#write(piece.subarray(at, at + PIECE_BYTES_MAX))
  }
}
