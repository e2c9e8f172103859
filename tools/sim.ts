/**
 * Lives of whole simulated devices, or of the planner alone, by the thousand. `npm run sim -- --seeds 1000`; a failing
 * seed prints the command that replays it with everything that happened. Interrupted, it tells what it has seen so far
 * and how to go on.
 */
import { parseArgs } from 'node:util'
import { runSeed } from '../test/sim/cluster.ts'
import { PlannerCase } from '../test/sim/planner.ts'
import { Reached } from '../test/sim/sometimes.ts'
import type { Taste } from '../test/sim/user.ts'

const USAGE = 'usage: npm run sim -- [--seeds N] [--from S] [--seed S] [--mode engine|shapes|planner]'
/** Every so many seeds are lived twice: the same seed must leave the same trace. */
const TWICE_EVERY = 20
const FAILURES_SHOWN_MAX = 20
/** So often a line tells that it goes on. */
const TELL_EVERY = 500

type Mode = 'engine' | 'shapes' | 'planner'

interface Wishes {
  readonly mode: Mode
  /** One seed with its trace. */
  readonly seed: number | undefined
  readonly from: number
  readonly seeds: number
}

function readWishes(): Wishes {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      from: { type: 'string' },
      seed: { type: 'string' },
      mode: { type: 'string', default: 'engine' },
    },
  })
  const mode = (['engine', 'shapes', 'planner'] as const).find((known) => known === values.mode)
  if (mode === undefined) throw new Error('the mode is engine, shapes or planner')
  return {
    mode,
    seed: values.seed === undefined ? undefined : wholeNumber(values.seed),
    from: wholeNumber(values.from ?? '1'),
    seeds: wholeNumber(values.seeds ?? (mode === 'planner' ? '100000' : '200')),
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${text} is no whole number`)
  return Number(text)
}

class Report {
  readonly #mode: string
  failures = 0

  constructor(mode: string) {
    this.#mode = mode
  }

  failed(seed: number, reason: string): void {
    this.failures++
    if (this.failures > FAILURES_SHOWN_MAX) return
    console.log(`seed ${seed}: ${reason}`)
    console.log(`  npm run sim -- --mode ${this.#mode} --seed ${seed}`)
  }
}

/** Aborts at the first request to end: the seed that lives then is lived to its end. */
function untilInterrupted(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  return stop.signal
}

async function runEngine({ mode, from, seeds }: Wishes, report: Report): Promise<void> {
  const reached = new Reached()
  const started = process.cpuUsage()
  const stop = untilInterrupted()
  // Thousands of refusals are raised and caught in every life, and nobody reads where; a replay has all of that.
  Error.stackTraceLimit = 0
  let deeds = 0
  let mismatches = 0
  let lived = 0
  for (let seed = from; seed < from + seeds && !stop.aborted; seed++, lived++) {
    if (lived > 0 && lived % TELL_EVERY === 0)
      console.log(`${lived} seeds lived, ${report.failures} failed; the next is ${seed}`)
    const life = await runSeed(seed, { taste: tasteOf(mode) })
    reached.merge(life.reached)
    deeds += life.deeds
    if (life.failure !== undefined) report.failed(seed, life.failure.message)
    if (seed % TWICE_EVERY !== 0 || (await runSeed(seed, { taste: tasteOf(mode) })).digest === life.digest) continue
    mismatches++
    report.failed(seed, 'two lives of this seed differ')
  }
  console.log(reached.lines().join('\n'))
  const seedsPerMinute = Math.round((60_000 * lived) / cpuMs(started))
  console.log(
    JSON.stringify({
      id: mode === 'shapes' ? 'C-12' : 'S-01',
      mode,
      from,
      seeds: lived,
      deeds,
      failures: report.failures,
      mismatches,
      reachedPercent: reached.percent,
      seedsPerMinute,
      rssMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
    }),
  )
  const left = seeds - lived
  if (left > 0)
    console.log(`interrupted; to go on: npm run sim -- --mode ${mode} --seeds ${left} --from ${from + lived}`)
}

function tasteOf(mode: Mode): Taste {
  return mode === 'shapes' ? 'shapes' : 'everything'
}

function runPlanner({ from, seeds }: Wishes, report: Report): void {
  const started = process.cpuUsage()
  let conflicts = 0
  let roundsMost = 0
  for (let seed = from; seed < from + seeds; seed++) {
    const planner = new PlannerCase(seed)
    try {
      planner.run()
    } catch (error) {
      report.failed(seed, String(error))
    }
    conflicts += planner.conflicts
    roundsMost = Math.max(roundsMost, planner.rounds)
  }
  const casesPerMinute = Math.round((60_000 * seeds) / cpuMs(started))
  console.log(
    JSON.stringify({
      id: 'S-03',
      mode: 'planner',
      from,
      cases: seeds,
      conflicts,
      roundsMost,
      failures: report.failures,
      casesPerMinute,
    }),
  )
}

/** Of one core. */
function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}

async function replay(mode: Mode, seed: number): Promise<string | undefined> {
  const print = (line: string): void => console.log(line)
  if (mode !== 'planner') return (await runSeed(seed, { print, taste: tasteOf(mode) })).failure?.message
  try {
    new PlannerCase(seed, print).run()
    return undefined
  } catch (error) {
    return String(error)
  }
}

async function main(): Promise<boolean> {
  const wishes = readWishes()
  if (wishes.seed !== undefined) {
    const failure = await replay(wishes.mode, wishes.seed)
    console.log(failure === undefined ? 'every law holds' : `broken: ${failure}`)
    return failure === undefined
  }
  const report = new Report(wishes.mode)
  if (wishes.mode === 'planner') runPlanner(wishes, report)
  else await runEngine(wishes, report)
  return report.failures === 0
}

try {
  if (!(await main())) process.exitCode = 1
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
  process.exitCode = 1
}
