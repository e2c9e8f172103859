import { CONFIG_VERSION_2X } from '../../core/config/config-fields.ts'
import { messageOf, TwinfoldError } from '../../core/errors.ts'
import type { Locations } from '../../core/locations.ts'
import { parseDeviceIdOrEmpty } from '../../core/device-id.ts'
import type { LogControl, LogLine } from '../../events/types.ts'
import { SYSTEM_ROUTES } from '../../rest/system-routes.ts'
import type { DiscoveryJson, ErrorsJson, LogJson, LogLineJson, PathsJson, StatusJson } from '../../rest/system.ts'
import { randomText, type Random } from '../../platform/random.ts'
import { browseDisk } from './browse-disk.ts'
import { acceptedLanguages } from '../static/languages.ts'
import type { Query } from '../pipeline/query.ts'
import { EMPTY_OK, json, TEXT_TYPE, type Reply } from '../pipeline/reply.ts'
import { bind, type Call, type Route } from '../pipeline/route.ts'
import { formatMs, formatWholeSeconds } from '../views/times.ts'
import type { RestDeps, RestOptions } from '../types.ts'
import { versionJson } from '../views/version.ts'

const ERROR_BYTES_MAX = 64 * 1024
const RANDOM_LENGTH_DEFAULT = 32
const RANDOM_LENGTH_MAX = 65_536

/** The numbers of Syncthing 1.x, which has no level above warning. */
const LEVEL_NUMBERS: Readonly<Record<LogLine['level'], number>> = { DEBUG: 0, INFO: 2, WARN: 3, ERROR: 3 }
/** The names of Syncthing 2.x. */
const LEVEL_NAMES = { DEBUG: 'DBG', INFO: 'INF', WARN: 'WRN', ERROR: 'ERR' } as const

type LogDeps = Pick<RestDeps, 'config' | 'log'>

export interface SystemState {
  /** The address of the interface; empty while it is not listening. */
  readonly address: () => string
  readonly startedMs: number
  readonly startedMonotonicMs: number
}

/** The device itself: version, status, paths, log and errors. */
export function systemRoutes(deps: RestDeps, options: RestOptions, state: SystemState): readonly Route[] {
  const version = json(versionJson(options.version))
  const { log, random } = deps
  return bind(SYSTEM_ROUTES, {
    'GET /rest/system/version': () => version,
    'GET /rest/system/status': () => json(status(deps, options, state)),
    'GET /rest/system/paths': () => json(paths(options.locations)),
    'GET /rest/system/discovery': () => json(discovery(deps)),
    'GET /rest/system/log': ({ query }) => json(logJson(deps, query)),
    'GET /rest/system/log.txt': ({ query }) => logText(log, query),
    'GET /rest/system/error': () => json(errorsJson(deps)),
    'POST /rest/system/error': (call) => reportError(log, call),
    'POST /rest/system/error/clear': () => (log.clearErrors(), EMPTY_OK),
    'GET /rest/system/browse': ({ query }) => browse(deps, options, query),
    'GET /rest/svc/deviceid': ({ query }) => json(deviceId(query)),
    'GET /rest/svc/random/string': ({ query }) => json({ random: randomString(random, query) }),
    'GET /rest/svc/lang': ({ request }) => json(acceptedLanguages(request.headers['accept-language'])),
  })
}

function status(deps: RestDeps, options: RestOptions, state: SystemState): StatusJson {
  const { usedBytes, reservedBytes } = deps.system.memoryBytes()
  const { globalAnnounceEnabled, localAnnounceEnabled } = deps.config.current.options
  const connections = deps.connections?.status()
  const discovering = globalAnnounceEnabled || localAnnounceEnabled
  return {
    alloc: usedBytes,
    connectionServiceStatus: Object.fromEntries(connections?.listeners ?? []),
    cpuPercent: 0,
    ...(discovering ? discoveryStatus(deps) : {}),
    // A gauge of concurrency: loops instead of goroutines, one per folder and one for the device.
    goroutines: 1 + deps.config.current.folders.length,
    guiAddressOverridden: options.guiAddress !== undefined,
    guiAddressUsed: state.address(),
    lastDialStatus: Object.fromEntries(
      [...(connections?.lastDials ?? [])].map(([address, { whenMs, error, reason, nextMs }]) => [
        address,
        {
          when: formatWholeSeconds(whenMs),
          error,
          ...(reason !== undefined && { reason }),
          ...(nextMs !== undefined && { next: formatWholeSeconds(nextMs) }),
        },
      ]),
    ),
    myID: options.deviceId,
    pathSeparator: options.version.platform === 'win32' ? '\\' : '/',
    startTime: formatWholeSeconds(state.startedMs),
    sys: reservedBytes,
    tilde: options.locations.userHome,
    uptime: Math.floor((deps.clock.monotonicMs() - state.startedMonotonicMs) / 1_000),
    urVersionMax: 3,
  }
}

function discoveryStatus({ discovery }: RestDeps): Partial<StatusJson> {
  const methods = [...(discovery?.status() ?? [])]
  return {
    discoveryEnabled: true,
    discoveryErrors: Object.fromEntries(methods.flatMap(([name, error]) => (error === null ? [] : [[name, error]]))),
    discoveryMethods: methods.length,
    discoveryStatus: Object.fromEntries(methods.map(([name, error]) => [name, { error }])),
  }
}

function paths(at: Locations): PathsJson {
  return {
    auditLog: `${at.dataDirectory}/audit-%{timestamp}.log`,
    'baseDir-config': at.configDirectory,
    'baseDir-data': at.dataDirectory,
    'baseDir-userHome': at.userHome,
    certFile: at.certificateFile,
    config: at.configFile,
    database: at.databaseDirectory,
    defFolder: at.defaultFolder,
    guiAssets: at.guiAssetsDirectory,
    httpsCertFile: at.httpsCertificateFile,
    httpsKeyFile: at.httpsKeyFile,
    keyFile: at.keyFile,
    legacyDatabase: `${at.dataDirectory}/index-v0.14.0.db`,
    lockFile: at.lockFile,
    logFile: at.logFile,
    panicLog: `${at.dataDirectory}/panic-%{timestamp}.log`,
  }
}

function discovery({ discovery }: RestDeps): DiscoveryJson {
  return Object.fromEntries(
    [...(discovery?.found() ?? [])].map(([id, addresses]) => [id, { addresses: [...addresses] }]),
  )
}

function logJson(deps: LogDeps, query: Query<'since'>): LogJson {
  const lines = deps.log.lines(sinceOf(query))
  return {
    messages: lines.length === 0 ? null : lines.map((line) => ({ ...lineJson(deps, line), message: named(line) })),
  }
}

function logText(log: LogControl, query: Query<'since'>): Reply {
  const lines = log.lines(sinceOf(query)).map((line) => `${formatWholeSeconds(line.timeMs)}: ${named(line)}\n`)
  return { status: 200, contentType: TEXT_TYPE, body: lines.join('') }
}

/** The facility names the part of the program and its debug switch. */
function named(line: LogLine): string {
  return `${line.facility}: ${line.message}`
}

/** An invalid time selects all lines. */
function sinceOf(query: Query<'since'>): number | undefined {
  const given = query.first('since') ?? ''
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/.test(given)) return undefined
  const timeMs = Date.parse(given)
  return Number.isNaN(timeMs) ? undefined : timeMs
}

export function errorsJson(deps: LogDeps): ErrorsJson {
  const lines = deps.log.errors()
  return { errors: lines.length === 0 ? null : lines.map((line) => lineJson(deps, line)) }
}

/** The clients of a home are those of the Syncthing that made it. */
function lineJson({ config }: LogDeps, { timeMs, message, level }: LogLine): LogLineJson {
  const levels = config.current.version >= CONFIG_VERSION_2X ? LEVEL_NAMES : LEVEL_NUMBERS
  return { when: formatMs(timeMs), message, level: levels[level] }
}

/** The body is stored unchanged. */
async function reportError(log: LogControl, { request }: Call): Promise<Reply> {
  log.reportError(new TextDecoder().decode(await request.body(ERROR_BYTES_MAX)))
  return EMPTY_OK
}

/** `filesystem` may name Syncthing's `fake` file system, which has no entries here. */
async function browse(deps: RestDeps, options: RestOptions, query: Query<'current' | 'filesystem'>): Promise<Reply> {
  if ((query.first('filesystem') ?? 'basic') === 'fake') return json([])
  const { platform } = options.version
  const found = await browseDisk(
    { disk: deps.disk, userHome: options.locations.userHome, platform },
    query.first('current') ?? '',
  )
  return json(found)
}

function deviceId(query: Query<'id'>): { readonly id: string } | { readonly error: string } {
  try {
    return { id: parseDeviceIdOrEmpty(query.first('id') ?? '') }
  } catch (error) {
    if (!(error instanceof TwinfoldError)) throw error
    return { error: messageOf(error) }
  }
}

function randomString(random: Random, query: Query<'length'>): string {
  const length = query.integer('length') ?? 0
  return randomText(random, length <= 0 ? RANDOM_LENGTH_DEFAULT : Math.min(length, RANDOM_LENGTH_MAX))
}
