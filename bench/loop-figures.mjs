// Loaded into a daemon by `--import`: at each SIGUSR2 it writes the figures of its event loop since the last one to the
// file TWINFOLD_LOOP_FIGURES. The delay depends on the load of the machine; the processor time of the main thread
// between two ticks, less the time between ticks, does not, and is the longest that a turn can have taken.
import { writeFileSync, renameSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const TICK_MS = 5
const file = process.env.TWINFOLD_LOOP_FIGURES

if (isMainThread && file !== undefined) {
  const delay = monitorEventLoopDelay({ resolution: TICK_MS })
  delay.enable()
  let turnsMs = []
  let before = cpuMs()
  setInterval(() => {
    const now = cpuMs()
    turnsMs.push(now - before)
    before = now
  }, TICK_MS).unref()
  process.on('SIGUSR2', () => {
    const sorted = turnsMs.sort((a, b) => a - b)
    const figures = {
      ticks: sorted.length,
      delayP99Ms: delay.percentile(99) / 1e6 - TICK_MS,
      delayMaxMs: delay.max / 1e6 - TICK_MS,
      turnP99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
      turnMaxMs: sorted.at(-1) ?? 0,
    }
    writeFileSync(`${file}.new`, JSON.stringify(figures))
    renameSync(`${file}.new`, file)
    delay.reset()
    turnsMs = []
  })
}

function cpuMs() {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
