import type { Clock } from '../platform/clock.ts'
import type { ByteReader } from './byte-reader.ts'
import type { Outbox } from './outbox.ts'

/** A ping is sent after this time without a write. */
const PING_MS = 45_000
/** The connection ends after this time without a byte received. */
const IDLE_MS_MAX = 300_000
/** The same within a message. */
const STALL_MS_MAX = 60_000
const CHECK_MS_MIN = 1_000

/** Computes ping and timeout deadlines of a connection. */
export class IdleTimeouts {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #incoming: Pick<ByteReader, 'waitingSinceMs'>
  readonly #outbox: Pick<Outbox, 'writingSinceMs' | 'lastWrittenMs'>
  /** The peer is in the middle of a message. */
  midFrame = false

  constructor(
    clock: Pick<Clock, 'monotonicMs'>,
    incoming: Pick<ByteReader, 'waitingSinceMs'>,
    outbox: Pick<Outbox, 'writingSinceMs' | 'lastWrittenMs'>,
  ) {
    this.#clock = clock
    this.#incoming = incoming
    this.#outbox = outbox
  }

  /** Time until the next check. */
  get nextCheckMs(): number {
    const nowMs = this.#clock.monotonicMs()
    return Math.max(CHECK_MS_MIN, Math.min(this.#pingMs(), this.#deadlineMs(), nowMs + PING_MS) - nowMs)
  }

  get isTimedOut(): boolean {
    return this.#deadlineMs() <= this.#clock.monotonicMs()
  }

  get isPingDue(): boolean {
    return this.#pingMs() <= this.#clock.monotonicMs()
  }

  #pingMs(): number {
    return this.#outbox.writingSinceMs === undefined ? this.#outbox.lastWrittenMs + PING_MS : Infinity
  }

  /** When the connection times out without further traffic. Time without a pending read does not count. */
  #deadlineMs(): number {
    const { waitingSinceMs } = this.#incoming
    const { writingSinceMs } = this.#outbox
    const readMs = (waitingSinceMs ?? Infinity) + (this.midFrame ? STALL_MS_MAX : IDLE_MS_MAX)
    return Math.min(readMs, (writingSinceMs ?? Infinity) + IDLE_MS_MAX)
  }
}
