import { Wakeup } from '../sync/wakeup.ts'
import type { Frame } from './frame.ts'

/** What may wait here before we stop reading: then the peer has to wait. One more message can be of any size. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024
const WAITING_COUNT_MAX = 16_384
/** What keeping a message costs besides its bytes. */
const OVERHEAD_BYTES = 200

/** Messages in the order they came, between the loop that reads and the loop that acts. */
export class Inbox {
  #waiting: Frame[] = []
  #next = 0
  #waitingBytes = 0
  #ended = false
  readonly #arrival = new Wakeup()
  readonly #room = new Wakeup()

  put(frame: Frame): void {
    this.#waiting.push(frame)
    this.#waitingBytes += frame.body.length + OVERHEAD_BYTES
    this.#arrival.ring()
  }

  /** Nothing more will come. */
  end(): void {
    this.#ended = true
    this.#arrival.ring()
  }

  /** Resolves when the next message may be read. */
  async whenRoom(signal: AbortSignal): Promise<void> {
    while (this.#waitingBytes >= WAITING_BYTES_MAX || this.#waiting.length - this.#next >= WAITING_COUNT_MAX) {
      await this.#room.wait(signal)
    }
  }

  /** Undefined once everything was taken and nothing more will come. */
  async take(signal: AbortSignal): Promise<Frame | undefined> {
    for (;;) {
      const frame = this.#waiting[this.#next]
      if (frame === undefined) {
        if (this.#ended) return undefined
        await this.#arrival.wait(signal)
        continue
      }
      this.#next++
      if (this.#next === this.#waiting.length || this.#next >= WAITING_COUNT_MAX) {
        this.#waiting = this.#waiting.slice(this.#next)
        this.#next = 0
      }
      this.#waitingBytes -= frame.body.length + OVERHEAD_BYTES
      this.#room.ring()
      return frame
    }
  }
}
