import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Running } from './program.ts'
import type { Tree } from './tree.ts'

export const FOLDER = 'bench'

export interface ScanFigures {
  readonly elapsedMs: number
  readonly cpuS: number
  readonly peakRssMib: number
  readonly rssMib: number
}

/** The first scan of a folder: from the request that unpauses it to the event that reports it idle again. */
export async function firstScan(
  running: Running,
  tree: Tree,
  more: { readonly devices?: readonly unknown[]; readonly type?: string } = {},
): Promise<ScanFigures> {
  const folder = { id: FOLDER, path: tree.path, fsWatcherEnabled: false, rescanIntervalS: 0, paused: true, ...more }
  await running.call('POST', '/rest/config/folders', folder)
  let since = lastId(await stateChanges(running, 0, 0))
  const cpuBefore = running.cpuSeconds()
  const startedMs = performance.now()
  await running.call('PATCH', `/rest/config/folders/${FOLDER}`, { paused: false })
  for (let ended = false; !ended;) {
    const events = await stateChanges(running, since, 60)
    since = lastId(events, since)
    ended = events.some(({ from, to }) => from === 'scanning' && to === 'idle')
    if (events.some(({ to }) => to === 'error')) throw new Error('the folder is in error')
  }
  const elapsedMs = performance.now() - startedMs
  const cpuS = running.cpuSeconds() - cpuBefore
  await expectFiles(running, tree.files)
  return { elapsedMs, cpuS, ...memoryOf(running) }
}

/** Resident memory as a sample has it. */
export function memoryOf(running: Pick<Running, 'memoryMib'>): {
  readonly peakRssMib: number
  readonly rssMib: number
} {
  const { peak, now } = running.memoryMib()
  return { peakRssMib: peak, rssMib: now }
}

/** One POST /rest/db/scan, of the whole folder or of a path in it. */
export async function rescan(running: Running, sub?: string): Promise<ScanFigures> {
  const query = sub === undefined ? '' : `&sub=${encodeURIComponent(sub)}`
  const cpuBefore = running.cpuSeconds()
  const startedMs = performance.now()
  await running.call('POST', `/rest/db/scan?folder=${FOLDER}${query}`)
  const elapsedMs = performance.now() - startedMs
  return { elapsedMs, cpuS: running.cpuSeconds() - cpuBefore, ...memoryOf(running) }
}

/** An incomplete scan would appear fast. */
async function expectFiles(running: Running, files: number): Promise<void> {
  const status = await running.call('GET', `/rest/db/status?folder=${FOLDER}`)
  const found = field(status, 'localFiles')
  if (found !== files) throw new Error(`the index holds ${String(found)} files instead of ${files}`)
}

interface StateChange {
  readonly id: number
  readonly from: unknown
  readonly to: unknown
}

async function stateChanges(running: Running, since: number, timeoutS: number): Promise<readonly StateChange[]> {
  const events = await running.call('GET', `/rest/events?events=StateChanged&since=${since}&timeout=${timeoutS}`)
  if (!Array.isArray(events)) throw new Error('events are no list')
  return events.map((event: unknown) => {
    const data = field(event, 'data')
    return { id: Number(field(event, 'id')), from: field(data, 'from'), to: field(data, 'to') }
  })
}

function lastId(events: readonly StateChange[], before = 0): number {
  return events.at(-1)?.id ?? before
}

export function field(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Latencies in ms of a ping due every `intervalMs`, while `work` runs. A late response delays no ping. */
export async function pingDuring(
  running: Pick<Running, 'request'>,
  intervalMs: number,
  work: Promise<unknown>,
): Promise<number[]> {
  const latenciesMs: number[] = []
  const pending: Promise<void>[] = []
  const done = new AbortController()
  void work.catch(() => {}).then(() => done.abort()) // whether the work went well is for the caller, who awaits it too
  const startedMs = performance.now()
  for (let number = 0; !done.signal.aborted; number++) {
    const dueMs = startedMs + number * intervalMs
    const waitMs = dueMs - performance.now()
    if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs))
    const sentMs = performance.now()
    pending.push(
      running.request('GET', '/rest/system/ping').then(() => void latenciesMs.push(performance.now() - sentMs)),
    )
  }
  await Promise.all(pending)
  return latenciesMs
}

/** Requests per second over keep-alive connections, by wrk in a separate process. */
export async function requestRate(url: string, apiKey: string, durationS: number): Promise<number> {
  return (await requestFigures(url, apiKey, durationS)).perSecond
}

export interface RequestFigures {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** The same with the median and the 99th percentile of the response time. */
export async function requestFigures(
  url: string,
  apiKey: string,
  durationS: number,
  { method = 'GET', connections = 16 }: { readonly method?: 'GET' | 'POST'; readonly connections?: number } = {},
): Promise<RequestFigures> {
  const script = method === 'POST' ? ['-s', join(import.meta.dirname, 'post.lua')] : []
  const args = [
    '-t1',
    `-c${connections}`,
    `-d${durationS}s`,
    '--timeout',
    '60s',
    '--latency',
    ...script,
    '-H',
    `X-API-Key: ${apiKey}`,
    url,
  ]
  const child = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child, 'close')
  if (/Non-2xx|Socket errors/.test(output)) throw new Error(`not every request succeeded:\n${output}`)
  const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1])
  if (!(perSecond > 0)) throw new Error(`wrk returned no result:\n${output}`)
  return { perSecond, p50Ms: quantileMs(output, 50), p99Ms: quantileMs(output, 99) }
}

const UNIT_MS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1_000, m: 60_000 }

function quantileMs(output: string, percent: number): number {
  const [, value = '', unit = ''] = new RegExp(`\\s${percent}%\\s+([\\d.]+)(us|ms|s|m)\\b`).exec(output) ?? []
  return Number(value) * (UNIT_MS[unit] ?? Number.NaN)
}

/** Bytes on disk under a directory. */
export function diskBytes(path: string): number {
  const state = lstatSync(path)
  if (!state.isDirectory()) return state.blocks * 512
  return readdirSync(path).reduce((sum, name) => sum + diskBytes(join(path, name)), 0)
}
