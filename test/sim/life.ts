import type { Clock } from '../../src/platform/clock.ts'
import type { SimDisk } from '../../src/platform/sim/disk.ts'
import type { Walker } from '../../src/platform/walk.ts'

/** A promise of its own each time: one for all would keep everybody who ever waited. */
function never(): Promise<never> {
  return new Promise(() => {})
}

/**
 * The time between a start and the moment the power goes. Whoever asks the platform for something in a life that is over
 * waits forever: no error is raised and no cleaning up runs, as when a process is killed.
 */
export class Life {
  readonly #ended = Promise.withResolvers<void>()
  #over = false
  #calls = 0
  readonly #plans = new Map<number, () => void>()
  readonly #looks = new Map<string, number>()
  readonly #made = new Map<string, number>()

  get over(): boolean {
    return this.#over
  }

  /** Resolves when it is over. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  end(): void {
    this.#over = true
    this.#ended.resolve()
    this.#plans.clear()
  }

  /** Does something just before the `nth` call of disk or index from now has any effect. */
  beforeCall(nth: number, action: () => void): void {
    this.#plans.set(this.#calls + nth, action)
  }

  /** Nothing more is going to happen. */
  forgetPlans(): void {
    this.#plans.clear()
  }

  /** Whether this path was looked at since the burst of work began that goes on now, at this moment of the clock. */
  hasJustLookedAt(path: string, nowMs: number): boolean {
    return this.#looks.get(path) === nowMs
  }

  looked(path: string, nowMs: number): void {
    this.#looks.set(path, nowMs)
  }

  hasJustMade(directory: string, nowMs: number): boolean {
    return this.#made.get(directory) === nowMs
  }

  made(directory: string, nowMs: number): void {
    this.#made.set(directory, nowMs)
  }

  /** One call of disk or index. */
  count(): void {
    this.#calls++
    const plan = this.#plans.get(this.#calls)
    this.#plans.delete(this.#calls)
    if (!this.#over) plan?.()
  }

  /** What was asked for in this life is answered in this life. */
  async answer<T>(promise: Promise<T>): Promise<T> {
    try {
      const value = await promise
      return this.#over ? await never() : value
    } catch (error) {
      if (this.#over) await never()
      throw error
    }
  }
}

/** The disk of one life. It remembers when a path was last looked at, and when a directory was made. */
export function mortalDisk(disk: SimDisk, life: Life, clock: Clock): SimDisk {
  const guarded = mortal(disk, life)
  const lstat: SimDisk['lstat'] = (path) => {
    const seen = guarded.lstat(path)
    life.looked(path, clock.monotonicMs())
    return seen
  }
  const makeDirectory: SimDisk['makeDirectory'] = (path, permissions) => {
    if (disk.hands.look(path) === undefined) life.made(path, clock.monotonicMs())
    return guarded.makeDirectory(path, permissions)
  }
  const remembering = new Map<PropertyKey, unknown>(Object.entries({ lstat, makeDirectory }))
  return new Proxy(guarded, { get: (object, key) => remembering.get(key) ?? Reflect.get(object, key) })
}

/** A port, or an open file, that answers as long as the life lasts. Every call counts. */
export function mortal<T extends object>(target: T, life: Life): T {
  const known = new Map<PropertyKey, unknown>()
  return new Proxy(target, {
    get: (object, key) => {
      if (known.has(key)) return known.get(key)
      const value: unknown = Reflect.get(object, key, object)
      const guarded = typeof value === 'function' ? guardedMethod(object, value, life) : withMethods(value, life)
      if (typeof value === 'function' || guarded !== value) known.set(key, guarded)
      return guarded
    },
  })
}

function guardedMethod(object: object, method: object, life: Life): (...args: readonly unknown[]) => unknown {
  const answers = new WeakMap<object, unknown>() // the same object for the same question, as the target promises
  return (...args) => {
    life.count()
    if (life.over) return never()
    const answer: unknown = Reflect.apply(method as () => unknown, object, args)
    if (!(answer instanceof Promise)) return answer
    return life.answer(answer).then((value: unknown) => {
      if (typeof value !== 'object' || value === null) return value
      if (!answers.has(value)) answers.set(value, withMethods(value, life))
      return answers.get(value)
    })
  }
}

/** Instances of classes can be asked again later; plain values and the collections of the language cannot. */
function withMethods(value: unknown, life: Life): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (Array.isArray(value) || value instanceof Map || value instanceof Set) return value
  return Object.getPrototypeOf(value) === Object.prototype ? value : mortal(value, life)
}

/** The clock of one machine: it goes as fast as all others, and its wall clock is set by its owner. */
export class MachineClock implements Clock {
  readonly #shared: Clock
  #offsetMs = 0

  constructor(shared: Clock) {
    this.#shared = shared
  }

  nowMs(): number {
    return this.#shared.nowMs() + this.#offsetMs
  }

  monotonicMs(): number {
    return this.#shared.monotonicMs()
  }

  sleep(delayMs: number, signal: AbortSignal): Promise<void> {
    return this.#shared.sleep(delayMs, signal)
  }

  jump(byMs: number): void {
    this.#offsetMs += byMs
  }
}

export function mortalClock(clock: Clock, life: Life): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: (delayMs, signal) => life.answer(clock.sleep(delayMs, signal)),
  }
}

export function mortalWalker(walker: Walker, life: Life): Walker {
  return {
    async *walk(request, signal) {
      for await (const batch of walker.walk(request, signal)) {
        life.count()
        yield await life.answer(Promise.resolve(batch))
      }
    },
  }
}
