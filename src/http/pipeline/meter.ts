import type { Clock } from '../../platform/clock.ts'

/** Durations stored per path, for the percentiles. */
const RECENT_MAX = 256
/** The windows of the rates: one, five and fifteen minutes. */
const WINDOWS_S = [60, 300, 900] as const
const FOLD_MS = 5_000

export interface PathFigures {
  readonly count: number
  readonly sumMs: number
  /** The 50th, 95th and 99th, of the latest requests. */
  readonly percentilesMs: readonly [number, number, number]
  /** Over one, five and fifteen minutes, weighted towards newer requests. */
  readonly ratesPerS: readonly [number, number, number]
}

/** The number and the durations of requests per route. Bounded by the number of routes. */
export class RequestMeter {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #paths = new Map<string, PathMeter>()

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  nowMs(): number {
    return this.#clock.monotonicMs()
  }

  count(path: string, startedMs: number): void {
    const nowMs = this.#clock.monotonicMs()
    let meter = this.#paths.get(path)
    if (meter === undefined) this.#paths.set(path, (meter = new PathMeter(nowMs)))
    meter.count(nowMs, nowMs - startedMs)
  }

  figures(): ReadonlyMap<string, PathFigures> {
    const nowMs = this.#clock.monotonicMs()
    return new Map(
      [...this.#paths].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, meter]) => [path, meter.figures(nowMs)]),
    )
  }
}

class PathMeter {
  #count = 0
  #sumMs = 0
  readonly #recentMs: number[] = []
  readonly #rates: [number, number, number] = [0, 0, 0]
  /** Requests since the rates were last computed, which is not done for each request. */
  #unfolded = 0
  #foldedMs: number

  constructor(nowMs: number) {
    this.#foldedMs = nowMs
  }

  count(nowMs: number, durationMs: number): void {
    this.#recentMs[this.#count++ % RECENT_MAX] = durationMs
    this.#sumMs += durationMs
    this.#unfolded++
    if (nowMs - this.#foldedMs >= FOLD_MS) this.#fold(nowMs)
  }

  figures(nowMs: number): PathFigures {
    this.#fold(nowMs)
    const sorted = this.#recentMs.toSorted((a, b) => a - b)
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    return {
      count: this.#count,
      sumMs: this.#sumMs,
      percentilesMs: [at(0.5), at(0.95), at(0.99)],
      ratesPerS: [...this.#rates],
    }
  }

  #fold(nowMs: number): void {
    const passedS = Math.max(0, nowMs - this.#foldedMs) / 1_000
    for (const [i, windowS] of WINDOWS_S.entries()) {
      this.#rates[i] = this.#rates[i]! * Math.exp(-passedS / windowS) + this.#unfolded / windowS
    }
    this.#unfolded = 0
    this.#foldedMs = nowMs
  }
}
