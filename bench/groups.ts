import { appendFileSync, mkdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { BareServer, runLimit } from './limits.ts'
import { diskBytes, firstScan, memoryOf, pingDuring, requestRate, rescan } from './measure.ts'
import { Running, type Program } from './program.ts'
import type { Bench } from './bench-options.ts'
import { rest } from './rest-group.ts'
import type { Sample } from './rows.ts'
import { largeFiles, makeTree, removeTree, smallFiles, type Tree } from './tree.ts'
import { rest as request } from '../test/support/rest.ts'

/** Rows that are measured together because they share a tree or a running daemon. */
export const GROUPS: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  large,
  small,
  http,
  rest: (bench) => rest(bench, fresh),
  start,
  idle,
  growth,
  latency,
}

const HTTP_DURATION_S = 3
const PING_INTERVAL_MS = 5

async function fresh(
  bench: Bench,
  program: Program,
  use: (running: Running, home: string) => Promise<void>,
): Promise<void> {
  const home = join(bench.scratch, `home-${program.name.replaceAll(' ', '-')}`)
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true, mode: 0o700 })
  program.makeHome(home)
  const { running } = await Running.start(program, home)
  try {
    await use(running, home)
  } finally {
    await running[Symbol.asyncDispose]()
    rmSync(home, { recursive: true, force: true })
  }
}

async function large(bench: Bench): Promise<void> {
  const spec = largeFiles(bench.sizes.largeFiles, bench.sizes.largeMib)
  const tree = makeTree(spec)
  runLimit('hash-large', tree.path) // warms the page cache
  for (let round = 0; round < bench.rounds; round++) {
    recordLimit(bench, 'first-large', runLimit('hash-large', tree.path))
    for (const program of bench.programs) {
      await fresh(bench, program, async (running) => {
        const { elapsedMs, ...rest } = await firstScan(running, tree)
        bench.record({ row: 'first-large', subject: program.name, value: elapsedMs, ...rest })
      })
    }
  }
  removeTree(spec)
}

async function small(bench: Bench): Promise<void> {
  const tree = makeTree(smallFiles(bench.sizes.small))
  runLimit('hash-small', tree.path)
  for (let round = 0; round < bench.rounds; round++) {
    recordLimit(bench, 'first-small', runLimit('hash-small', tree.path))
    recordLimit(bench, 'rescan', runLimit('walk', tree.path))
    for (const program of bench.programs) {
      await fresh(bench, program, async (running) => {
        const { elapsedMs, ...rest } = await firstScan(running, tree)
        bench.record({ row: 'first-small', subject: program.name, value: elapsedMs, ...rest })
        bench.record({ row: 'first-small-rss', subject: program.name, value: rest.peakRssMib })
        await rescans(bench, program, running, tree)
      })
    }
  }
}

async function rescans(bench: Bench, program: Program, running: Running, tree: Tree): Promise<void> {
  for (let repeat = 0; repeat < 5; repeat++) {
    const { elapsedMs, ...rest } = await rescan(running)
    bench.record({ row: 'rescan', subject: program.name, value: elapsedMs, ...rest })
  }
  const sub = 'group-0000/album-00000/file-0.bin'
  for (let repeat = 0; repeat < bench.repeats; repeat++) {
    const { elapsedMs } = await rescan(running, sub)
    bench.record({ row: 'sub-same', subject: program.name, value: elapsedMs })
  }
  const file = join(tree.path, sub)
  const sizeBytes = statSync(file).size
  for (let repeat = 0; repeat < bench.repeats; repeat++) {
    appendFileSync(file, '.')
    const { elapsedMs } = await rescan(running, sub)
    bench.record({ row: 'sub-changed', subject: program.name, value: elapsedMs })
  }
  truncateSync(file, sizeBytes) // the next round and the next program find the same tree
}

async function http(bench: Bench): Promise<void> {
  for (let round = 0; round < bench.rounds; round++) {
    const { server } = await BareServer.start()
    try {
      const value = await requestRate(`${server.url}/`, '', HTTP_DURATION_S)
      for (const row of ['ping', 'debug']) bench.record({ row, subject: 'limit', value })
    } finally {
      await server[Symbol.asyncDispose]()
    }
    for (const program of bench.programs) {
      await fresh(bench, program, async (running) => {
        for (const row of ['ping', 'debug']) {
          const path = await existingPath(running, row)
          const cpuBefore = running.cpuSeconds()
          const value = await requestRate(`${running.url}${path}`, running.apiKey, HTTP_DURATION_S)
          const cpuS = running.cpuSeconds() - cpuBefore
          bench.record({ row, subject: program.name, value, cpuS, ...memoryOf(running) })
        }
      })
    }
  }
}

/** Syncthing 2.x has the debug facilities under another name. */
async function existingPath(running: Running, row: string): Promise<string> {
  const path = `/rest/system/${row}`
  return (await running.request('GET', path)).status === 200 ? path : '/rest/system/loglevels'
}

async function start(bench: Bench): Promise<void> {
  const homes = bench.programs.map((program) => ({
    program,
    home: join(bench.scratch, `start-${program.name.replaceAll(' ', '-')}`),
  }))
  for (const { program, home } of homes) {
    mkdirSync(home, { recursive: true, mode: 0o700 })
    program.makeHome(home)
    // The first start makes certificates and the database, and warms the compile cache.
    await (await Running.start(program, home)).running[Symbol.asyncDispose]()
  }
  for (let round = 0; round < Math.max(7, bench.rounds); round++) {
    const bare = await BareServer.start()
    await bare.server[Symbol.asyncDispose]()
    bench.record({ row: 'start', subject: 'limit', value: bare.startMs })
    for (const { program, home } of homes) {
      const { running, startMs } = await Running.start(program, home)
      const cpuS = running.cpuSeconds()
      bench.record({ row: 'start', subject: program.name, value: startMs, cpuS, ...memoryOf(running) })
      await running[Symbol.asyncDispose]()
    }
  }
  for (const { home } of homes) rmSync(home, { recursive: true, force: true })
}

async function idle(bench: Bench): Promise<void> {
  const { server } = await BareServer.start()
  await settle()
  bench.record({ row: 'idle-rss', subject: 'limit', value: server.rssMib() })
  await server[Symbol.asyncDispose]()
  for (const program of bench.programs) {
    await fresh(bench, program, async (running) => {
      await settle()
      const { now, peak } = running.memoryMib()
      bench.record({ row: 'idle-rss', subject: program.name, value: now, peakRssMib: peak })
    })
  }
}

/** Long enough for idle threads to end and for the garbage of a start to be collected. */
function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 20_000))
}

async function growth(bench: Bench): Promise<void> {
  for (const files of bench.sizes.growth) {
    const spec = smallFiles(files)
    const tree = makeTree(spec)
    runLimit('hash-small', tree.path)
    const limit = runLimit('hash-small', tree.path)
    bench.record({
      row: `grow-${files}-time`,
      subject: 'limit',
      value: (limit.elapsedMs * 1000) / files,
      cpuS: limit.cpuS,
    })
    for (const program of bench.programs) await grow(bench, program, tree)
    if (files !== bench.sizes.latency && files !== bench.sizes.small) removeTree(spec)
  }
}

async function grow(bench: Bench, program: Program, tree: Tree): Promise<void> {
  const subject = program.name
  await fresh(bench, program, async (running, home) => {
    const bytesBefore = diskBytes(home)
    const { elapsedMs, cpuS, peakRssMib } = await firstScan(running, tree)
    bench.record({ row: `grow-${tree.files}-time`, subject, value: (elapsedMs * 1000) / tree.files, cpuS, peakRssMib })
    bench.record({ row: `grow-${tree.files}-rss`, subject, value: peakRssMib })
    await running[Symbol.asyncDispose]()
    bench.record({ row: `grow-${tree.files}-db`, subject, value: (diskBytes(home) - bytesBefore) / tree.files })
  })
}

async function latency(bench: Bench): Promise<void> {
  const tree = makeTree(smallFiles(bench.sizes.latency))
  runLimit('hash-small', tree.path)
  const { server } = await BareServer.start()
  const options = { address: { url: server.url }, apiKey: '', agent: new Agent({ keepAlive: true }) }
  const seconds = new Promise((resolve) => setTimeout(resolve, 5_000))
  const quiet = { request: (method: string, path: string) => request(options, method, path) }
  recordLatencies(bench, 'limit', await pingDuring(quiet, PING_INTERVAL_MS, seconds))
  options.agent.destroy()
  await server[Symbol.asyncDispose]()
  for (const program of bench.programs) {
    await fresh(bench, program, async (running) => {
      const scan = firstScan(running, tree)
      const latenciesMs = await pingDuring(running, PING_INTERVAL_MS, scan)
      await scan
      recordLatencies(bench, program.name, latenciesMs)
    })
  }
}

function recordLatencies(bench: Bench, subject: Sample['subject'], latenciesMs: number[]): void {
  latenciesMs.sort((a, b) => a - b)
  const quantile = (part: number) =>
    latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(part * latenciesMs.length))] ?? 0
  bench.record({ row: 'latency-p50', subject, value: quantile(0.5) })
  bench.record({ row: 'latency-p99', subject, value: quantile(0.99) })
  bench.record({ row: 'latency-max', subject, value: quantile(1) })
}

function recordLimit(bench: Bench, row: string, run: { elapsedMs: number; cpuS: number; peakRssMib: number }): void {
  bench.record({ row, subject: 'limit', value: run.elapsedMs, cpuS: run.cpuS, peakRssMib: run.peakRssMib })
}
