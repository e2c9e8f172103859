import type { Clock } from '../../src/platform/clock.ts'
import type { SimDisk } from '../../src/platform/sim/disk.ts'
import type { Walker } from '../../src/platform/walk.ts'

/** A new promise per call: a shared one would retain every waiter. */
function never(): Promise<never> {
  return new Promise(() => {})
}

/**
 * One run of the process of a device, from its start to its stop or power loss. Calls of the platform after the end
 * never settle: no error is raised and no cleanup runs, as when a process is killed.
 */
export class Incarnation {
  readonly #ended = Promise.withResolvers<void>()
  #isEnded = false
  #calls = 0
  readonly #plans = new Map<number, () => void>()
  #onReplace: ((path: string) => void) | undefined
  readonly #statTimes = new Map<string, number>()
  readonly #mkdirTimes = new Map<string, number>()

  get isEnded(): boolean {
    return this.#isEnded
  }

  /** Resolves at the end. */
  get ended(): Promise<void> {
    return this.#ended.promise
  }

  end(): void {
    this.#isEnded = true
    this.#ended.resolve()
    this.clearPlans()
  }

  /** Runs `action` before the `nth` call of disk or index from now takes effect. */
  beforeCall(nth: number, action: () => void): void {
    this.#plans.set(this.#calls + nth, action)
  }

  /** Runs `action` once, in the instant in which the device replaces an item. */
  atReplacement(action: (path: string) => void): void {
    this.#onReplace = action
  }

  replaces(path: string): void {
    const action = this.#onReplace
    this.#onReplace = undefined
    if (!this.#isEnded) action?.(path)
  }

  clearPlans(): void {
    this.#onReplace = undefined
    this.#plans.clear()
  }

  /** Whether `lstat` was called for this path at this moment of the clock, thus in the burst of work under way. */
  wasJustStatted(path: string, nowMs: number): boolean {
    return this.#statTimes.get(path) === nowMs
  }

  recordStat(path: string, nowMs: number): void {
    this.#statTimes.set(path, nowMs)
  }

  hasJustMade(directory: string, nowMs: number): boolean {
    return this.#mkdirTimes.get(directory) === nowMs
  }

  recordMkdir(directory: string, nowMs: number): void {
    this.#mkdirTimes.set(directory, nowMs)
  }

  /** One call of disk or index. */
  count(): void {
    this.#calls++
    const plan = this.#plans.get(this.#calls)
    this.#plans.delete(this.#calls)
    if (!this.#isEnded) plan?.()
  }

  /** Passes a result on only while the incarnation runs. */
  async settle<T>(promise: Promise<T>): Promise<T> {
    try {
      const value = await promise
      return this.#isEnded ? await never() : value
    } catch (error) {
      if (this.#isEnded) await never()
      throw error
    }
  }
}

/** The disk of one incarnation. Records the time of the last `lstat` of a path and of the creation of a directory. */
export function killableDisk(disk: SimDisk, incarnation: Incarnation, clock: Clock): SimDisk {
  const guarded = killable(disk, incarnation)
  const lstat: SimDisk['lstat'] = (path) => {
    const seen = guarded.lstat(path)
    incarnation.recordStat(path, clock.monotonicMs())
    return seen
  }
  const makeDirectory: SimDisk['makeDirectory'] = (path, permissions) => {
    if (disk.direct.look(path) === undefined) incarnation.recordMkdir(path, clock.monotonicMs())
    return guarded.makeDirectory(path, permissions)
  }
  const exchange: SimDisk['exchange'] = (from, to) => {
    incarnation.replaces(to)
    return guarded.exchange(from, to)
  }
  const recording = new Map<PropertyKey, unknown>(Object.entries({ lstat, makeDirectory, exchange }))
  return new Proxy(guarded, { get: (object, key) => recording.get(key) ?? Reflect.get(object, key) })
}

/** A port, or an open file, whose calls settle only while the incarnation runs. Every call is counted. */
export function killable<T extends object>(target: T, incarnation: Incarnation): T {
  const wrapped = new Map<PropertyKey, unknown>()
  return new Proxy(target, {
    get: (object, key) => {
      if (wrapped.has(key)) return wrapped.get(key)
      const value: unknown = Reflect.get(object, key, object)
      const guarded =
        typeof value === 'function' ? guardedMethod(object, value, incarnation) : withMethods(value, incarnation)
      if (typeof value === 'function' || guarded !== value) wrapped.set(key, guarded)
      return guarded
    },
  })
}

function guardedMethod(
  object: object,
  method: object,
  incarnation: Incarnation,
): (...args: readonly unknown[]) => unknown {
  const results = new WeakMap<object, unknown>() // equal calls return the identical object, as the target guarantees
  return (...args) => {
    incarnation.count()
    if (incarnation.isEnded) return never()
    const result: unknown = Reflect.apply(method as () => unknown, object, args)
    if (!(result instanceof Promise)) return result
    return incarnation.settle(result).then((value: unknown) => {
      if (typeof value !== 'object' || value === null) return value
      if (!results.has(value)) results.set(value, withMethods(value, incarnation))
      return results.get(value)
    })
  }
}

/** Wraps instances of classes, which have methods; plain values and built-in collections stay as they are. */
function withMethods(value: unknown, incarnation: Incarnation): unknown {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value
  if (Array.isArray(value) || value instanceof Map || value instanceof Set) return value
  return Object.getPrototypeOf(value) === Object.prototype ? value : killable(value, incarnation)
}

/** The clock of one device: same rate as all others, with a wall clock of its own. */
export class DeviceClock implements Clock {
  readonly #shared: Clock
  #offsetMs = 0
  #highestOffsetMs = 0

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
    this.#highestOffsetMs = Math.max(this.#highestOffsetMs, this.#offsetMs)
  }

  /** Sets the clock later than every time it has shown. */
  jumpPast(byMs: number): void {
    this.jump(this.#highestOffsetMs - this.#offsetMs + byMs)
  }
}

export function killableClock(clock: Clock, incarnation: Incarnation): Clock {
  return {
    nowMs: () => clock.nowMs(),
    monotonicMs: () => clock.monotonicMs(),
    sleep: (delayMs, signal) => incarnation.settle(clock.sleep(delayMs, signal)),
  }
}

export function killableWalker(walker: Walker, incarnation: Incarnation): Walker {
  return {
    async *walk(request, signal) {
      for await (const batch of walker.walk(request, signal)) {
        incarnation.count()
        yield await incarnation.settle(Promise.resolve(batch))
      }
    },
    findFile: (name, request) => walker.findFile(name, request),
  }
}
