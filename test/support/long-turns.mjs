// Appends a line to the file TWINFOLD_TURNS for each long turn of the event loop of the main thread: when it ended, and
// its processor time in milliseconds, which does not depend on what else the machine does.
import { appendFileSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'

const INTERVAL_MS = 5
const LONG_MS = 50
const file = process.env.TWINFOLD_TURNS
let before = cpuMs()

function cpuMs() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}

function look() {
  const now = cpuMs()
  const tookMs = now - before
  before = now
  if (tookMs < LONG_MS) return
  try {
    appendFileSync(file, `${Date.now()} ${Math.round(tookMs)}\n`)
  } catch {
    // The home does not exist yet.
  }
}

if (isMainThread && file !== undefined) setInterval(look, INTERVAL_MS).unref()
