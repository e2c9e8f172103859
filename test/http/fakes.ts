import { configToJson } from '../../src/core/config/config-edit.ts'
import { DEFAULTS, DEVICE, GUI, LDAP, OPTIONS } from '../../src/core/config/config-fields.ts'
import { defaultsOf } from '../../src/core/config/field.ts'
import type { Config, DeviceConfig, FolderConfig, GuiConfig } from '../../src/core/config/config.ts'
import { TwinfoldError } from '../../src/core/errors.ts'
import type { Facility } from '../../src/core/facilities.ts'
import type { DeviceId, FolderId } from '../../src/core/ids.ts'
import type { ConfigStore } from '../../src/config/types.ts'
import type { EventMap, EventRow, EventType, LogControl, LogLevel, LogLine, Logger } from '../../src/events/types.ts'
import { RestServer } from '../../src/http/server.ts'
import type { RestDeps, RestOptions, VersionFacts } from '../../src/http/types.ts'
import { checkReply } from '../support/reply-check.ts'
import type { FolderFacts } from '../../src/core/records/reasons.ts'
import type { FolderExplorer } from '../../src/model/queries/explorer-types.ts'
import type { FolderStatus, Hub } from '../../src/model/types.ts'
import type { UpgradeView } from '../../src/upgrade/types.ts'
import {
  collectReply,
  simRequest,
  SimHttpServer,
  type SimHttpResponse,
  type SimHttpCall,
} from '../../src/platform/sim/http.ts'
import { simProcess } from '../../src/platform/sim/system.ts'

export const OWN = 'GHKTHBX-CEDWM5C-QIUIPAB-7AUM2LY-TQN2HQB-UH72IDF-7CRKOQP-HC5G4QA' as DeviceId
export const SHORT = OWN.slice(0, 7)
export const KEY = 'k2345679abcdefghijkmnopqrstuvwxy'
export const SHARE = 'share' as FolderId

export const VERSION: VersionFacts = {
  version: 'v1.0.0',
  codename: 'Twinfold',
  runtime: 'node24.21.0',
  platform: 'linux',
  architecture: 'x64',
  endianness: 'LE',
  builder: { user: 'builder', host: 'host' },
  builtMs: 1_795_000_000_000,
  tags: ['twinfold'],
  extra: '',
  container: false,
}

const LOCATIONS: RestOptions['locations'] = {
  configDirectory: '/home/a',
  dataDirectory: '/home/a',
  userHome: '/home',
  configFile: '/home/a/config.xml',
  certificateFile: '/home/a/cert.pem',
  keyFile: '/home/a/key.pem',
  httpsCertificateFile: '/home/a/https-cert.pem',
  httpsKeyFile: '/home/a/https-key.pem',
  databaseDirectory: '/home/a/index-v2',
  lockFile: '/home/a/syncthing.lock',
  guiAssetsDirectory: '/home/a/gui',
  defaultFolder: '/home/Sync',
  logFile: '-',
}

const NO_COUNTS = { files: 0, directories: 0, symlinks: 0, deleted: 0, bytes: 0 }

export const IDLE: FolderStatus = {
  state: 'idle',
  stateChangedMs: 1_795_000_000_000,
  error: '',
  errorCount: 0,
  watchError: '',
  ignorePatterns: false,
  sequence: 10,
  remoteSequences: new Map(),
  counts: { global: NO_COUNTS, local: NO_COUNTS, need: NO_COUNTS, receiveOnlyChanged: NO_COUNTS },
}

export function fakeConfig(
  gui: Partial<GuiConfig> = {},
  peers: readonly DeviceId[] = [],
  own: Partial<FolderConfig> = {},
): Config {
  const device: DeviceConfig = { ...defaultsOf(DEVICE), deviceID: OWN, name: 'alice' }
  const folder: FolderConfig = {
    ...defaultsOf(DEFAULTS).folder,
    id: SHARE,
    label: 'Shared',
    path: '/home/Sync',
    ...own,
  }
  return {
    version: 37,
    folders: [folder],
    devices: [device, ...peers.map((deviceID): DeviceConfig => ({ ...defaultsOf(DEVICE), deviceID }))],
    gui: { ...defaultsOf(GUI), address: '127.0.0.1:8384', apiKey: KEY, ...gui },
    ldap: defaultsOf(LDAP),
    options: { ...defaultsOf(OPTIONS), globalAnnounceEnabled: false, localAnnounceEnabled: false },
    remoteIgnoredDevices: [],
    defaults: defaultsOf(DEFAULTS),
  }
}

/** A config store in memory: changes are applied and published to subscribers, nothing is saved. */
export class FakeConfigStore implements ConfigStore {
  current: Config
  restartRequired = false
  readonly #listeners: ((from: Config, to: Config) => void | Promise<void>)[] = []

  constructor(current: Config) {
    this.current = current
  }

  async change(make: (current: Config) => Config): Promise<Config> {
    const from = this.current
    this.current = make(from)
    for (const listener of this.#listeners) await listener(from, this.current)
    return this.current
  }

  subscribe(listener: (from: Config, to: Config) => void | Promise<void>): void {
    this.#listeners.push(listener)
  }
}

class FakeLog implements LogControl {
  readonly levels = new Map<Facility, LogLevel>()
  all: LogLine[] = []
  shown: LogLine[] = []
  lines(sinceMs?: number): readonly LogLine[] {
    return sinceMs === undefined ? this.all : this.all.filter((line) => line.timeMs > sinceMs)
  }
  errors(): readonly LogLine[] {
    return this.shown
  }
  reportError(message: string): void {
    this.shown.push({ timeMs: 1_795_000_000_123, level: 'WARN', facility: 'http', message })
  }
  clearErrors(): void {
    this.shown = []
  }
  level(facility: Facility): LogLevel {
    return this.levels.get(facility) ?? 'INFO'
  }
  setLevel(facility: Facility, level: LogLevel): void {
    this.levels.set(facility, level)
  }
}

/** A hub that records calls and returns empty results; a test replaces the methods it needs. */
function fakeHub(calls: string[], overrides: Partial<Hub> = {}): Hub {
  const note = (text: string) => void calls.push(text)
  return {
    scan: async (folder, subs, nextMs) => note(`scan ${folder} [${subs}] next=${nextMs}`),
    scanAll: async () => (note('scan all'), new Map()),
    bringToFront: async (folder, file) => note(`front ${folder} ${file}`),
    need: async (folder, paging) => (
      note(`need ${folder} ${paging.page}/${paging.perPage}`),
      { progress: [], queued: [], rest: [] }
    ),
    status: async (folder) => (note(`status ${folder}`), IDLE),
    statusNow: () => undefined,
    browse: async (folder, options) => (note(`browse ${folder} ${JSON.stringify(options)}`), []),
    file: async () => ({ global: undefined, local: undefined, availability: [] }),
    ignores: async () => ({ ignore: null, expanded: null, error: null }),
    setIgnores: async (folder, lines) => (
      note(`setIgnores ${folder} ${JSON.stringify(lines)}`),
      { ignore: lines, expanded: [], error: null }
    ),
    folderErrors: async () => [],
    folderStatistics: async () => new Map(),
    override: async (folder) => note(`override ${folder}`),
    revert: async (folder) => note(`revert ${folder}`),
    localChanged: async () => [],
    versions: async () => new Map(),
    restoreVersions: async (folder, wanted) => (note(`restore ${folder} ${JSON.stringify([...wanted])}`), new Map()),
    ...overrides,
  }
}

const FACTS: FolderFacts = { paused: false, type: 'sendreceive', error: '', scanning: false }

/** Has the folder, but no file in it. */
const NO_EXPLORER: FolderExplorer = {
  tree: async () => ({ total: 0, truncated: false, items: [] }),
  search: async () => ({ items: [], truncated: false }),
  waiting: async () => ({ folder: FACTS, total: 0, items: [] }),
  file: async () => ({ folder: FACTS, records: undefined, problem: undefined, queue: undefined, devices: [] }),
  previewIgnores: async (_folder, lines) => ({
    error: null,
    errorLine: null,
    lines: lines.map(() => ({ kind: 'ignore', matches: 0, examples: [] })),
    ignoredTotal: 0,
    checkedTotal: 0,
    truncated: false,
  }),
  conflicts: async () => ({ total: 0, items: [] }),
}

const NO_UPGRADES: UpgradeView = {
  state: () => ({
    checks: 'forbidden',
    running: '1.0.0',
    source: undefined,
    release: undefined,
    checkedMs: undefined,
    error: '',
    installation: 'unknown',
    command: undefined,
  }),
  check: () => Promise.reject(new TwinfoldError('upgrade-off', 'upgrade unsupported')),
}

const refuse = () => Promise.reject(Object.assign(new Error('ENOENT'), { code: 'ENOENT' }))
const NO_DISK: RestDeps['disk'] = { open: refuse, list: refuse, stat: refuse, lstat: refuse }

export interface FakeOptions {
  /** Other devices in the configuration. */
  readonly peers?: readonly DeviceId[]
  readonly gui?: Partial<GuiConfig>
  /** Overrides for the one folder. */
  readonly folder?: Partial<FolderConfig>
  readonly hub?: Partial<Hub>
  readonly explorer?: Partial<FolderExplorer>
  readonly deps?: Partial<RestDeps>
  readonly options?: Partial<RestOptions>
}

/** Each device has other random numbers. */
let devices = 0

/** A daemon's REST interface without a daemon: the handler is called directly, everything behind it is fake. */
export function fakeRest(fake: FakeOptions = {}) {
  const calls: string[] = []
  const logged: string[] = []
  const emitted: { type: EventType; data: unknown }[] = []
  const slept: number[] = []
  const kept = new Map<string, Uint8Array>()
  const config = new FakeConfigStore(fakeConfig(fake.gui, fake.peers, fake.folder))
  const log = new FakeLog()
  const http = new SimHttpServer()
  const time = { nowMs: 1_795_000_000_000 }
  const rows: EventRow[] = []
  const logger: Logger = {
    facility: 'http',
    debug: () => {},
    info: (message) => void logged.push(`INFO ${message}`),
    warn: (message) => void logged.push(`WARN ${message}`),
    error: (message) => void logged.push(`ERROR ${message}`),
  }
  let seed = ++devices
  const deps: RestDeps = {
    clock: {
      nowMs: () => time.nowMs,
      monotonicMs: () => time.nowMs,
      // A sleep advances the clock: tests of delays read `slept`.
      sleep: async (delayMs, signal) => {
        signal.throwIfAborted()
        slept.push(delayMs)
        time.nowMs += delayMs
        await new Promise((resolve) => setImmediate(resolve))
        signal.throwIfAborted()
      },
    },
    random: {
      bytes: (count) => new Uint8Array(count),
      int: (below) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below,
    },
    http,
    disk: NO_DISK,
    hub: fakeHub(calls, fake.hub),
    explorer: async () => ({ ...NO_EXPLORER, ...fake.explorer }),
    config,
    events: {
      emit: <K extends EventType>(type: K, data: EventMap[K]) => void emitted.push({ type, data }),
      buffer: () => ({ since: async (since) => rows.filter((row) => row.id > since) }),
    },
    log,
    logger,
    keyValue: { get: async (key) => kept.get(key), set: async (key, value) => void kept.set(key, value) },
    passwords: {
      hash: async (password) => fakeHash(password),
      verify: async (password, hash) => fakeHash(password) === hash,
    },
    lifecycle: {
      shutdown: () => void calls.push('shutdown'),
      restart: () => void calls.push('restart'),
      deleteIndexes: async (folders) => void calls.push(`forget ${folders}`),
    },
    upgrade: NO_UPGRADES,
    system: {
      memoryBytes: () => ({ usedBytes: 1_000, reservedBytes: 2_000 }),
      cpuCount: 2,
      memorySizeBytes: 2 ** 32,
      process: simProcess,
    },
    httpsIdentity: async () => ({ certificatePem: '', keyPem: '' }),
    ...fake.deps,
  }
  const server = new RestServer(deps, {
    deviceId: OWN,
    version: VERSION,
    locations: LOCATIONS,
    guiDirectories: [],
    ...fake.options,
  })
  const signal = new AbortController().signal
  const call = async (request: SimHttpCall & { readonly unixSocket?: boolean }): Promise<SimHttpResponse> => {
    const site = { signal: request.signal ?? signal, unixSocket: request.unixSocket ?? false, host: '127.0.0.1:8384' }
    const reply = await collectReply(await server.handler(simRequest(request, site)))
    const type = Object.entries(reply.headers).find(([name]) => name.toLowerCase() === 'content-type')
    const received = { status: reply.status, contentType: String(type?.[1] ?? ''), text: reply.body }
    await checkReply(request.method ?? 'GET', request.target, received)
    return reply
  }
  /** With the API key. */
  const send = (method: string, target: string, body?: string | Uint8Array): Promise<SimHttpResponse> =>
    call({ method, target, headers: { 'X-API-Key': KEY }, ...(body === undefined ? {} : { body }) })
  return {
    server,
    deps,
    config,
    log,
    http,
    calls,
    logged,
    emitted,
    slept,
    kept,
    time,
    rows,
    call,
    send,
    configJson: () => configToJson(config.current),
  }
}

/** In the format of bcrypt, without its cost. */
export function fakeHash(password: string): string {
  return `$2a$10$${Buffer.from(password).toString('hex').padEnd(53, '.').slice(0, 53)}`
}
