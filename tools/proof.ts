/** Writes the summary of all recorded runs at the top of docs/faults.md: `npm run proof`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { recordedRuns, type Run } from './proof/runs.ts'

const PATH = join(import.meta.dirname, '..', 'docs', 'faults.md')
const BEGIN = '<!-- summary: written by npm run proof -->'
const END = '<!-- end of the summary -->'

const KINDS: Readonly<Record<string, string>> = {
  chaos: 'Real processes under faults (`npm run chaos`): contents written',
  fuzz: 'Coverage-guided fuzzing (`npm run fuzz`): inputs',
  soak: 'Tests of the rows below with more cases (`npm run soak`): inputs',
  sim: 'Simulated devices (`npm run sim`): actions',
  frames: 'Random frames to Twinfold and Syncthing (`npm run frames`): frames',
}

/** One row a kind: the sum of its runs, with day and commit of the last. */
export function summaryOf(runs: ReadonlyMap<string, readonly Run[]>): string {
  const head = [
    '| Runs | Number | Rounds | Hours | Inputs | Faults injected | Failures | Last run | Commit |',
    '|---|---|---|---|---|---|---|---|---|',
  ]
  return [...head, ...[...runs].map(([kind, list]) => rowOf(KINDS[kind] ?? kind, list))].join('\n')
}

function rowOf(title: string, runs: readonly Run[]): string {
  const sum = (of: (run: Run) => number) => runs.reduce((total, run) => total + of(run), 0)
  const last = runs.at(-1)
  const figures = [
    runs.length,
    sum(({ rounds }) => rounds),
    (sum(({ seconds }) => seconds) / 3_600).toFixed(2),
    sum(({ inputs }) => inputs),
    sum(({ faults }) => faults),
    sum(({ failures }) => failures),
  ].map((figure) => (typeof figure === 'number' ? figure.toLocaleString('en') : figure))
  return `| ${[title, ...figures, last?.date ?? '', last?.commit ?? ''].join(' | ')} |`
}

/** The document with the summary between its two marks. */
export function withSummary(document: string, summary: string): string {
  const [begin, end] = [document.indexOf(BEGIN), document.indexOf(END)]
  if (begin < 0 || end < begin) throw new Error('docs/faults.md has no marks for the summary')
  return `${document.slice(0, begin)}${BEGIN}\n\n${summary}\n\n${document.slice(end)}`
}

if (import.meta.main) writeFileSync(PATH, withSummary(readFileSync(PATH, 'utf8'), summaryOf(recordedRuns())))
