import type { Clock } from '../platform/clock.ts'
import type { ByteReader } from './byte-reader.ts'
import type { Outbox } from './outbox.ts'

/** Silence of ours that we break. */
const PING_MS = 45_000
/** Silence of theirs that ends a connection. */
const SILENCE_MS_MAX = 300_000
/** A peer that has begun a message goes on with it. */
const STALL_MS_MAX = 60_000
const NAP_MS_MIN = 1_000

/** Knows how long nothing moved on a connection, and what follows from it. */
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

  /** How long until it is worth asking again. */
  get nextCheckMs(): number {
    const nowMs = this.#clock.monotonicMs()
    return Math.max(NAP_MS_MIN, Math.min(this.#pingMs(), this.#deadlineMs(), nowMs + PING_MS) - nowMs)
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

  /** When it is over, if nothing moves until then. While we do not read, the silence is not the peer's. */
  #deadlineMs(): number {
    const { waitingSinceMs } = this.#incoming
    const { writingSinceMs } = this.#outbox
    const readMs = (waitingSinceMs ?? Infinity) + (this.midFrame ? STALL_MS_MAX : SILENCE_MS_MAX)
    return Math.min(readMs, (writingSinceMs ?? Infinity) + SILENCE_MS_MAX)
  }
}
