/**
 * Loaded before the tests of a mutant: gives them one source with the fault planted; the file on disk stays as it is.
 * Ends a run that uses too much processor time, and reports the time used and the places run to the parent.
 */
import { readFileSync, writeSync } from 'node:fs'
import { Session, type Profiler } from 'node:inspector'
import { registerHooks } from 'node:module'
import { Worker } from 'node:worker_threads'
import { configureGlobal } from 'fast-check'
import { REPORT_FD, type Coverage, type RunReport } from './run-tests.ts'

const cpuMsMax = Number(process.env['TWINFOLD_CPU_MS'] ?? 0)

/**
 * A thread of its own: an endless loop blocks every timer of this one. A run that uses hardly any processor time in
 * many checks waits for something forever; the time that passes shows nothing on a busy machine.
 */
const WATCHDOG = `
  const { workerData: cpuMsMax } = require('node:worker_threads')
  let usedMs = 0
  let idleChecks = 0
  setInterval(() => {
    const { user, system } = process.cpuUsage()
    const nowMs = (user + system) / 1000
    idleChecks = nowMs - usedMs < 3 ? idleChecks + 1 : 0
    usedMs = nowMs
    if (usedMs > cpuMsMax || idleChecks > 100) process.kill(process.pid, 'SIGKILL')
  }, 200)`
if (cpuMsMax > 0) new Worker(WATCHDOG, { eval: true, workerData: cpuMsMax, execArgv: [] }).unref()

/** The same generated cases in each run. */
configureGlobal({ seed: 1 })

const coveredUrl = process.env['TWINFOLD_COVERAGE'] ?? ''
const session = coveredUrl === '' ? undefined : new Session()
session?.connect()
session?.post('Profiler.enable')
session?.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })

process.on('exit', () => {
  const coverage = session && takeCoverage(session)
  const { user, system } = process.cpuUsage()
  const report: RunReport = { cpuMs: Math.round((user + system) / 1_000), ...(coverage && { coverage }) }
  writeAll(`${JSON.stringify(report)}\n`) // threads of the tests write one, too
})

/** A session of the same thread replies at once. */
function takeCoverage(profiled: Session): Coverage {
  let result: readonly Profiler.ScriptCoverage[] = []
  profiled.post('Profiler.takePreciseCoverage', (_error, taken) => (result = taken.result))
  const sources = result.filter(({ url }) => url.startsWith(coveredUrl))
  return Object.fromEntries(sources.map(({ url, functions }) => [url, functions.flatMap(({ ranges }) => ranges)]))
}

/** A pipe takes only a part of a long report at once. */
function writeAll(text: string): void {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length;) at += writeSome(bytes.subarray(at))
}

function writeSome(bytes: Buffer): number {
  try {
    return writeSync(REPORT_FD, bytes)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') return 0
    throw error
  }
}

const planted: unknown = JSON.parse(process.env['TWINFOLD_MUTANT'] ?? 'null')

interface Planted {
  readonly url: string
  readonly start: number
  readonly end: number
  readonly text: string
}

function isPlanted(value: unknown): value is Planted {
  return typeof value === 'object' && value !== null && 'url' in value
}

if (isPlanted(planted)) {
  const { url, start, end, text } = planted
  registerHooks({
    load(loaded, context, next) {
      if (loaded !== url) return next(loaded, context)
      const source = readFileSync(new URL(url), 'utf8')
      return {
        format: 'module-typescript',
        shortCircuit: true,
        source: source.slice(0, start) + text + source.slice(end),
      }
    },
  })
}
