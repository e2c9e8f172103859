import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from './bench-options.ts'
import { largeIndex, NEEDED_OF, writeLargeIndex, type LargeIndex } from './large-index.ts'
import { quantile } from './light-peers.ts'
import { field, FOLDER, memoryOf } from './measure.ts'
import { Running } from './program.ts'
import { LARGE_REQUESTS, type LargeRequest } from './rows.ts'
import { madeOnce } from './tree.ts'
import { twinfold } from './twinfold.ts'

const REPEATS_MAX = 400
/** One that takes seconds is not repeated as often. */
const REQUEST_LIMIT_MS = 10_000
const OTHER = 'AIR6LPZ-7K4PTTV-UXQSMUU-CPQ5YWH-OEDFIIQ-JUG777G-2YQXXR5-YD6AWQR'

/** Requests about an index that no disk here has the files of: Twinfold alone, by its own import. */
export async function largeIndexes(bench: Bench): Promise<void> {
  if (!bench.programs.includes(twinfold)) return
  for (const files of bench.sizes.indexes) await measureIndex(bench, largeIndex(files))
}

async function measureIndex(bench: Bench, index: LargeIndex): Promise<void> {
  const home = await madeOnce(`index-${index.files}`, async (path) => {
    twinfold.makeHome(path)
    await fillIndex(path, index)
  })
  const { running, startMs } = await Running.start(twinfold, home)
  try {
    const status = await running.call('GET', `/rest/db/status?folder=${FOLDER}`)
    const found = field(status, 'globalFiles')
    if (found !== index.files) throw new Error(`the index has ${String(found)} files instead of ${index.files}`)
    const record = (row: string, value: number) =>
      bench.record({ row: `index-${index.files}-${row}`, subject: 'twinfold', value })
    record('start', startMs)
    for (const request of LARGE_REQUESTS) {
      const cpuBefore = running.cpuSeconds()
      const timesMs = await measureRequest(running, index, request)
      const cpuMs = ((running.cpuSeconds() - cpuBefore) * 1_000) / timesMs.length
      record(`${request.row}-cpu`, cpuMs)
      record(`${request.row}-p50`, quantile(timesMs, 0.5))
      record(`${request.row}-p99`, quantile(timesMs, 0.99))
    }
    const { peakRssMib } = memoryOf(running)
    record('rss', peakRssMib)
  } finally {
    await running[Symbol.asyncDispose]()
  }
}

/** The folder has no marker: it is not scanned, and its index can be read all the same. */
async function fillIndex(home: string, index: LargeIndex): Promise<void> {
  const root = join(home, 'index-root')
  mkdirSync(root)
  const { running } = await Running.start(twinfold, home)
  let own: string
  try {
    own = String(field(await running.call('GET', '/rest/system/status'), 'myID'))
    await running.call('POST', '/rest/config/devices', { deviceID: OTHER, addresses: ['tcp://127.0.0.1:1'] })
    const devices = [{ deviceID: OTHER }]
    const folder = { id: FOLDER, path: root, markerName: 'no-marker', rescanIntervalS: 0, fsWatcherEnabled: false }
    await running.call('POST', '/rest/config/folders', { ...folder, devices })
  } finally {
    await running[Symbol.asyncDispose]()
  }
  const startedMs = performance.now()
  const databases = readdirSync(home, { recursive: true, encoding: 'utf8' }).find((path) => path.endsWith('main.db'))
  if (databases === undefined) throw new Error('the home has no index')
  const directory = join(home, databases, '..')
  for (const name of readdirSync(directory).filter((each) => each.startsWith('folder-'))) rmSync(join(directory, name))
  await writeLargeIndex(directory, index, { own, other: OTHER })
  console.error(`index of ${index.files} files: written in ${((performance.now() - startedMs) / 1000).toFixed(0)} s`)
}

/** One after the other, each about another file; all in no order that a cache would favour. */
async function measureRequest(running: Running, index: LargeIndex, request: LargeRequest): Promise<readonly number[]> {
  const timesMs: number[] = []
  const deadlineMs = performance.now() + REQUEST_LIMIT_MS
  for (let repeat = 0; repeat < REPEATS_MAX && performance.now() < deadlineMs; repeat++) {
    const file = Math.floor(((repeat * 0.618_034) % 1) * index.files)
    const name = index.nameOf(file)
    const parts = {
      file: name,
      directory: index.directoryOf(file),
      group: name.slice(0, name.indexOf('/')),
      base: name.slice(name.lastIndexOf('/') + 1),
      page: String(1 + Math.floor(((repeat * 0.618_034) % 1) * (index.files / NEEDED_OF / 100))),
      other: OTHER,
    }
    const path = request.path.replaceAll(/\{(\w+)\}/g, (_all, part: keyof typeof parts) =>
      encodeURIComponent(parts[part]),
    )
    const startedMs = performance.now()
    const reply = await running.call(request.method, path)
    if (request.isFollowed) await followSearch(running, path, reply)
    timesMs.push(performance.now() - startedMs)
  }
  return timesMs
}

/** Requests the rest of a search. It must find one name. */
async function followSearch(running: Running, path: string, first: unknown): Promise<void> {
  let found = 0
  for (let reply = first; ;) {
    const [items, next] = [field(reply, 'items'), field(reply, 'next')]
    if (Array.isArray(items)) found += items.length
    if (next === undefined) break
    reply = await running.call('GET', `${path}&from=${encodeURIComponent(String(next))}`)
  }
  if (found !== 1) throw new Error(`the search has found ${found} names instead of one`)
}
