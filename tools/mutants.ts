/**
 * Plants small faults in the sources, one at a time, and counts how many the unit tests find.
 * `npm run mutants -- src/core [--sample N] [--seed S]`; survivors are listed with file and line.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { filesOf } from './imports.ts'
import { mutantsOf, type Mutant } from './mutants/mutate.ts'
import { TestsOf } from './mutants/tests-of.ts'

const USAGE = 'usage: npm run mutants -- FOLDER|FILE… [--sample N] [--seed S] [--min PERCENT]'
const root = join(import.meta.dirname, '..')
/** Time of a run with a planted fault, as a multiple of the time without: more counts as an endless loop. */
const SLOWER_MAX = 10
const RUN_MS_MIN = 20_000
const BASELINE_MS_MAX = 600_000
const PROGRESS_EVERY = 50

type Verdict = 'found' | 'timed out' | 'survived' | 'untested'
type Outcome = 'passed' | 'failed' | 'timed out'

async function runTests(tests: readonly string[], mutant: Mutant | undefined, msMax: number): Promise<Outcome> {
  const planted = mutant && { ...mutant, url: pathToFileURL(join(root, mutant.file)).href }
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const hook = pathToFileURL(join(import.meta.dirname, 'mutants', 'hook.ts')).href
  const args = ['--import', hook, '--test', '--test-isolation=none', '--test-reporter=dot']
  const env = { ...process.env, TWINFOLD_MUTANT: JSON.stringify(planted ?? null) }
  const child = spawn(process.execPath, [...args, ...tests], {
    cwd: root,
    env,
    stdio: 'ignore',
    timeout: msMax,
    killSignal: 'SIGKILL',
  })
  child.on('error', () => resolve('failed'))
  child.on('exit', (code, signal) => resolve(code === 0 ? 'passed' : signal === 'SIGKILL' ? 'timed out' : 'failed'))
  return promise
}

const baselines = new Map<string, Promise<number>>()

/** The time limit of a run: tests of different sizes on machines of different load. */
async function limitMs(tests: readonly string[]): Promise<number> {
  const key = tests.join(' ')
  const baseline = baselines.get(key) ?? measure(tests)
  baselines.set(key, baseline)
  return Math.max(RUN_MS_MIN, (await baseline) * SLOWER_MAX)
}

async function measure(tests: readonly string[]): Promise<number> {
  const startedMs = performance.now()
  if ((await runTests(tests, undefined, BASELINE_MS_MAX)) !== 'passed') {
    console.error('the tests fail without any planted fault; nothing was measured')
    process.exit(1)
  }
  return performance.now() - startedMs
}

/** The nearest tests first: most faults are found by them, and the others take longer. */
async function tryMutant(mutant: Mutant, testsOf: TestsOf): Promise<Verdict> {
  const groups = testsOf.groups(mutant.file)
  for (const tests of groups) {
    const outcome = await runTests(tests, mutant, await limitMs(tests))
    if (outcome !== 'passed') return outcome === 'failed' ? 'found' : 'timed out'
  }
  return groups.length === 0 ? 'untested' : 'survived'
}

/** A sample that is the same for the same seed. */
function sampled(mutants: readonly Mutant[], count: number, seed: number): readonly Mutant[] {
  let state = seed >>> 0 || 1
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0)
  const keyed = mutants.map((mutant) => ({ mutant, key: next() }))
  return keyed
    .sort((a, b) => a.key - b.key)
    .slice(0, count)
    .map(({ mutant }) => mutant)
}

async function runAll(mutants: readonly Mutant[], testsOf: TestsOf): Promise<Map<Mutant, Verdict>> {
  const verdicts = new Map<Mutant, Verdict>()
  const waiting = [...mutants]
  const work = async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      verdicts.set(mutant, await tryMutant(mutant, testsOf))
      if (verdicts.size % PROGRESS_EVERY === 0) console.error(`${verdicts.size} of ${mutants.length} tried`)
    }
  }
  await Promise.all(Array.from({ length: Math.max(1, availableParallelism()) }, work))
  return verdicts
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`
}

function isFound(verdict: Verdict): boolean {
  return verdict === 'found' || verdict === 'timed out'
}

function report(verdicts: ReadonlyMap<Mutant, Verdict>): number {
  const byFile = Map.groupBy(verdicts, ([mutant]) => mutant.file)
  for (const [file, entries] of [...byFile].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const found = entries.filter(([, verdict]) => isFound(verdict)).length
    console.log(`${file}: ${found} of ${entries.length} found, ${percent(found, entries.length)}`)
    for (const [{ line, change }, verdict] of entries) {
      if (!isFound(verdict)) console.log(`  ${file}:${line} ${verdict}: ${change}`)
    }
  }
  const count = (wanted: Verdict): number => [...verdicts.values()].filter((verdict) => verdict === wanted).length
  const [timedOut, found] = [count('timed out'), count('found') + count('timed out')]
  const score = `${found} of ${verdicts.size} planted faults found, ${percent(found, verdicts.size)}`
  console.log(`mutation score: ${score}; ${timedOut} of them by a run that did not end`)
  return (100 * found) / Math.max(1, verdicts.size)
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    min: { type: 'string', default: '0' },
  },
})
if (positionals.length === 0) {
  console.error(USAGE)
  process.exit(1)
}
const files = filesOf(
  root,
  positionals.map((at) => (at.endsWith('.ts') ? at : `${at}/**/*.ts`)),
)
const all = files.flatMap((file) => mutantsOf(file, readFileSync(join(root, file), 'utf8')))
const chosen = values.sample === undefined ? all : sampled(all, Number(values.sample), Number(values.seed))
console.log(`${all.length} faults can be planted in ${files.length} files; ${chosen.length} are tried`)
const testsOf = new TestsOf(root)
const score = report(await runAll(chosen, testsOf))
process.exitCode = score < Number(values.min) ? 1 : 0
