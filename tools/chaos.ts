/**
 * Real processes under faults: two Twinfolds and a real Syncthing share a folder, inside a network with loopback only.
 * `npm run chaos -- --minutes 30 --seed N`. The seed decides what is done; when it happens depends on the machine.
 * `--record` adds the result to docs/proof, `--out FILE` writes it to a file.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runChaos, type ChaosResult } from '../test/chaos/chaos.ts'
import { missingSyncthing } from '../test/support/syncthing.ts'
import { recordRun } from './proof/runs.ts'

const USAGE = 'usage: npm run chaos -- [--minutes N] [--seed N] [--out FILE] [--record]'
/** Set in the process that may mount file systems. */
const INSIDE = 'TWINFOLD_CHAOS_INSIDE'
const ROUND_MS = 6_000

interface Options {
  readonly minutes: number
  readonly seed: number
  readonly out: string | undefined
  readonly record: boolean
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '5' },
      seed: { type: 'string' },
      out: { type: 'string' },
      record: { type: 'boolean', default: false },
    },
  })
  const minutes = Number(values.minutes)
  const seed = values.seed === undefined ? Math.floor(Math.random() * 1_000_000) : Number(values.seed)
  if (!(minutes > 0) || !Number.isInteger(seed)) throw new Error(USAGE)
  return { minutes, seed, out: values.out, record: values.record }
}

/** In namespaces of its own, so that no mounted file system is left, however the run ends. */
async function runInside(seed: number): Promise<number> {
  const flags = process.getuid?.() === 0 ? '-m' : '-rm'
  const words = [flags, process.execPath, ...process.execArgv, ...process.argv.slice(1), '--seed', String(seed)]
  const child = spawn('unshare', words, { stdio: 'inherit', env: { ...process.env, [INSIDE]: '1' } })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal))
  const [code] = (await once(child, 'exit')) as [number | null]
  return code ?? 1
}

async function run({ minutes, seed, out, record }: Options): Promise<number> {
  const missing = missingSyncthing()
  if (missing !== undefined) throw new Error(missing)
  const directory = mkdtempSync(join(tmpdir(), 'twinfold-chaos-'))
  const stopped = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stopped.abort())
  const startedMs = performance.now()
  const seconds = () => Math.round((performance.now() - startedMs) / 1_000)
  try {
    const result = await runChaos({
      directory,
      seed,
      activityMs: Math.min(ROUND_MS, minutes * 20_000),
      durationMs: minutes * 60_000,
      stop: stopped.signal,
      print: (line) => console.log(`${seconds()} s: ${line}`),
    })
    const summary = { id: 'S-06', seed, seconds: seconds(), ...result }
    console.log(JSON.stringify(summary))
    if (out !== undefined) writeFileSync(out, `${JSON.stringify(summary, null, 2)}\n`)
    if (record) recordRun('chaos', recorded(result, seed, minutes, seconds()))
    return result.violations.length === 0 ? 0 : 1
  } finally {
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 })
  }
}

function recorded(result: ChaosResult, seed: number, minutes: number, seconds: number) {
  return {
    command: `npm run chaos -- --minutes ${minutes} --seed ${seed}`,
    seconds,
    rounds: result.rounds,
    inputs: result.written,
    faults: Object.values(result.faults).reduce((sum, count) => sum + count, 0),
    failures: result.violations.length,
    details: { ...result },
  }
}

try {
  const options = readOptions()
  process.exitCode = process.env[INSIDE] === undefined ? await runInside(options.seed) : await run(options)
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
