import { join } from 'node:path'
import type { Config } from '../core/config/config.ts'
import { messageOf, TwinfoldError } from '../core/errors.ts'
import type { Facility } from '../core/facilities.ts'
import { Passwords } from '../config/password.ts'
import { openConfig, type OpenedConfig } from '../config/store.ts'
import { openStore } from '../db/store.ts'
import { EventBus } from '../events/bus.ts'
import { Log } from '../events/log.ts'
import type { Logger } from '../events/types.ts'
import { folderStatusJson } from '../http/views/folder-status.ts'
import { RestServer } from '../http/server.ts'
import { Model } from '../model/model.ts'
import { Statistics } from '../stats/stats.ts'
import { WorkCounters } from '../stats/work-counters.ts'
import { supervise, type Service } from '../sync/supervisor.ts'
import { UpgradeChecker } from '../upgrade/checker.ts'
import type { LineSink } from '../platform/files/lines.ts'
import type { Platform } from '../platform/platform.ts'
import { auditEvents } from './audit.ts'
import { withFreePorts } from './home/first-start.ts'
import { builtGuiDirectory } from './gui-directory.ts'
import { findInstallation } from './installation.ts'
import { ensureHome, loadOrMakeHttpsIdentity, loadOrMakeIdentity } from './home/identity.ts'
import { Network } from './network.ts'
import { EXIT, type ExitCode, type ServeOptions } from './args/options.ts'
import type { Locations } from '../core/locations.ts'
import { versionFacts } from './version.ts'

const LOG_SIZE_BYTES_MAX = 10 * 1024 * 1024
const LOG_OLD_FILES_MAX = 3

/**
 * One device, from taking its lock to its shutdown. The composition root: open the resources that must be closed, build
 * the parts that use them, connect the parts, run them. Rejects with a reason if a resource cannot be opened.
 */
export async function runDaemon(platform: Platform, options: ServeOptions, signal: AbortSignal): Promise<ExitCode> {
  const { locations } = options
  const { clock, random, disk, http, system } = platform
  await ensureHome(disk, locations)

  using sink = platform.lines.open(locations.logFile, {
    sizeBytesMax: options.logMaxSizeBytes ?? LOG_SIZE_BYTES_MAX,
    oldFilesMax: options.logMaxOldFiles ?? LOG_OLD_FILES_MAX,
  })
  const log = new Log(
    { clock, write: (line) => sink.write(line) },
    { level: options.logLevel, format: options.logFormat, trace: options.trace },
  )
  const mainLog = log.logger('main')
  const events = new EventBus({ clock, log: log.logger('events') })

  await using _lock = await lockHome(platform, locations)
  const identity = await loadOrMakeIdentity({ disk, clock, random }, locations)
  const version = versionFacts(system, options.versionExtra)
  mainLog.info(`Twinfold ${version.version}, device ${identity.deviceId}`)
  mainLog.info(`home is ${locations.configDirectory}${identity.created ? ' (new)' : ''}`)

  const passwords = new Passwords({ hasher: platform.passwords, random, clock, log: log.logger('config') })
  const config = await openConfig(
    { disk, clock, random, passwords, log: log.logger('config'), events },
    {
      path: locations.configFile,
      ownDevice: identity.deviceId,
      hostName: system.hostName,
      allowNewer: options.allowNewerConfig,
    },
  )
  await applyStartOptions(config, options, platform)

  // The store may lose an index while it opens, before the model exists; model and network refer to each other.
  let model: Model | undefined
  let network: Network | undefined
  await using store = await openStore({
    directory: options.databaseInMemory ? undefined : locations.databaseDirectory,
    disk,
    clock,
    random,
    log: log.logger('db'),
    onRecovery: ({ folder }) => {
      if (folder === undefined) return
      model?.indexLost(folder)
      network?.peers.indexLost(folder)
    },
  })
  if (options.resetDatabase) for (const folder of await store.folders()) await store.dropFolder(folder)

  const logger = (facility: Facility) => log.logger(facility)
  const statistics = new Statistics({ keyValue: store.keyValue, log: logger('stats') })
  network = await Network.open(
    { platform, store, events, statistics, config, logger, folders: () => model },
    { ownDevice: identity.deviceId, identity, clientVersion: version.version, userHome: locations.userHome },
  )
  model = new Model(
    { platform, store, events, statistics, logger, sources: network.peers, summaryOf: folderStatusJson },
    {
      config: config.current,
      ownDevice: identity.deviceId,
      userHome: locations.userHome,
      databaseDirectory: locations.databaseDirectory,
    },
  )

  const upgrade = new UpgradeChecker(
    {
      clock,
      random,
      config,
      log: log.logger('upgrade'),
      http: platform.httpClient,
      environment: (name) => system.environment(name),
    },
    { running: version.version, allowed: options.upgradesAllowed, installation: findInstallation() },
  )

  const ending = new Ending(signal)
  const rest = new RestServer(
    {
      clock,
      random,
      http,
      disk,
      events,
      config,
      log,
      hub: model,
      explorer: () => model.explorer(),
      connections: network.connections,
      pending: network.pending,
      completion: network.completions,
      deviceStatistics: () => network.deviceStatistics(),
      logger: log.logger('http'),
      keyValue: store.keyValue,
      passwords,
      lifecycle: {
        shutdown: () => ending.end(EXIT.success),
        restart: () => ending.end(EXIT.restart),
        deleteIndexes: async (folders) => {
          for (const folder of folders) await store.dropFolder(folder)
        },
      },
      folderWork: () => statistics.work.all(),
      eventCounts: () => events.counts(),
      upgrade,
      system,
      httpsIdentity: () => loadOrMakeHttpsIdentity({ disk, clock, random }, locations, system.hostName),
    },
    {
      deviceId: identity.deviceId,
      version,
      locations,
      guiDirectories: [locations.guiAssetsDirectory, builtGuiDirectory()],
      ...(options.guiAddress !== undefined && { guiAddress: options.guiAddress }),
      ...(options.guiApiKey !== undefined && { guiApiKey: options.guiApiKey }),
    },
  )
  config.subscribe(async (from, to) => {
    await network.release(to)
    await model.apply(from, to)
    await network.apply(from, to)
  })

  events.listen(WorkCounters.eventTypes, statistics.work.onEvent, ending.signal)
  using audit = openAudit(platform, options, config.current.options, mainLog)
  if (audit !== undefined) auditEvents(events, (line) => audit.write(line), mainLog, ending.signal)
  events.emit('Starting', { home: locations.configDirectory, myID: identity.deviceId })

  const failed = (service: Service) => (error: unknown) =>
    mainLog.error(`${service.name} failed, restarting: ${messageOf(error)}`)
  const services = [model, ...network.services, rest, upgrade]
  const running = services.map((service) => supervise(service, clock, failed(service), ending.signal))
  events.emit('StartupComplete', { myID: identity.deviceId })
  await Promise.all(running)
  await network.pending.saved()
  mainLog.info(ending.code === EXIT.restart ? 'stopped, restarting' : 'stopped')
  return ending.code
}

/** Ends the daemon on a signal or on a REST request; the first request sets the exit code. */
class Ending {
  readonly #stop = new AbortController()
  readonly signal: AbortSignal
  #code: ExitCode | undefined

  constructor(outer: AbortSignal) {
    this.signal = AbortSignal.any([outer, this.#stop.signal])
  }

  get code(): ExitCode {
    return this.#code ?? EXIT.success
  }

  end(code: ExitCode): void {
    this.#code ??= code
    this.#stop.abort(new TwinfoldError('stopped', 'the daemon is stopping'))
  }
}

/**
 * Locks the home against other processes. Syncthing since 1.29 takes the same lock file; an older one only locks its
 * database, so that lock is taken, too, if the database exists.
 */
async function lockHome(platform: Platform, locations: Locations): Promise<AsyncDisposable> {
  const { disk } = platform
  const held = new AsyncDisposableStack()
  try {
    await hold(held, disk.lock(locations.lockFile), locations.lockFile)
    const oldDatabase = join(locations.dataDirectory, 'index-v0.14.0.db', 'LOCK')
    const isThere = await disk.lstat(oldDatabase).then(
      () => true,
      () => false,
    ) // an unreadable one is treated as absent
    if (isThere) await hold(held, disk.lock(oldDatabase, { leaveFile: true }), oldDatabase)
    return held
  } catch (error) {
    await held.disposeAsync()
    throw error
  }
}

async function hold(
  held: AsyncDisposableStack,
  locking: Promise<AsyncDisposable | undefined>,
  path: string,
): Promise<void> {
  const lock = await locking
  if (lock === undefined) {
    throw new TwinfoldError(
      'home-locked',
      `another Twinfold or Syncthing is already running on this home (${path} is locked); stop it, or choose another --home`,
    )
  }
  held.use(lock)
}

/** The changes that the start options make in the saved configuration. */
async function applyStartOptions(config: OpenedConfig, options: ServeOptions, platform: Platform): Promise<void> {
  if (config.created && options.portProbing) {
    const chosen = await withFreePorts(config.current, platform.http)
    await config.change(() => chosen)
  }
  if (options.paused) await config.change((current) => withPause(current, true))
  if (options.unpaused) await config.change((current) => withPause(current, false))
}

function withPause(config: Config, paused: boolean): Config {
  return {
    ...config,
    folders: config.folders.map((folder) => ({ ...folder, paused })),
    devices: config.devices.map((device) => ({ ...device, paused })),
  }
}

/** Enabled by a flag it must work; enabled by the configuration it may fail: a bad setting must not block the start. */
function openAudit(
  platform: Platform,
  options: ServeOptions,
  settings: Config['options'],
  log: Logger,
): LineSink | undefined {
  const stamp = new Date(platform.clock.nowMs()).toISOString().replace(/[-:]/g, '').replace('T', '-').slice(0, 15)
  const dated = `${options.locations.dataDirectory}/audit-${stamp}.log`
  const open = (path: string) => platform.lines.open(path, { sizeBytesMax: 0, oldFilesMax: 0 })
  if (options.audit !== undefined) return open(options.audit === 'default' ? dated : options.audit)
  if (!settings.auditEnabled) return undefined
  try {
    return open(settings.auditFile === '' ? dated : settings.auditFile)
  } catch (error) {
    log.warn(`the audit log ${settings.auditFile} cannot be opened, auditing is off: ${messageOf(error)}`)
    return undefined
  }
}
