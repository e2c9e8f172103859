/** Far above what a relay sends: a ping a minute, and an invitation for each device that connects. */
export const MESSAGES_PER_S_MAX = 100
/** After a quiet time: many devices may connect at once. */
const BURST_MESSAGES = 1_000

/** Counts the messages of a relay. */
export class MessageRate {
  #reserve = BURST_MESSAGES
  #atMs: number

  constructor(nowMs: number) {
    this.#atMs = nowMs
  }

  /** False when there were more messages than a relay may send. */
  count(nowMs: number): boolean {
    const refilled = this.#reserve + (Math.max(0, nowMs - this.#atMs) * MESSAGES_PER_S_MAX) / 1_000
    this.#atMs = nowMs
    this.#reserve = Math.min(BURST_MESSAGES, refilled) - 1
    return this.#reserve >= 0
  }
}
