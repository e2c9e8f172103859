import type { TlsStream } from '../platform/net.ts'

/** `ordered` keeps its order; `fast` goes before it, because somebody waits for every piece of it. */
export type Lane = 'ordered' | 'fast'

/** So many fast messages go before one of the ordered lane gets its turn. */
const FAST_IN_A_ROW_MAX = 8
/** The largest messages are handed over in pieces, so that a slow line shows that it moves. Most blocks go as a whole. */
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
  /** The stream takes no more. */
  onFailure(error: unknown): void
}

/**
 * Writes messages one at a time. Holds no more than its callers wait for: `send` resolves when the stream has taken
 * the message. The first message of the ordered lane goes before everything else, whatever is sent meanwhile.
 */
export class Outbox {
  readonly #deps: OutboxDeps
  readonly #lanes: Readonly<Record<Lane, Job[]>> = { ordered: [], fast: [] }
  #introduced = false
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

  /** Since when the stream has not taken what we gave it; undefined while we give it nothing. */
  get writingSinceMs(): number | undefined {
    return this.#writingSinceMs
  }

  get lastWrittenMs(): number {
    return this.#lastWrittenMs
  }

  /** What is no longer wanted when its turn comes is not sent. */
  send(lane: Lane, pieces: readonly Uint8Array[], isWanted: () => boolean = () => true): Promise<void> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended.reason)
    return this.#enqueue(lane, pieces, isWanted)
  }

  /** Sends one last message as soon as the one under way is through; everybody else is refused with the reason. */
  async finish(pieces: readonly Uint8Array[], reason: unknown): Promise<void> {
    if (this.#ended !== undefined) throw this.#ended.reason
    this.end(reason)
    this.#introduced = true
    await this.#enqueue('fast', pieces, () => true)
  }

  /** Refuses everything that waits, and all that comes. */
  end(reason: unknown): void {
    this.#ended ??= { reason }
    for (const lane of Object.values(this.#lanes)) {
      for (const job of lane.splice(0)) job.reject(reason)
    }
  }

  #enqueue(lane: Lane, pieces: readonly Uint8Array[], isWanted: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.#lanes[lane].push({ pieces, isWanted, resolve, reject })
    if (!this.#pumping) void this.#pump()
    return promise
  }

  /** Never rejects: what fails ends the outbox. */
  async #pump(): Promise<void> {
    this.#pumping = true
    for (let job = this.#next(); job !== undefined; job = this.#next()) {
      try {
        if (job.isWanted()) for (const piece of job.pieces) await this.#write(piece)
        job.resolve()
      } catch (error) {
        this.#deps.onFailure(error) // may end us with a better reason
        this.end(error)
        job.reject(this.#ended?.reason)
      }
    }
    this.#pumping = false
  }

  #next(): Job | undefined {
    const { ordered, fast } = this.#lanes
    const orderedTurn = !this.#introduced || fast.length === 0 || this.#fastInARow >= FAST_IN_A_ROW_MAX
    const job = orderedTurn ? ordered.shift() : undefined
    if (job !== undefined) {
      this.#introduced = true
      this.#fastInARow = 0
      return job
    }
    if (!this.#introduced) return undefined
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
