import type { Clock } from '../clock.ts'

interface Sleeper {
  readonly dueMs: number
  /** FIFO on equal deadlines. */
  readonly order: number
  readonly wake: () => void
  awake: boolean
}

/** 2026-01-01: distinguishable from an unset time. */
const START_MS = 1_767_225_600_000

/** Time that only the test advances: a day of rescans passes in a millisecond. */
export class SimClock implements Clock {
  #monotonicMs = 0
  #wallOffsetMs: number
  #order = 0
  /** A binary heap by due time and order. Aborted sleepers stay until they reach the top. */
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

  /** Number of pending sleeps: none after a clean shutdown. */
  get sleepingCount(): number {
    return this.#sleeping
  }

  /** Sets the wall clock. Durations and sleepers are not affected. */
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
      signal.removeEventListener('abort', onAbort) // one signal serves millions of sleeps
    }
  }

  /** Advances to the earliest deadline and wakes its sleeper; false without sleepers. */
  step(): boolean {
    const next = this.#pop()
    if (next === undefined) return false
    this.#monotonicMs = Math.max(this.#monotonicMs, next.dueMs)
    this.#rouse(next)
    next.wake()
    return true
  }

  /** Advances by `byMs` and wakes all sleepers due until then; `settle` lets woken code run before time advances. */
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
