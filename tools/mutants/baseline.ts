/** What each test file does without a fault: the time it takes, and which places of the sources it runs. */
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { filesOf } from '../imports.ts'
import type { Mutant } from './mutate.ts'
import { runTests, urlOf, type CountedRange, type RunFigures } from './run-tests.ts'

/** The tests of one process with a planted fault, and the processor time that they take without. */
export interface TestRun {
  readonly tests: readonly string[]
  readonly cpuMs: number
}

/** Tests beyond this are left out: a fault that only they would find counts as a survivor. */
const ALL_CPU_MS_MAX = 6_000

/** A test that takes longer is used for no fault; the measurement itself makes tests slower. */
const MEASURED_CPU_MS_MAX = 1.5 * ALL_CPU_MS_MAX
const TOO_SLOW: RunFigures = { cpuMs: MEASURED_CPU_MS_MAX, coverage: [] }

export class Baseline {
  readonly #root: string
  /** Stands for all files that a test may import. */
  readonly #sourcesHash: string
  readonly #reports = new Map<string, Promise<RunFigures>>()

  constructor(root: string) {
    this.#root = root
    const sources = filesOf(root, ['src/**/*.ts', 'test/**/*.ts']).filter((file) => !file.endsWith('.test.ts'))
    this.#sourcesHash = hash('sha256', sources.map((file) => this.#read(file)).join('\0'))
  }

  #read(file: string): string {
    return readFileSync(join(this.#root, file), 'utf8')
  }

  /**
   * Those of the tests that run the place of the fault, one process for each group. The tests of a group are measured
   * only when those before it have not found the fault.
   */
  async *runsFor(mutant: Mutant, groups: readonly (readonly string[])[]): AsyncGenerator<TestRun, void, undefined> {
    let allCpuMs = 0
    for (const group of groups) {
      const run = { tests: [] as string[], cpuMs: 0 }
      for (const test of group) {
        const { cpuMs, coverage } = await this.#report(test)
        const url = urlOf(this.#root, mutant.file)
        if (!coverage.some((each) => isCovered(each[url] ?? [], mutant.start))) continue
        if (allCpuMs + cpuMs > ALL_CPU_MS_MAX) continue
        run.tests.push(test)
        run.cpuMs += cpuMs
        allCpuMs += cpuMs
      }
      if (run.tests.length > 0) yield run
    }
  }

  #report(test: string): Promise<RunFigures> {
    const report = this.#reports.get(test) ?? this.#measure(test)
    this.#reports.set(test, report)
    return report
  }

  /** The result of an earlier run is used while neither the test nor any source has changed. */
  async #measure(test: string): Promise<RunFigures> {
    const directory = join(this.#root, 'node_modules', '.cache', 'mutants-figures')
    const stored = join(directory, `${hash('sha256', `${this.#sourcesHash} ${this.#read(test)}`)}.json`)
    if (existsSync(stored)) return JSON.parse(readFileSync(stored, 'utf8')) as RunFigures
    const run = await runTests(this.#root, [test], { cpuMsMax: MEASURED_CPU_MS_MAX, withCoverage: true })
    const report = run.outcome === 'timed out' ? TOO_SLOW : run.report
    if (run.outcome === 'failed' || report === undefined) throw new Error(`${test} fails without any planted fault`)
    mkdirSync(directory, { recursive: true })
    writeFileSync(stored, JSON.stringify(report))
    return report
  }
}

/** The innermost range around a place has its count; ranges lie inside each other or beside each other. */
export function isCovered(ranges: readonly CountedRange[], offset: number): boolean {
  let innermost: CountedRange | undefined
  for (const range of ranges) {
    if (offset < range.startOffset || offset >= range.endOffset) continue
    if (innermost === undefined || lengthOf(range) <= lengthOf(innermost)) innermost = range
  }
  return (innermost?.count ?? 0) > 0
}

function lengthOf({ startOffset, endOffset }: CountedRange): number {
  return endOffset - startOffset
}
