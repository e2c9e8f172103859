import type { Clock } from '../clock.ts'

interface Sleeper {
  readonly dueMs: number
  /** Of two due at once the first to lie down wakes first. */
  readonly order: number
  readonly wake: () => void
  awake: boolean
}

/** 2026-01-01: far enough from 0 that a time nobody set stands out. */
const START_MS = 1_767_225_600_000

/** Time that moves only when told to: a day of rescans passes in a millisecond. */
export class SimClock implements Clock {
  #monotonicMs = 0
  #wallOffsetMs: number
  #order = 0
  /** A binary heap by due time and order. Sleepers that were aborted stay until they surface. */
  readonly #heap: Sleeper[] = []
  #sleeping = 0

  constructor(startMs: number = START_MS) {
    this.#wallOffsetMs = startMs
  }

  nowMs(): number {
    return this.#wallOffsetMs + this.#monotonicMs
  }

  monotonicMs(): number {
    return this.#monotonicMs
  }

  /** How many sleep now: after a clean stop, nobody. */
  get sleepingCount(): number {
    return this.#sleeping
  }

  /** Somebody sets the clock on the wall. Durations and sleepers do not notice. */
  jumpWall(byMs: number): void {
    this.#wallOffsetMs += byMs
  }

  async sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const dueMs = this.#monotonicMs + Math.max(0, delayMs)
    const sleeper: Sleeper = { dueMs, order: this.#order++, wake: resolve, awake: false }
    const onAbort = (): void => {
      this.#rouse(sleeper)
      reject(signal.reason)
    }
    this.#push(sleeper)
    this.#sleeping++
    signal.addEventListener('abort', onAbort)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', onAbort) // a daemon sleeps a million times on one signal
    }
  }

  /** Moves time to the earliest sleeper and wakes it; false when nobody sleeps. */
  step(): boolean {
    const next = this.#pop()
    if (next === undefined) return false
    this.#monotonicMs = Math.max(this.#monotonicMs, next.dueMs)
    this.#rouse(next)
    next.wake()
    return true
  }

  /** Lets `byMs` pass, waking everybody due on the way; `settle` lets what was woken run before time moves on. */
  async advance(byMs: number, settle: () => Promise<void>): Promise<void> {
    const untilMs = this.#monotonicMs + byMs
    await settle()
    for (let due = this.#peek(); due !== undefined && due.dueMs <= untilMs; due = this.#peek()) {
      this.step()
      await settle()
    }
    this.#monotonicMs = untilMs
  }

  #rouse(sleeper: Sleeper): void {
    if (sleeper.awake) return
    sleeper.awake = true
    this.#sleeping--
  }

  #peek(): Sleeper | undefined {
    while (this.#heap[0]?.awake === true) this.#take()
    return this.#heap[0]
  }

  #pop(): Sleeper | undefined {
    return this.#peek() === undefined ? undefined : this.#take()
  }

  #push(sleeper: Sleeper): void {
    const heap = this.#heap
    let at = heap.length
    heap.push(sleeper)
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(sleeper, heap[parent]!)) break // the parent of an index in the heap is in the heap
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = sleeper
  }

  #take(): Sleeper | undefined {
    const heap = this.#heap
    const top = heap[0]
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return top
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return top
  }
}

function isBefore(a: Sleeper, b: Sleeper): boolean {
  return a.dueMs < b.dueMs || (a.dueMs === b.dueMs && a.order < b.order)
}
