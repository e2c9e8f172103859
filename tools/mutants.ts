/**
 * Plants small faults in the sources, one at a time, and counts how many the unit tests find.
 * `npm run mutants -- src/core [--sample N] [--seed S]`; survivors are listed with file and line.
 * Faults that the type checker finds are left out; those of `mutants/equivalent.ts` are counted apart.
 */
import { readFileSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { filesOf } from './imports.ts'
import { Baseline } from './mutants/baseline.ts'
import { equivalentReason } from './mutants/equivalent.ts'
import { mutantsOf, type Mutant } from './mutants/mutate.ts'
import { runTests } from './mutants/run-tests.ts'
import { TestsOf } from './mutants/tests-of.ts'
import { withValidTypes } from './mutants/typed.ts'

const USAGE = 'usage: npm run mutants -- FOLDER|FILE… [--sample N] [--seed S] [--min PERCENT] [--workers N]'
const root = join(import.meta.dirname, '..')
/** Processor time of a run with a planted fault, as a multiple of that without: more counts as an endless loop. */
const SLOWER_MAX = 5
const CPU_MS_MIN = 5_000
const PROGRESS_EVERY = 10

type Verdict = 'found' | 'timed out' | 'survived' | 'untested' | 'equivalent'

const testsOf = new TestsOf(root)
const baseline = new Baseline(root)

/** Processor time is limited, not the time that passes, because the load of the machine changes. */
async function tryMutant(mutant: Mutant): Promise<Verdict> {
  if (equivalentReason(mutant) !== undefined) return 'equivalent'
  let isTested = false
  for await (const { tests, cpuMs } of baseline.runsFor(mutant, testsOf.groups(mutant.file))) {
    isTested = true
    const { outcome } = await runTests(root, tests, { mutant, cpuMsMax: Math.max(CPU_MS_MIN, cpuMs * SLOWER_MAX) })
    if (outcome !== 'passed') return outcome === 'failed' ? 'found' : 'timed out'
  }
  return isTested ? 'survived' : 'untested'
}

/** How many more than wanted are drawn, because the type checker rejects some. */
const DRAWN_FACTOR = 2

/** A sample that is the same for the same seed and the same sources. */
function sampled(mutants: readonly Mutant[], count: number, seed: number): readonly Mutant[] {
  let state = seed >>> 0 || 1
  const next = () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0)
  const keyed = mutants.map((mutant) => ({ mutant, key: next() }))
  const drawn = keyed
    .sort((a, b) => a.key - b.key)
    .slice(0, count * DRAWN_FACTOR)
    .map(({ mutant }) => mutant)
  return withValidTypes(root, drawn).slice(0, count)
}

async function runAll(mutants: readonly Mutant[], workers: number): Promise<Map<Mutant, Verdict>> {
  const verdicts = new Map<Mutant, Verdict>()
  const waiting = [...mutants]
  const work = async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const verdict = await tryMutant(mutant)
      verdicts.set(mutant, verdict)
      if (!isFound(verdict)) console.error(`${mutant.file}:${mutant.line} ${verdict}: ${mutant.change}`)
      if (verdicts.size % PROGRESS_EVERY === 0) console.error(`${verdicts.size} of ${mutants.length} tried`)
    }
  }
  await Promise.all(Array.from({ length: workers }, work))
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
    console.log(`${file}: ${found} of ${entries.length} found`)
    for (const [mutant, verdict] of entries) {
      if (isFound(verdict)) continue
      const reason = equivalentReason(mutant)
      console.log(`  ${file}:${mutant.line} ${verdict}: ${mutant.change}${reason === undefined ? '' : ` (${reason})`}`)
    }
  }
  const count = (wanted: Verdict): number => [...verdicts.values()].filter((verdict) => verdict === wanted).length
  const [timedOut, equivalent] = [count('timed out'), count('equivalent')]
  const found = count('found') + timedOut
  const counted = verdicts.size - equivalent
  const score = `${found} of ${counted} planted faults found, ${percent(found, counted)}`
  console.log(`mutation score: ${score}; ${timedOut} of them by a run that did not end; ${equivalent} equivalent`)
  return (100 * found) / Math.max(1, counted)
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    min: { type: 'string', default: '0' },
    workers: { type: 'string', default: '1' },
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
setPriority(constants.priority.PRIORITY_LOW)
const chosen = sampled(all, values.sample === undefined ? all.length : Number(values.sample), Number(values.seed))
console.log(`${all.length} faults can be planted in ${files.length} files; ${chosen.length} are tried`)
const score = report(await runAll(chosen, Number(values.workers)))
process.exitCode = score < Number(values.min) ? 1 : 0
