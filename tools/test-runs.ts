import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { timeLine, type FileTime, type Tally } from './reporter.ts'

const root = join(import.meta.dirname, '..')
/** More failed files than this are no accident of time: they are not run again. */
const RUN_AGAIN_AT_MOST = 3

/** `together`: many files in a process, which is quicker; `apart`: a process each, for tests that start daemons. */
export type Isolation = 'together' | 'apart'

/** Files at a time, a process each; where files share a process, processes at a time. */
const AT_ONCE = Math.min(2, availableParallelism())
/** With low priority one more: each waits for the disk a third of its time, and takes only what others leave. */
const LOW_PRIORITY_AT_ONCE = AT_ONCE + 1
/** Processes for files that share one: more than run at a time, so that none is left with most of the work. */
const PARTS = 9

const TIMEOUT_MS = 300_000
/** About a third of the processor time of a process with normal priority. */
const NICE = '5'
/** A test of seconds takes minutes while others with normal priority need both cores. */
const LOW_PRIORITY_TIMEOUT_MS = 1_200_000
/** Slow files that are printed at the end of a run. */
const SLOWEST_SHOWN = 15

export interface RunOptions {
  readonly isolation: Isolation
  readonly env: Record<string, string>
  /** The Node that runs the tests. */
  readonly node: string
  /** Files at a time where each has a process; 2 if not given. */
  readonly atOnce?: number
  /** The most time for one test, 5 minutes if not given, 20 with low priority. */
  readonly timeoutMs?: number
  /** Whether a few failed files are run once more, to tell an unstable file from a broken one. */
  readonly again: boolean
  /** Leaves the processor to others that need it. */
  readonly lowPriority?: boolean
  /** Without output, for a test of this. */
  readonly quiet?: boolean
}

/** Runs test files, and adds up the results of several runs. */
export class TestRuns {
  readonly #total = { passed: 0, failed: 0, skipped: 0 }
  /** Files with a failure in the first run and none in the second. */
  readonly #unstable: string[] = []
  readonly #fileTimes: FileTime[] = []
  #cpuMs = 0

  /**
   * Where at most a few files fail, these run once more, one at a time (decision 019). A file that then passes is
   * unstable: it is named at the end of the run, as a finding.
   */
  async run(files: readonly string[], options: RunOptions): Promise<boolean> {
    if (files.length === 0) return true
    const parts = options.isolation === 'together' ? dealOut(files, PARTS) : [files]
    const width = options.lowPriority === true ? LOW_PRIORITY_AT_ONCE : AT_ONCE
    const first = addUp(await eachOf(parts, width, (part) => runOnce(part, options.isolation, options)))
    if (first === undefined) return false
    for (const key of ['passed', 'failed', 'skipped'] as const) this.#total[key] += first[key]
    this.#cpuMs += first.cpuMs
    for (const time of first.fileTimes) this.#fileTimes.push(time)
    const failed = first.failedFiles
    if (first.failed === 0) return true
    if (!options.again || failed.length > RUN_AGAIN_AT_MOST) return false
    if (options.quiet !== true) console.log(`== once more, alone: ${failed.join(' ')}`)
    const second = await runOnce(failed, 'apart', { ...options, atOnce: 1 })
    this.#cpuMs += second?.cpuMs ?? 0
    if (second === undefined || second.failed > 0) return false
    this.#unstable.push(...failed) // at most 3
    this.#total.failed -= first.failed
    return true
  }

  /** Adds the results of another, such as those of a stage. */
  add(other: TestRuns): void {
    for (const key of ['passed', 'failed', 'skipped'] as const) this.#total[key] += other.#total[key]
    this.#unstable.push(...other.#unstable) // at most 3 per stage
    for (const time of other.#fileTimes) this.#fileTimes.push(time)
    this.#cpuMs += other.#cpuMs
  }

  summary(): string {
    const { passed, failed, skipped } = this.#total
    const line = `${passed} passed, ${failed} failed, ${skipped} skipped`
    if (this.#unstable.length === 0) return line
    const hint = 'find the cause: each waits for a time, or depends on chance or on other tests (decision 019)'
    return `${line}\nUNSTABLE, passed only in a second run: ${this.#unstable.join(' ')}\n${hint}`
  }

  /** Processor time of all files. */
  get cpuMs(): number {
    return this.#cpuMs
  }

  /** A line for each of the files that took most of the processor, which is what a run waits for. */
  slowest(): readonly string[] {
    return this.#fileTimes
      .toSorted((a, b) => b.cpuMs - a.cpuMs)
      .slice(0, SLOWEST_SHOWN)
      .map(timeLine)
  }
}

/** Deals the files out to as many lists, so that neighbours, which often need the same time, are apart. */
function dealOut(files: readonly string[], lists: number): readonly string[][] {
  return Array.from({ length: lists }, (_, list) => files.filter((_file, index) => index % lists === list)).filter(
    (list) => list.length > 0,
  )
}

/** The results in order; at most `atOnce` run at a time, the next starts when one ends. */
async function eachOf<T, R>(items: readonly T[], atOnce: number, run: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const queue = [...items.entries()]
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) results[next[0]] = await run(next[1])
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}

function addUp(tallies: readonly (Tally | undefined)[]): Tally | undefined {
  const total: Tally = { passed: 0, failed: 0, skipped: 0, failedFiles: [], fileTimes: [], cpuMs: 0 }
  for (const tally of tallies) {
    if (tally === undefined) return undefined
    total.passed += tally.passed
    total.failed += tally.failed
    total.skipped += tally.skipped
    total.cpuMs += tally.cpuMs
    for (const file of tally.failedFiles) total.failedFiles.push(file)
    for (const time of tally.fileTimes) total.fileTimes.push(time)
  }
  return total
}

/** Without an answer if the run ended otherwise than by its tests. */
async function runOnce(
  files: readonly string[],
  isolation: Isolation,
  { env, node, atOnce = AT_ONCE, lowPriority = false, quiet = false, ...limits }: RunOptions,
): Promise<Tally | undefined> {
  const timeoutMs = limits.timeoutMs ?? (lowPriority ? LOW_PRIORITY_TIMEOUT_MS : TIMEOUT_MS)
  const scratch = mkdtempSync(join(tmpdir(), 'twinfold-test-'))
  const tallyFile = join(scratch, 'tally.json')
  try {
    const preload = ['./tools/test-process.ts', './test/support/repeatable-properties.mjs']
    const setUp = ['--disable-warning=ExperimentalWarning', ...preload.map((file) => `--import=${file}`)]
    const how = [
      'tools/run-files.ts',
      `--timeout=${timeoutMs}`,
      ...(isolation === 'apart' ? [`--at-once=${atOnce}`] : []),
    ]
    const words = [node, ...setUp, ...how, ...files]
    const [program, ...args] = lowPriority && process.platform !== 'win32' ? ['nice', '-n', NICE, ...words] : words
    const passed = await command(
      program!,
      args,
      { ...env, TEST_TALLY: tallyFile, TEST_CPU: join(scratch, 'cpu') },
      quiet,
    )
    const tally: unknown = JSON.parse(readFileSync(tallyFile, 'utf8'))
    return isTally(tally) && passed === (tally.failed === 0) ? tally : undefined
  } catch (error) {
    console.error(`the tests reported no result: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

function isTally(value: unknown): value is Tally {
  return typeof value === 'object' && value !== null && 'failed' in value && 'failedFiles' in value
}

/** Whether a program ends with success; its output is shown unless `quiet`. */
export async function command(
  program: string,
  args: readonly string[],
  env: Record<string, string> = {},
  quiet = false,
): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const output = quiet ? 'ignore' : 'inherit'
  const child = spawn(program, args, {
    cwd: root,
    stdio: ['ignore', output, output],
    env: { ...process.env, ...env },
  })
  child.on('error', (error) => {
    console.error(`${program}: ${error.message}`)
    resolve(false)
  })
  child.on('exit', (code) => resolve(code === 0))
  return promise
}
