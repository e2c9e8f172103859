/**
 * Loaded before the tests of a mutant: gives them one source with the fault planted; the file on disk stays as it is.
 * Ends a run that uses too much processor time, and reports the time used to the parent.
 */
import { readFileSync, writeSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { Worker } from 'node:worker_threads'
import { configureGlobal } from 'fast-check'

/** The time used is written here at the end. */
const CPU_FD = 3
const cpuMsMax = Number(process.env['TWINFOLD_CPU_MS'] ?? 0)

/** A thread of its own: an endless loop blocks every timer of this one. */
const WATCHDOG = `
  const { workerData } = require('node:worker_threads')
  setInterval(() => {
    const { user, system } = process.cpuUsage()
    if ((user + system) / 1000 > workerData) process.kill(process.pid, 'SIGKILL')
  }, 200)`
if (cpuMsMax > 0) new Worker(WATCHDOG, { eval: true, workerData: cpuMsMax, execArgv: [] }).unref()
process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  writeSync(CPU_FD, String(Math.round((user + system) / 1_000)))
})

/** Most faults fail at the first generated values; those that survive are tried again without this limit. */
const propertyMsMax = Number(process.env['TWINFOLD_PROPERTY_MS'] ?? 0)
configureGlobal({ seed: 1, ...(propertyMsMax > 0 ? { interruptAfterTimeLimit: propertyMsMax } : {}) })

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
