/** The only source of time. Nothing outside platform/ may read Date or set a timer. */
export interface Clock {
  /** Wall-clock time. May jump: for display and storage. */
  nowMs(): number
  /** Time that only goes forward: for durations, rates and deadlines. */
  monotonicMs(): number
  /** Resolves after `delayMs`, however long; rejects with `signal.reason` as soon as the signal aborts. */
  sleep(delayMs: number, signal: AbortSignal): Promise<void>
}
