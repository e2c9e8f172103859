import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './bench-options.ts'
import { loopFigures, measuredTwinfold, quantile } from './light-peers.ts'
import { field } from './measure.ts'
import { Running } from './program.ts'
import { twinfold } from './twinfold.ts'

const LIMIT_MS = 600_000
const POLL_MS = 500
const IDLE_MS = 20_000
const PINGS = 400

/** Many folders of one file each, watched and with the default interval of scans: their start, idle and statuses. */
export async function manyFolders(bench: Bench): Promise<void> {
  if (!bench.programs.includes(twinfold)) return
  for (const folders of bench.sizes.folders) {
    const home = join(bench.scratch, `folders-${folders}`)
    mkdirSync(home, { recursive: true, mode: 0o700 })
    twinfold.makeHome(home)
    try {
      await addFolders(home, folders)
      await measure(bench, home, folders)
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  }
}

function idOf(folder: number): string {
  return `folder-${folder}`
}

async function addFolders(home: string, folders: number): Promise<void> {
  const all = Array.from({ length: folders }, (_none, place) => {
    const path = join(home, 'roots', idOf(place))
    mkdirSync(path, { recursive: true })
    writeFileSync(join(path, 'a file'), idOf(place))
    return { id: idOf(place), path }
  })
  const { running } = await Running.start(twinfold, home)
  try {
    await running.call('PUT', '/rest/config/folders', all)
    await scanned(running, folders)
  } finally {
    await running[Symbol.asyncDispose]()
  }
}

/** All folders have been scanned. */
async function scanned(running: Running, folders: number): Promise<void> {
  const deadlineMs = performance.now() + LIMIT_MS
  for (let place = 0; place < folders;) {
    const status = await running.call('GET', `/rest/db/status?folder=${idOf(place)}`)
    if (field(status, 'state') === 'idle' && field(status, 'localFiles') === 1) place++
    else if (performance.now() > deadlineMs) throw new Error(`folder ${place}: ${JSON.stringify(status)}`)
    else await new Promise((done) => setTimeout(done, POLL_MS))
  }
}

async function measure(bench: Bench, home: string, folders: number): Promise<void> {
  const record = (name: string, value: number) =>
    bench.record({ row: `folders-${folders}-${name}`, subject: 'twinfold', value })
  const { running, startMs } = await Running.start(measuredTwinfold(home), home)
  try {
    record('start', startMs)
    record('start-cpu', running.cpuSeconds() * 1_000)
    await scanned(running, folders)
    await new Promise((done) => setTimeout(done, IDLE_MS))
    record('settled-cpu', running.cpuSeconds() * 1_000)
    record('start-turn-max', (await loopFigures({ running, home })).turnMaxMs)
    const idleBefore = running.cpuSeconds()
    await new Promise((done) => setTimeout(done, IDLE_MS))
    record('idle-cpu', ((running.cpuSeconds() - idleBefore) * 1_000_000) / IDLE_MS)
    record('rss', running.memoryMib().now)
    record('peak', running.memoryMib().peak)
    const timed = async (path: string) => {
      const startedMs = performance.now()
      await running.call('GET', path)
      return performance.now() - startedMs
    }
    const pings: number[] = []
    for (let count = 0; count < PINGS; count++) pings.push(await timed('/rest/system/ping'))
    record('ping-p99', quantile(pings, 0.99))
    const cpuBefore = running.cpuSeconds()
    const statuses: number[] = []
    for (let place = 0; place < folders; place++) statuses.push(await timed(`/rest/db/status?folder=${idOf(place)}`))
    record('status-cpu', ((running.cpuSeconds() - cpuBefore) * 1_000) / folders)
    record('status-p99', quantile(statuses, 0.99))
  } finally {
    await running[Symbol.asyncDispose]()
  }
}
