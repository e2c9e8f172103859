import { makeRule } from '../../src/core/schedule/rule.ts'
import { EXTENSIONS, patchExtensions } from '../../src/core/config/extensions.ts'
import type { ExtensionStore } from '../../src/config/types.ts'
import { HEALTHY_FACTS } from '../support/healthy-facts.ts'
import { configToJson } from '../../src/core/config/config-edit.ts'
import type { FolderConfig, GuiConfig } from '../../src/core/config/config.ts'
import { TwinfoldError } from '../../src/core/errors.ts'
import type { Facility } from '../../src/core/facilities.ts'
import type { DeviceId } from '../../src/core/ids.ts'
import type { EventMap, EventRow, EventType, LogControl, LogLevel, LogLine, Logger } from '../../src/events/types.ts'
import { RestServer } from '../../src/http/server.ts'
import type { RestDeps, RestOptions, VersionFacts } from '../../src/http/types.ts'
import { checkReply } from '../support/reply-check.ts'
import type { FolderExplorer } from '../../src/model/queries/explorer.ts'
import type { Hub } from '../../src/model/model.ts'
import type { UpgradeView } from '../../src/upgrade/types.ts'
import {
  collectReply,
  simRequest,
  SimHttpServer,
  type SimHttpResponse,
  type SimHttpCall,
} from '../../src/platform/sim/http.ts'
import { simProcess } from '../../src/platform/sim/system.ts'
import { Grants } from '../../src/config/grants.ts'
import { NOTHING_APPLIED } from '../../src/core/setup/setup-plan.ts'
import { SimClock } from '../../src/platform/sim/clock.ts'
import { SimDisk } from '../../src/platform/sim/disk.ts'
import { FakeConfigStore, fakeConfig, fakeHash, KEY, LOCAL_ID } from './fake-config.ts'
import { fakeHub, fakeMover, fakeRewinder, NO_EXPLORER } from './fake-hub.ts'

export { FakeConfigStore, fakeConfig, fakeHash, KEY, WITH_PASSWORD, LOCAL_ID, SHARE, SHORT } from './fake-config.ts'
export { IDLE } from './fake-hub.ts'

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
  extensionsFile: '/home/a/twinfold-settings.json',
  grantsFile: '/home/a/twinfold-keys.json',
  invitationsFile: '/home/a/twinfold-invitations.json',
  appliedSetupFile: '/home/a/twinfold-applied.json',
  addressFile: '/home/a/twinfold-address.json',
  certificateFile: '/home/a/cert.pem',
  keyFile: '/home/a/key.pem',
  httpsCertificateFile: '/home/a/https-cert.pem',
  httpsKeyFile: '/home/a/https-key.pem',
  databaseDirectory: '/home/a/index-v2',
  keptDirectory: '/home/a/twinfold-kept',
  lockFile: '/home/a/syncthing.lock',
  guiAssetsDirectory: '/home/a/gui',
  defaultFolder: '/home/Sync',
  logFile: '-',
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

const NO_HOOKS: RestDeps['hooks'] = {
  all: () => [],
  add: () => Promise.reject(new TwinfoldError('bad-request', 'no hooks here')),
  remove: () => Promise.reject(new TwinfoldError('file-missing', 'no hooks here')),
  test: () => Promise.reject(new TwinfoldError('file-missing', 'no hooks here')),
  log: () => {
    throw new TwinfoldError('file-missing', 'no hooks here')
  },
}

const NO_CONTENT: RestDeps['content'] = {
  open: async (_folder, file) => {
    throw new TwinfoldError('file-missing', `no device has announced ${file}`)
  },
}

/** Each device has other random numbers. */
let devices = 0

/** A sleep advances the clock: tests of delays read `slept`. */
function steppingClock(time: { nowMs: number }, slept: number[]): RestDeps['clock'] {
  return {
    nowMs: () => time.nowMs,
    monotonicMs: () => time.nowMs,
    sleep: async (delayMs, signal) => {
      signal.throwIfAborted()
      slept.push(delayMs)
      time.nowMs += delayMs
      await new Promise((resolve) => setImmediate(resolve))
      signal.throwIfAborted()
    },
  }
}

function listingLogger(logged: string[]): Logger {
  return {
    facility: 'http',
    debug: () => {},
    info: (message) => void logged.push(`INFO ${message}`),
    warn: (message) => void logged.push(`WARN ${message}`),
    error: (message) => void logged.push(`ERROR ${message}`),
  }
}

/** Finds nothing to change in any file. */
function fakeSetup(config: FakeConfigStore): RestDeps['setup'] {
  return {
    apply: () =>
      Promise.resolve({
        changes: [],
        drift: [],
        leftovers: [],
        next: { config: config.current, extensions: EXTENSIONS, ignores: new Map(), keys: [], hooks: [] },
        applied: NOTHING_APPLIED,
      }),
    export: () => Promise.resolve({ devices: [], folders: [] }),
  }
}

/** Everything behind the REST interface, and what it was called with. */
function fakeParts(fake: FakeOptions) {
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
  let seed = ++devices
  const random = {
    bytes: (count: number) => new Uint8Array(count),
    int: (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below,
  }
  const deps: RestDeps = {
    clock: steppingClock(time, slept),
    setup: fakeSetup(config),
    series: { read: () => ({ startMs: 0, series: [] }) },
    disks: async () => [],
    doctorFacts: async () => HEALTHY_FACTS,
    grants: new Grants(
      {
        disk: new SimDisk(new SimClock()),
        clock: { nowMs: () => time.nowMs },
        random,
        log: listingLogger(logged),
      },
      '/twinfold-keys.json',
    ),
    random,
    http,
    disk: NO_DISK,
    hub: fakeHub(calls, fake.hub),
    explorer: async () => ({ ...NO_EXPLORER, ...fake.explorer }),
    content: NO_CONTENT,
    hooks: NO_HOOKS,
    config,
    extensions: fakeExtensions(),
    events: {
      emit: <K extends EventType>(type: K, data: EventMap[K]) => void emitted.push({ type, data }),
      buffer: () => ({ since: async (since) => rows.filter((row) => row.id > since) }),
      sequence: () => ({ newestId: rows.at(-1)?.id ?? 0, next: async (after) => rows.filter((row) => row.id > after) }),
    },
    log,
    logger: listingLogger(logged),
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
    pauses: { all: () => [], pause: async ({ kind, id }, forMs) => void calls.push(`pause ${kind} ${id} ${forMs}`) },
    mover: fakeMover(calls),
    rewinder: fakeRewinder(calls),
    schedule: {
      status: () => ({
        timeZone: 'UTC',
        rules: [],
        pauses: [],
        nextMs: undefined,
        metered: 'off',
        battery: 'off',
        sleep: { kind: 'off' },
      }),
      set: async (wanted) => makeRule(wanted),
      remove: async (name) => void calls.push(`remove rule ${name}`),
      resume: async (targets) => calls.push(`resume ${targets.map(({ id }) => id)}`) > 0,
    },
    checkFolder: async (path) => ({ path, problem: null, warnings: [], exists: true, freeBytes: null }),
    system: {
      memoryBytes: () => ({ usedBytes: 1_000, reservedBytes: 2_000 }),
      cpuCount: 2,
      memorySizeBytes: 2 ** 32,
      process: simProcess,
    },
    dialDirectory: async () => {
      throw new Error('there is no directory server')
    },
    httpsIdentity: async () => ({ certificatePem: '', keyPem: '' }),
    ...fake.deps,
  }
  return { deps, config, log, http, calls, logged, emitted, slept, kept, time, rows }
}

function fakeExtensions(): ExtensionStore {
  let current = EXTENSIONS
  return {
    get current() {
      return current
    },
    change: async (patch) => (current = patchExtensions(current, patch)),
    subscribe: () => {},
  }
}

/** A daemon's REST interface without a daemon: the handler is called directly, everything behind it is fake. */
export function fakeRest(fake: FakeOptions = {}) {
  const parts = fakeParts(fake)
  const server = new RestServer(parts.deps, {
    deviceId: LOCAL_ID,
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
  const routes = async () => (await server.load()).for(undefined).routes.routes
  return { ...parts, server, routes, call, send, configJson: () => configToJson(parts.config.current) }
}
