/** Results of long runs, kept in the repository: `npm run proof` writes the table of docs/faults.md from them. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const RESULTS = join(root, 'docs', 'proof')

/** One run of a command, as far as all kinds of runs have the same figures. */
export interface Run {
  /** The day, in UTC. */
  readonly date: string
  readonly commit: string
  /** What repeats it. */
  readonly command: string
  readonly seconds: number
  /** Rounds, seeds or targets. */
  readonly rounds: number
  /** Contents written, packets or files read. */
  readonly inputs: number
  readonly faults: number
  /** Broken promises: losses, torn files, unequal trees, crashes, exceeded budgets. */
  readonly failures: number
  readonly details?: Readonly<Record<string, unknown>>
}

/** Adds a run to the results of its kind. */
export function recordRun(kind: string, run: Omit<Run, 'date' | 'commit'>): void {
  mkdirSync(RESULTS, { recursive: true })
  const path = join(RESULTS, `${kind}.json`)
  const earlier = existsSync(path) ? readRuns(path) : []
  const added: Run = { date: new Date().toISOString().slice(0, 10), commit: currentCommit(), ...run }
  writeFileSync(path, `${JSON.stringify([...earlier, added], null, 2)}\n`)
}

/** All recorded runs by kind. */
export function recordedRuns(): ReadonlyMap<string, readonly Run[]> {
  const files = existsSync(RESULTS) ? readdirSync(RESULTS).filter((name) => name.endsWith('.json')) : []
  return new Map(files.sort().map((name) => [basename(name, '.json'), readRuns(join(RESULTS, name))]))
}

function readRuns(path: string): readonly Run[] {
  const runs: unknown = JSON.parse(readFileSync(path, 'utf8'))
  if (!Array.isArray(runs) || !runs.every(isRun)) throw new Error(`${path} is not a list of runs`)
  return runs
}

function isRun(value: unknown): value is Run {
  const numbers = ['seconds', 'rounds', 'inputs', 'faults', 'failures']
  const texts = ['date', 'commit', 'command']
  if (typeof value !== 'object' || value === null) return false
  return (
    numbers.every((name) => Number.isFinite(Reflect.get(value, name))) &&
    texts.every((name) => typeof Reflect.get(value, name) === 'string')
  )
}

function currentCommit(): string {
  const git = (...words: readonly string[]) => spawnSync('git', words, { cwd: root, encoding: 'utf8' }).stdout.trim()
  const changed = git('status', '--porcelain', '--untracked-files=no', 'src') === '' ? '' : ' with changes'
  return `${git('rev-parse', '--short=10', 'HEAD')}${changed}`
}
