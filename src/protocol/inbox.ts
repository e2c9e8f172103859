import { Wakeup } from '../sync/wakeup.ts'
import type { Frame } from './frame.ts'

/** Reading pauses above this size, which applies backpressure to the peer. The last message may exceed it. */
const QUEUED_BYTES_MAX = 4 * 1024 * 1024
const QUEUED_COUNT_MAX = 16_384
/** Memory of a queued message besides its bytes. */
const OVERHEAD_BYTES = 200

/** Queue of received messages between the read loop and the dispatch loop. */
export class Inbox {
  /** Without those that were taken: a queue that is never empty would keep their bytes. */
  #queue: (Frame | undefined)[] = []
  #next = 0
  #queuedBytes = 0
  #ended = false
  readonly #arrival = new Wakeup()
  readonly #drained = new Wakeup()

  put(frame: Frame): void {
    this.#queue.push(frame)
    this.#queuedBytes += frame.body.length + OVERHEAD_BYTES
    this.#arrival.ring()
  }

  /** Marks the end of the queue. */
  end(): void {
    this.#ended = true
    this.#arrival.ring()
  }

  /** Whether the next message may be read. */
  get isReady(): boolean {
    return this.#queuedBytes < QUEUED_BYTES_MAX && this.#queue.length - this.#next < QUEUED_COUNT_MAX
  }

  async whenReady(signal: AbortSignal): Promise<void> {
    while (!this.isReady) await this.#drained.wait(signal)
  }

  /** Undefined once the queue is empty and ended. */
  async take(signal: AbortSignal): Promise<Frame | undefined> {
    for (;;) {
      const frame = this.takeNow()
      if (frame !== undefined || this.#ended) return frame
      await this.#arrival.wait(signal)
    }
  }

  /** The next message, if there is one. */
  takeNow(): Frame | undefined {
    const frame = this.#queue[this.#next]
    if (frame === undefined) return undefined
    this.#queue[this.#next++] = undefined
    if (this.#next === this.#queue.length || this.#next >= QUEUED_COUNT_MAX) {
      this.#queue = this.#queue.slice(this.#next)
      this.#next = 0
    }
    this.#queuedBytes -= frame.body.length + OVERHEAD_BYTES
    this.#drained.ring()
    return frame
  }
}
