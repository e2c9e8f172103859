/** Runs unit tests in one process, with or without a planted fault. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Mutant } from './mutate.ts'

type Outcome = 'passed' | 'failed' | 'timed out'

/** From the address of a source to the ranges that V8 counted, outer ones first, in one thread. */
export type Coverage = Readonly<Record<string, readonly CountedRange[]>>

export interface CountedRange {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}

/** What a run reports at its end; a process that was ended reports nothing. */
export interface RunReport {
  readonly cpuMs: number
  readonly coverage?: Coverage
}

/** The reports of all threads of a run. */
export interface RunFigures {
  readonly cpuMs: number
  readonly coverage: readonly Coverage[]
}

interface Run {
  readonly outcome: Outcome
  readonly report: RunFigures | undefined
}

interface RunOptions {
  readonly mutant?: Mutant
  /** More processor time than this is an endless loop. */
  readonly cpuMsMax: number
  readonly withCoverage?: boolean
}

/** Where a run writes its report. */
export const REPORT_FD = 3

function part(name: string): string {
  return pathToFileURL(join(import.meta.dirname, name)).href
}

export function urlOf(root: string, file: string): string {
  return pathToFileURL(join(root, file)).href
}

export async function runTests(root: string, tests: readonly string[], options: RunOptions): Promise<Run> {
  const { mutant, cpuMsMax, withCoverage = false } = options
  const planted = mutant && { ...mutant, url: urlOf(root, mutant.file) }
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const reporter = `--test-reporter=${part('stop-at-failure.ts')}`
  const args = ['--import', part('hook.ts'), '--test', '--test-isolation=none', reporter, ...tests]
  const env = {
    ...process.env,
    TWINFOLD_MUTANT: JSON.stringify(planted ?? null),
    TWINFOLD_CPU_MS: String(cpuMsMax),
    TWINFOLD_COVERAGE: withCoverage ? urlOf(root, 'src/') : '',
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'mutants'),
  }
  const child = spawn(process.execPath, args, {
    cwd: root,
    env,
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  let report = ''
  child.stdio[REPORT_FD]?.on('data', (chunk: Buffer) => (report += chunk.toString()))
  child.on('error', () => resolve('failed'))
  child.on('close', (code, signal) => resolve(code === 0 ? 'passed' : signal === 'SIGKILL' ? 'timed out' : 'failed'))
  const outcome = await promise
  return { outcome, report: report === '' ? undefined : figuresOf(report) }
}

export function figuresOf(lines: string): RunFigures {
  const reports = lines.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as RunReport]))
  return {
    cpuMs: Math.max(...reports.map(({ cpuMs }) => cpuMs)), // each is that of the process
    coverage: reports.flatMap(({ coverage }) => (coverage === undefined ? [] : [coverage])),
  }
}
