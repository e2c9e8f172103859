/**
 * Runs seeds of whole simulated devices, or of the planner alone. `npm run sim -- --seeds 1000`; a failing seed prints
 * the command that replays it with its trace. On interruption the totals and the command that continues are printed.
 * `--record` adds the result to docs/proof.
 */
import { parseArgs } from 'node:util'
import { runSeed } from '../test/sim/run-seed.ts'
import { PlannerCase } from '../test/sim/planner.ts'
import { Reached } from '../test/sim/sometimes.ts'
import type { Workload } from '../test/sim/user.ts'
import { recordRun } from './proof/runs.ts'

const USAGE =
  'usage: npm run sim -- [--seeds N] [--from S] [--seed S] [--record] ' +
  '[--mode engine|types|byzantine|untrusted|deceptive|programs|planner|fleets]'
/** Every so many seeds run twice: the same seed must produce the same trace. */
const TWICE_EVERY = 20
const FAILURES_SHOWN_MAX = 20
/** Seeds between two progress lines. */
const PROGRESS_EVERY = 500

const MODES = ['engine', 'types', 'byzantine', 'untrusted', 'deceptive', 'programs', 'planner', 'fleets'] as const
type Mode = (typeof MODES)[number]

interface Options {
  readonly mode: Mode
  /** One seed with its trace. */
  readonly seed: number | undefined
  readonly from: number
  readonly seeds: number
  readonly record: boolean
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      from: { type: 'string' },
      seed: { type: 'string' },
      mode: { type: 'string', default: 'engine' },
      record: { type: 'boolean', default: false },
    },
  })
  const mode = MODES.find((each) => each === values.mode)
  if (mode === undefined) throw new Error(`the mode is one of ${MODES.join(', ')}`)
  return {
    mode,
    seed: values.seed === undefined ? undefined : wholeNumber(values.seed),
    from: wholeNumber(values.from ?? '1'),
    seeds: wholeNumber(values.seeds ?? (isPlanner(mode) ? '100000' : '200')),
    record: values.record,
  }
}

function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new Error(`${text} is not a whole number`)
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

/** Aborts at the first signal; the seed under way is completed. */
function untilInterrupted(): AbortSignal {
  const stop = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort())
  return stop.signal
}

async function runEngine({ mode, from, seeds, record }: Options, report: Report): Promise<void> {
  const reached = new Reached()
  const started = process.cpuUsage()
  const stop = untilInterrupted()
  // Thousands of errors are thrown and caught in every run; only a replay needs their stack traces.
  Error.stackTraceLimit = 0
  let actions = 0
  let mismatches = 0
  let done = 0
  for (let seed = from; seed < from + seeds && !stop.aborted; seed++, done++) {
    if (done > 0 && done % PROGRESS_EVERY === 0)
      console.log(`${done} seeds run, ${report.failures} failed; next: ${seed}`)
    const run = await runSeed(seed, { workload: workloadOf(mode) })
    reached.merge(run.reached)
    actions += run.actions
    if (run.failure !== undefined) report.failed(seed, run.failure.message)
    if (seed % TWICE_EVERY !== 0 || (await runSeed(seed, { workload: workloadOf(mode) })).digest === run.digest)
      continue
    mismatches++
    report.failed(seed, 'two runs of this seed differ')
  }
  console.log(reached.lines().join('\n'))
  const figures = {
    id: mode === 'types' ? 'C-12' : 'S-01',
    mode,
    from,
    seeds: done,
    actions,
    faults: reached.faults,
    failures: report.failures,
    mismatches,
    reachedPercent: reached.percent,
    seedsPerMinute: Math.round((60_000 * done) / cpuMs(started)),
    rssMiB: Math.round(process.memoryUsage.rss() / 2 ** 20),
  }
  console.log(JSON.stringify(figures))
  if (record)
    keep({ mode, from, seeds: done }, { inputs: actions, faults: reached.faults, failures: report.failures }, figures)
  const left = seeds - done
  if (left > 0)
    console.log(`interrupted; to continue: npm run sim -- --mode ${mode} --seeds ${left} --from ${from + done}`)
}

/** Adds the run to docs/proof. */
function keep(
  { mode, from, seeds }: Pick<Options, 'mode' | 'from' | 'seeds'>,
  counts: { readonly inputs: number; readonly faults: number; readonly failures: number },
  details: Readonly<Record<string, unknown>>,
): void {
  const command = `npm run sim -- --mode ${mode} --from ${from} --seeds ${seeds}`
  const { inputs, faults, failures } = counts
  const seconds = Math.round(performance.now() / 1_000)
  recordRun('sim', { command, seconds, rounds: seeds, inputs, faults, failures, details })
}

/** The pure decisions alone: of one program, or of several with different rules. */
function isPlanner(mode: Mode): mode is 'planner' | 'fleets' {
  return mode === 'planner' || mode === 'fleets'
}

function workloadOf(mode: Mode): Workload {
  return mode === 'engine' || isPlanner(mode) ? 'mixed' : mode
}

function runPlanner({ mode, from, seeds, record }: Options, report: Report): void {
  const started = process.cpuUsage()
  let conflicts = 0
  let roundsMost = 0
  let overruled = 0
  for (let seed = from; seed < from + seeds; seed++) {
    const planner = new PlannerCase(seed, { mixed: mode === 'fleets' })
    try {
      planner.run()
    } catch (error) {
      report.failed(seed, String(error))
    }
    conflicts += planner.conflicts
    overruled += planner.overruled
    roundsMost = Math.max(roundsMost, planner.rounds)
  }
  const figures = {
    id: 'S-03',
    mode,
    from,
    cases: seeds,
    conflicts,
    overruled,
    roundsMost,
    failures: report.failures,
    casesPerMinute: Math.round((60_000 * seeds) / cpuMs(started)),
  }
  console.log(JSON.stringify(figures))
  if (record) keep({ mode, from, seeds }, { inputs: seeds, faults: 0, failures: report.failures }, figures)
}

/** Of one core. */
function cpuMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since)
  return (user + system) / 1_000
}

async function replay(mode: Mode, seed: number): Promise<string | undefined> {
  const print = (line: string): void => console.log(line)
  if (!isPlanner(mode)) return (await runSeed(seed, { print, workload: workloadOf(mode) })).failure?.message
  try {
    new PlannerCase(seed, { mixed: mode === 'fleets', print }).run()
    return undefined
  } catch (error) {
    return String(error)
  }
}

async function main(): Promise<boolean> {
  const options = readOptions()
  if (options.seed !== undefined) {
    const failure = await replay(options.mode, options.seed)
    console.log(failure === undefined ? 'all invariants hold' : `violated: ${failure}`)
    return failure === undefined
  }
  const report = new Report(options.mode)
  if (isPlanner(options.mode)) runPlanner(options, report)
  else await runEngine(options, report)
  return report.failures === 0
}

try {
  if (!(await main())) process.exitCode = 1
} catch (error) {
  console.error(`${error instanceof Error ? error.message : String(error)}\n${USAGE}`)
  process.exitCode = 1
}
