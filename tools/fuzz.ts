/**
 * Coverage-guided fuzzing: `npm run fuzz [-- TARGET… --seconds N]`. Inputs that reach new branches are changed further.
 * `--runs N` bounds the number of inputs instead of the time, or beside it, which makes a run repeatable with
 * `--seed N`; `--size N` bounds the bytes of an input; `--keep` adds inputs that reach something new to
 * test/fuzz/corpus; `--record` adds the result to docs/proof.
 */
import { parseArgs } from 'node:util'
import { readCorpus, toLine, writeCorpus } from './fuzz/corpus.ts'
import { Coverage } from './fuzz/coverage.ts'
import { fuzz, type FuzzResult } from './fuzz/loop.ts'
import { recordRun } from './proof/runs.ts'

const USAGE = 'usage: npm run fuzz [-- TARGET… --seconds N --runs N --seed N --size N --keep --record]'

/** Without any other bound. */
const SECONDS = 10

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    runs: { type: 'string' },
    seed: { type: 'string' },
    size: { type: 'string' },
    keep: { type: 'boolean', default: false },
    record: { type: 'boolean', default: false },
  },
})

/** Loaded after the hook that gives the sources their counters. */
const { isRefusal, TARGETS } = await import('./fuzz/targets.ts')

async function fuzzTarget(target: (typeof TARGETS)[number], seed: number): Promise<FuzzResult> {
  const seconds = values.seconds ?? (values.runs === undefined ? SECONDS : Infinity)
  const endMs = performance.now() + Number(seconds) * 1_000
  const runsMax = Number(values.runs ?? Infinity)
  const corpus = readCorpus(target.name)
  const result = await fuzz(target, new Coverage(), {
    corpus,
    seed,
    sizeBytesMax: values.size === undefined ? undefined : Number(values.size),
    isRefusal,
    isOver: (runs) => runs >= runsMax || performance.now() >= endMs,
  })
  if (values.keep && result.added.length > 0) writeCorpus(target.name, [...corpus, ...result.added])
  return result
}

function print({ failures, added, ...figures }: FuzzResult): void {
  console.log(JSON.stringify({ ...figures, seconds: Math.round(figures.seconds), added: added.length }))
  for (const { reason, input } of failures)
    console.log(`FAILURE of ${figures.target}: ${reason}\n  input: ${toLine(input)}`)
}

async function main(): Promise<void> {
  const unknown = positionals.filter((name) => !TARGETS.some((target) => target.name === name))
  if (unknown.length > 0)
    throw new Error(`unknown: ${unknown.join(', ')}; ${TARGETS.map(({ name }) => name).join(', ')}`)
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed)
  const numbers = [values.seconds ?? 0, seed, values.runs ?? 1, values.size ?? 1].map(Number)
  if (!numbers.every((value) => value >= 0)) throw new Error(USAGE)
  console.log(`seed ${seed}`)
  const chosen = TARGETS.filter(({ name }) => positionals.length === 0 || positionals.includes(name))
  for (const target of chosen) {
    const result = await fuzzTarget(target, seed)
    print(result)
    if (result.failures.length > 0) process.exitCode = 1
    if (values.record) recordRun('fuzz', recorded(result, seed))
  }
}

function recorded({ failures, added, ...figures }: FuzzResult, seed: number) {
  const size = values.size === undefined ? '' : ` --size ${values.size}`
  return {
    command: `npm run fuzz -- ${figures.target} --runs ${figures.runs} --seed ${seed}${size}`,
    seconds: Math.round(figures.seconds),
    rounds: 1,
    inputs: figures.runs,
    faults: 0,
    failures: failures.length,
    details: { ...figures, added: added.length },
  }
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
