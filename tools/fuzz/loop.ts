import { setImmediate } from 'node:timers/promises'
import { Chance } from '../../test/interop/random-changes.ts'
import type { Coverage } from './coverage.ts'
import { growBytes } from './grow.ts'
import { mutate } from './mutate.ts'
import { sizeOf } from './size-of.ts'
import type { Target } from './targets.ts'

/** More time of the processor than this in each of several runs: an input that blocks everything else. */
const INPUT_MS_MAX = 100
const RUNS_OF_SLOW = 3
/** Than the slowest so far: repeating every input that is nearly as slow would take most of the time. */
const SLOWER_BY = 1.25
/** A host that takes the processor away for a while makes any input look slow: only one that stays slow is. */
const RUNS_OF_SLOW_MAX = 40
const SIZE_BYTES_MAX = 4_096
/** One input in so many is a large one, with a budget by its size: a cost that grows faster than that shows. */
const GROWN_ONE_IN = 400
/** One input in so many keeps its structure, where the target can do that. */
const VARIED_ONE_IN = 8
const GROWN_BYTES_MAX = 1024 * 1024
const GROWN_MS_PER_KIB = 0.25
const FAILURES_MAX = 5
const STACK_LINES = 20
/** Node removes ended `AbortSignal.any` signals only between rounds of the event loop. */
const RUNS_PER_ROUND = 1_000
/** Kept for any input, however small. */
const KEPT_BYTES_MIN = 4_096

interface Failure {
  readonly reason: string
  readonly input: Uint8Array
}

export interface FuzzResult {
  readonly target: string
  readonly runs: number
  readonly seconds: number
  /** Branches reached by the corpus that was given, and by all inputs. */
  readonly reachedBefore: number
  readonly reached: number
  readonly slowestMs: number
  /** Of inputs above 4 KiB. */
  readonly slowestLargeMs: number
  /** The most bytes kept for a byte of input. */
  readonly keptRatio: number
  readonly failures: readonly Failure[]
  /** Inputs that reached something new. */
  readonly added: readonly Uint8Array[]
}

export interface FuzzOptions {
  readonly corpus: readonly Uint8Array[]
  readonly seed: number
  /** Of an input; that of the target if not given. */
  readonly sizeBytesMax?: number | undefined
  /** Whether an error is one that callers handle. */
  isRefusal(error: unknown): boolean
  isOver(runs: number): boolean
}

/** Most inputs are refused by an error, whose stack trace nothing reads. Other tests of this process need theirs. */
function withoutStacks(): Disposable {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  return { [Symbol.dispose]: () => void (Error.stackTraceLimit = limit) }
}

/** Runs changed inputs; those that reach something new are changed further. */
export async function fuzz(target: Target, coverage: Coverage, options: FuzzOptions): Promise<FuzzResult> {
  using _stacks = withoutStacks()
  const chance = new Chance(options.seed)
  const queue = [...options.corpus]
  const added: Uint8Array[] = []
  const failures: Failure[] = []
  const words = (target.words ?? []).map((word) => (typeof word === 'string' ? Buffer.from(word) : word))
  const figures = { slowestMs: 0, slowestLargeMs: 0, keptRatio: 0 }
  const startedMs = performance.now()
  const run = async (input: Uint8Array): Promise<boolean> => {
    coverage.reset()
    const { reason, tookMs } = await faultOf(target, input, options, figures)
    const isNew = coverage.add() // before the input is run again
    const fault = reason ?? (await slownessOf(target, input, tookMs, figures))
    if (fault !== undefined) failures.push({ reason: fault, input })
    return isNew
  }
  for (const input of options.corpus) await run(input)
  if (queue.length === 0) queue.push(new Uint8Array(0))
  const reachedBefore = coverage.reached
  const sizeBytesMax = options.sizeBytesMax ?? target.sizeBytesMax ?? SIZE_BYTES_MAX
  let runs = options.corpus.length
  for (; failures.length < FAILURES_MAX && !options.isOver(runs); runs++) {
    if (runs % RUNS_PER_ROUND === 0) await setImmediate()
    if (runs % GROWN_ONE_IN === 0) {
      const grow = target.grow ?? growBytes
      const sizeBytes = 1 + chance.below(target.grownBytesMax ?? GROWN_BYTES_MAX)
      await run(new Uint8Array(grow(chance.pick(queue), chance, sizeBytes)))
      continue // the next ones would be changes of a large input
    }
    const varied = runs % VARIED_ONE_IN === 0 ? target.vary?.(chance.pick(queue), chance) : undefined
    const input = varied ?? mutate(chance.pick(queue), chance.pick(queue), words, chance, sizeBytesMax)
    if (!(await run(input))) continue
    queue.push(input)
    added.push(input)
  }
  const seconds = (performance.now() - startedMs) / 1_000
  return { target: target.name, runs, seconds, reachedBefore, reached: coverage.reached, ...figures, failures, added }
}

/** What an input does that it must not do, if anything, and the time that reading it took. */
async function faultOf(
  target: Target,
  input: Uint8Array,
  { isRefusal }: Pick<FuzzOptions, 'isRefusal'>,
  figures: { keptRatio: number },
): Promise<{ readonly reason: string | undefined; readonly tookMs: number }> {
  const beganMs = performance.now()
  let result: unknown
  try {
    result = await target.run(input)
  } catch (error) {
    const tookMs = performance.now() - beganMs
    return { reason: isRefusal(error) ? undefined : `throws ${await stackOf(target, input, error)}`, tookMs }
  }
  const tookMs = performance.now() - beganMs
  const kept = sizeOf(result, input)
  figures.keptRatio = Math.max(figures.keptRatio, kept > KEPT_BYTES_MIN ? Math.round(kept / input.length) : 0)
  if (kept > KEPT_BYTES_MIN + target.keptPerByteMax * input.length)
    return { reason: `keeps ${kept} bytes for an input of ${input.length}`, tookMs }
  try {
    await target.check?.(result, input)
  } catch (error) {
    return { reason: `throws ${await stackOf(target, input, error)}`, tookMs }
  }
  return { reason: undefined, tookMs }
}

/** Whether an input takes too much time of the processor, which is at most the time that has passed. */
async function slownessOf(
  target: Target,
  input: Uint8Array,
  tookMs: number,
  figures: { slowestMs: number; slowestLargeMs: number },
): Promise<string | undefined> {
  const isLarge = input.length > SIZE_BYTES_MAX
  const budgetMs = (target.inputMsMax ?? INPUT_MS_MAX) + (isLarge ? (GROWN_MS_PER_KIB * input.length) / 1024 : 0)
  const slowest = isLarge ? 'slowestLargeMs' : 'slowestMs'
  if (tookMs < SLOWER_BY * figures[slowest] + 1) return undefined
  const fastestMs = await fastestOf(target, input, budgetMs)
  figures[slowest] = Math.max(figures[slowest], Math.round(fastestMs))
  return fastestMs > budgetMs ? `takes ${Math.round(fastestMs)} ms for ${input.length} bytes` : undefined
}

/** Errors have no stack while inputs are tried, as most are refused by one: the run is repeated to get it. */
async function stackOf(target: Target, input: Uint8Array, first: unknown): Promise<string> {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = STACK_LINES
  try {
    await target.check?.(await target.run(input), input)
    return `${String(first)}, only the first time`
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error)
  } finally {
    Error.stackTraceLimit = limit
  }
}

/** Code is compiled and memory collected at any time: the fastest of several runs counts. */
async function fastestOf(target: Target, input: Uint8Array, budgetMs: number): Promise<number> {
  let fastestMs = Infinity
  for (let run = 0; run < RUNS_OF_SLOW || (run < RUNS_OF_SLOW_MAX && fastestMs > budgetMs); run++) {
    const startedMs = cpuMs()
    try {
      await target.run(input)
    } catch {
      // a refusal: it was looked at before
    }
    fastestMs = Math.min(fastestMs, cpuMs() - startedMs)
  }
  return fastestMs
}

/** Of this thread, so that other programs of the machine do not count. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
