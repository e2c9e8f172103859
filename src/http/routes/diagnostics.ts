import { shortIdText } from '../../core/device-id.ts'
import { systemCode, TwinfoldError } from '../../core/errors.ts'
import type { FileInfo } from '../../core/records/file-info.ts'
import { parseFolderId } from '../../core/ids.ts'
import { DIAGNOSTIC_ROUTES, type DebugFileJson } from '../../rest/diagnostics.ts'
import { diskTimeJson, fileInfoJson } from '../views/file-entry.ts'
import { formatJson } from '../pipeline/json.ts'
import type { RequestMeter } from '../pipeline/meter.ts'
import type { Query } from '../pipeline/query.ts'
import { json, TEXT_TYPE, text, type Reply } from '../pipeline/reply.ts'
import { bind, type Call, type Route } from '../pipeline/route.ts'
import type { RestDeps, RestOptions } from '../types.ts'
import { versionJson } from '../views/version.ts'

const CPU_MS_DEFAULT = 30_000
const HEAP_MS_DEFAULT = 5_000
const PROFILE_MS_MAX = 10 * 60_000
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

export interface DiagnosticState {
  readonly startedMs: number
  readonly startedMonotonicMs: number
  readonly meter: RequestMeter
}

/**
 * Metrics, profiles and other diagnostics. Most of the code is loaded by the first request, to keep the daemon small
 * where they are not used.
 */
export function diagnosticRoutes(deps: RestDeps, options: RestOptions, state: DiagnosticState): readonly Route[] {
  type Handle = Route['handle']
  const ifDebugging =
    <C>(handle: (call: C) => ReturnType<Handle>) =>
    (call: C): ReturnType<Handle> =>
      deps.config.current.gui.debugging ? handle(call) : text(403, 'Debugging disabled')
  return bind(DIAGNOSTIC_ROUTES, {
    'GET /metrics': async () => ({
      status: 200,
      contentType: METRICS_TYPE,
      body: await metricsText(deps, options, state),
    }),
    'GET /rest/svc/report': async ({ query }) => json(await report(deps, options, state, query.integer('version'))),
    'GET /rest/debug/file': ifDebugging(({ query }: Call<'folder' | 'file'>) => file(deps, query)),
    'GET /rest/debug/peerCompletion': ifDebugging(() => peerCompletion(deps)),
    'GET /rest/debug/httpmetrics': ifDebugging(() => requestFigures(state.meter)),
    'GET /rest/debug/cpuprof': ifDebugging((call: Call<'duration'>) => profile(deps, options, 'cpu', call)),
    'GET /rest/debug/heapprof': ifDebugging((call: Call<'duration'>) => profile(deps, options, 'heap', call)),
    'GET /rest/debug/support': ifDebugging(() => support(deps, options, state)),
  })
}

async function metricsText(deps: RestDeps, options: RestOptions, state: DiagnosticState): Promise<string> {
  const [{ collectMetrics }, { formatMetrics }] = await Promise.all([
    import('../views/metrics.ts'),
    import('../../core/formats/prometheus.ts'),
  ])
  const metrics = await collectMetrics(
    { ...deps, requests: () => state.meter.figures() },
    {
      ownDevice: options.deviceId,
      version: options.version,
      databaseDirectory: options.locations.databaseDirectory,
      startedMs: state.startedMs,
    },
  )
  return formatMetrics(metrics)
}

async function report(deps: RestDeps, options: RestOptions, state: DiagnosticState, version: number | undefined) {
  const { usageReport } = await import('./usage-report.ts')
  const uptimeS = Math.floor((deps.clock.monotonicMs() - state.startedMonotonicMs) / 1_000)
  const requested = version === undefined || version <= 0 ? undefined : version
  return await usageReport({ ...deps, config: deps.config.current }, options.version, {
    version: requested,
    uptimeS,
  })
}

async function file({ hub }: RestDeps, query: Query<'folder' | 'file'>): Promise<Reply> {
  const folder = parseFolderId(query.first('folder'))
  if (folder === undefined) throw new TwinfoldError('folder-missing', 'no such folder')
  const view = await hub.file(folder, query.first('file') ?? '')
  const body: DebugFileJson = {
    availability: view.availability,
    global: fileInfoJson(view.global),
    globalVersions: versionsText(view.global, view.availability),
    local: fileInfoJson(view.local),
    mtime: diskTimeJson(view.local),
  }
  return json(body)
}

/** The global version and the devices that have it, on one line. */
function versionsText(global: FileInfo | undefined, holders: readonly string[]): string {
  if (global === undefined) return '[]'
  const version = global.version.map(({ device, value }) => `{${shortIdText(device)} ${value}}`).join(' ')
  const devices = holders.map((id) => id.slice(0, 7)).join(', ')
  return `[{Version:{[${version}]}, Deleted:${global.deleted}, Devices:[${devices}]}]`
}

async function peerCompletion({ completion, config }: RestDeps): Promise<Reply> {
  const ids = config.current.devices.map(({ deviceID }) => deviceID).toSorted()
  const shares = await Promise.all(
    ids.map(async (id) => [id, Math.floor((await completion?.completion(undefined, id))?.completion ?? 0)] as const),
  )
  return json(Object.fromEntries(shares))
}

function requestFigures(meter: RequestMeter): Reply {
  const shown = [...meter.figures()].map(([path, { count, percentilesMs, ratesPerS, sumMs }]) => [
    path,
    { count, percentilesMs, ratesPerS, sumMs: Math.floor(sumMs) },
  ])
  return { status: 200, contentType: TEXT_TYPE, body: formatJson(Object.fromEntries(shown)) }
}

async function profile(
  deps: RestDeps,
  options: RestOptions,
  kind: 'cpu' | 'heap',
  { query, request }: Call<'duration'>,
): Promise<Reply> {
  const durationMs = durationIn(query.first('duration')) ?? (kind === 'cpu' ? CPU_MS_DEFAULT : HEAP_MS_DEFAULT)
  try {
    const [{ encodePprof }, { promisify }, { gzip }] = await Promise.all([
      import('../../core/formats/pprof.ts'),
      import('node:util'),
      import('node:zlib'),
    ])
    const seen = await deps.system.process.profile(kind, durationMs, request.signal)
    const nowMs = deps.clock.nowMs()
    const { os, arch, version } = versionJson(options.version)
    const name = `syncthing-${kind}-${os}-${arch}-${version}-${stamp(nowMs).slice(-6)}.pprof`
    return attachment(name, 'application/octet-stream', await promisify(gzip)(encodePprof(seen, nowMs)))
  } catch (error) {
    if (systemCode(error) === 'EBUSY') return text(503, 'another profile is being taken')
    throw error
  }
}

/** A duration in Go's format (`1m30s`, `500ms`), clamped; undefined for any other text. */
function durationIn(given: string | undefined): number | undefined {
  if (given === undefined || !/^(\d+(\.\d+)?(ms|s|m|h)){1,4}$/.test(given)) return undefined
  const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
  let totalMs = 0
  for (const [, amount = '0', unit = 's'] of given.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g))
    totalMs += Number(amount) * (units[unit] ?? 0)
  return totalMs <= 0 ? undefined : Math.min(totalMs, PROFILE_MS_MAX)
}

async function support(deps: RestDeps, options: RestOptions, state: DiagnosticState): Promise<Reply> {
  const [{ bundleFiles, redactedConfig, secretsOf }, { zip }] = await Promise.all([
    import('./support-bundle.ts'),
    import('../formats/zip.ts'),
  ])
  const { clock, config, connections, log } = deps
  const nowMs = clock.nowMs()
  const parts = [
    { name: 'config.json.txt', read: () => redactedConfig(config.current) },
    {
      name: 'log-inmemory.txt',
      read: () =>
        log
          .lines()
          .map(
            ({ timeMs, level, facility, message }) =>
              `${new Date(timeMs).toISOString()} ${level} ${facility}: ${message}\n`,
          )
          .join(''),
    },
    { name: 'errors.json.txt', read: () => formatJson(log.errors()) },
    { name: 'version-platform.json.txt', read: () => formatJson(versionJson(options.version)) },
    {
      name: 'usage-reporting.json.txt',
      read: async () => formatJson(await report(deps, options, state, undefined)),
    },
    { name: 'metrics.txt', read: () => metricsText(deps, options, state) },
    {
      name: 'connection-stats.json.txt',
      read: () => formatJson(plain(connections?.status() ?? {})),
    },
    { name: 'http-stats.json.txt', read: () => formatJson(plain(state.meter.figures())) },
  ]
  const files = bundleFiles(parts, secretsOf(config.current, [options.guiApiKey]))
  const name = `support-bundle-${options.deviceId.slice(0, 7)}-${stamp(nowMs)}.zip`
  return attachment(name, 'application/zip', zip(files, nowMs))
}

/** Maps are written as objects. */
function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [String(key), plain(item)]))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]))
}

/** `2024-01-31T120000`. */
function stamp(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 19).replaceAll(':', '')
}

function attachment(name: string, contentType: string, body: NonNullable<Reply['body']>): Reply {
  return {
    status: 200,
    contentType,
    headers: { 'Content-Disposition': `attachment; filename=${name}` },
    body,
  }
}
