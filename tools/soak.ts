/**
 * The long runs: the same tests as `npm test`, with many times as many cases. `npm run soak [-- FACTOR [FILE…]]`;
 * `--name` runs only tests whose titles match, `--record` adds the figures that the tests print to docs/proof.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { recordRun } from './proof/runs.ts'
import { rowOf, soakRun, type Row } from './proof/rows.ts'
import type { Tally } from './reporter.ts'

const USAGE =
  'usage: npm run soak [-- FACTOR [FILE…] [--name PATTERN] [--record]]   FACTOR: how many times harder, default 20'
const root = join(import.meta.dirname, '..')

/** Runs the tests, passes their output on and returns the rows of the fault catalogue that they print. */
async function soak(
  factor: string,
  files: readonly string[],
  name: string | undefined,
  tallyFile: string,
): Promise<readonly Row[]> {
  const options = ['--test', '--test-concurrency=2', '--test-reporter=./tools/reporter.ts']
  if (name !== undefined) options.push(`--test-name-pattern=${name}`)
  const child = spawn(process.execPath, [...options, ...files], {
    cwd: root,
    stdio: ['inherit', 'pipe', 'inherit'],
    env: { ...process.env, TWINFOLD_EFFORT: factor, TEST_TALLY: tallyFile },
  })
  const rows: Row[] = []
  for await (const line of createInterface(child.stdout)) {
    console.log(line)
    const row = rowOf(line)
    if (row !== undefined) rows.push(row)
  }
  if (child.exitCode === null) await once(child, 'exit')
  process.exitCode = child.exitCode ?? 1
  return rows
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { name: { type: 'string' }, record: { type: 'boolean', default: false } },
  })
  const [factor = '20', ...files] = positionals
  if (!(Number(factor) >= 1)) throw new Error(USAGE)
  const chosen = files.length > 0 ? files : globSync('test/**/*.test.ts', { cwd: root }).sort()
  const directory = mkdtempSync(join(tmpdir(), 'twinfold-soak-'))
  try {
    const tallyFile = join(directory, 'tally.json')
    const startedMs = performance.now()
    const rows = await soak(factor, chosen, values.name, tallyFile)
    const seconds = Math.round((performance.now() - startedMs) / 1_000)
    const { failed }: Tally = JSON.parse(readFileSync(tallyFile, 'utf8'))
    const named = values.name === undefined ? [] : ['--name', values.name]
    const command = ['npm run soak --', factor, ...files, ...named].join(' ')
    if (values.record) recordRun('soak', soakRun(command, seconds, rows, failed))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

try {
  await main()
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
