import type { Config } from '../core/config/config.ts'
import { FOLDER_EXTENSIONS, folderExtensions } from '../core/config/extensions.ts'
import { messageOf } from '../core/errors.ts'
import { openStore } from '../db/store.ts'
import type { IndexStore } from '../db/types.ts'
import { folderStatusJson } from '../http/views/folder-status.ts'
import { loadFolderCode, Model } from '../model/model.ts'
import { ModelSignals } from '../model/signals.ts'
import type { FolderRates } from '../model/state/folder-rates.ts'
import { FolderRoots } from '../model/state/folder-roots.ts'
import type { Platform } from '../platform/platform.ts'
import { Statistics } from '../stats/stats.ts'
import { WorkCounters } from '../stats/work-counters.ts'
import { supervise, type Service } from '../sync/supervisor.ts'
import { EXIT, type ExitCode, type ServeOptions } from './args/options.ts'
import { auditEvents, openAudit } from './audit.ts'
import { openDeviceBase, openLogFile, type DeviceBase } from './device-base.ts'
import { openDeviceServices } from './device-services.ts'
import { EarlyRequests } from './early-requests.ts'
import { Shutdown } from './shutdown.ts'
import { AddressFile } from './home/address-file.ts'
import { prepareHome } from './home/prepare-home.ts'
import { lockHomeInTime } from './home/lock.ts'
import { LastHandler } from './last-handler.ts'
import { logNetworkUse } from './network-use.ts'
import { Network } from './network.ts'
import { openSchedule } from './schedule.ts'
import type { RestServer } from '../http/server.ts'
import { makeRestServer } from './rest-server.ts'
import { openSetup } from './setup.ts'
import { TakeOver } from './take-over.ts'
import { deviceWarnings, logWarnings, ROOT_WARNING } from './warnings.ts'

/**
 * One device, from taking its lock to its shutdown. The composition root: open the resources that must be closed, build
 * the parts that use them, connect the parts, run them. Rejects with a reason if a resource cannot be opened.
 */
export async function runDaemon(platform: Platform, options: ServeOptions, signal: AbortSignal): Promise<ExitCode> {
  const { locations } = options
  const { clock, random, disk } = platform
  const homeWarnings = await prepareHome(platform, locations)
  using sink = openLogFile(platform, options)
  await using _lock = await lockHomeInTime(platform, locations, signal)
  const base = await openDeviceBase(platform, options, sink)
  const setup = await openSetup(base)
  const { log, logger, events, identity, version, config } = base
  const signals = new ModelSignals()
  const roots = new FolderRoots({ clock, random })
  await using store = await openStore({
    directory: options.databaseInMemory ? undefined : locations.databaseDirectory,
    disk,
    clock,
    random,
    log: log.logger('db'),
    onRecovery: ({ folder }) => void (folder !== undefined && signals.indexLost.emit(folder)),
  })
  const statistics = new Statistics({ keyValue: store.keyValue, log: logger('stats') })
  const takeOver = await TakeOver.prepare(base, { store, statistics })
  const schedule = await openSchedule(base, store)
  const { effective, folderRates } = schedule
  const shared = { store, statistics, signals, roots, folderRates }
  const network = await Network.open(
    { ...base, ...shared, config: effective },
    { ownDevice: identity.deviceId, identity, clientVersion: version.version, userHome: locations.userHome },
  )
  const model = makeModel(base, { ...shared, network, config: effective.current })
  setup.use(model)
  schedule.use(network)
  const services = await openDeviceServices(base, { store, model, network, schedule, setup })
  const ending = new Shutdown(signal)
  const lastHandler = new LastHandler({ log: logger('main'), events, end: () => ending.end(EXIT.error) })
  using _unhandled = platform.system.process.onUnhandled((failure) => lastHandler.handle(failure))
  const warnings = () => deviceWarnings(disk, config.current, options)
  // Before the other subscribers, so that a resumed device is dialled at once.
  effective.subscribe(async (from, to) => {
    await network.release(to)
    await model.apply(from, to)
    await network.apply(from, to)
  })
  config.subscribe((_, to) => forgetRemoved(base, to))
  base.extensions.subscribe((from, to) => model.applyExtensions(from, to))
  await logWarnings(config, warnings, logger('main'), [
    ...homeWarnings,
    ...(platform.system.isRoot ? [ROOT_WARNING] : []),
  ])
  logNetworkUse(config, logger('main'), options)
  await using addressFile = await AddressFile.open({ disk, log: logger('main') }, locations, platform.system.processId)
  const early = new EarlyRequests()
  const views = { ...services.views, setup: setup.applier, addressFile, early }
  const rest = makeRestServer(base, { store, statistics, network, model, ending, warnings, takeOver, ...views })

  events.listen(WorkCounters.eventTypes, statistics.work.onEvent, ending.signal)
  events.listen(new Set(['DeviceConnected']), () => platform.keepCompiled?.(), ending.signal)
  using audit = openAudit(platform, options, config.current.options, logger('main'))
  if (audit !== undefined) auditEvents(events, (line) => audit.write(line), logger('main'), ending.signal)
  events.emit('Starting', { home: locations.configDirectory, myID: identity.deviceId })

  const others = [model, ...network.services, ...services.all]
  await runServices(base, { rest, early, takeOver, others }, ending)
  await network.pending.saved()
  await base.invitations.settled()
  logger('main').info(ending.code === EXIT.restart ? 'stopped, restarting' : 'stopped')
  return ending.code
}

/** A folder that is added again begins with the defaults. */
async function forgetRemoved({ extensions }: DeviceBase, { folders, devices }: Config): Promise<void> {
  const ids: ReadonlySet<string> = new Set(folders.map(({ id }) => id))
  const known: ReadonlySet<string> = new Set(devices.map(({ deviceID }) => deviceID))
  const { folders: settings, schedule: rules } = extensions.current
  const removed = Object.keys(settings).filter((id) => !ids.has(id))
  const schedule = rules.filter(
    ({ folder, device }) => ids.has(folder ?? '') || known.has(device ?? '') || folder === device,
  )
  if (removed.length === 0 && schedule.length === rules.length) return
  await extensions.change({ schedule, folders: Object.fromEntries(removed.map((id) => [id, FOLDER_EXTENSIONS])) })
}

interface Services {
  readonly rest: RestServer
  readonly early: EarlyRequests
  readonly takeOver: TakeOver | undefined
  readonly others: readonly Service[]
}

/**
 * Runs all until the end: the REST interface first, so that clients know early that the device runs. While an index is
 * taken over, only the REST interface runs, which shows the progress.
 */
async function runServices(base: DeviceBase, parts: Services, ending: Shutdown): Promise<void> {
  const { platform, events, identity, logger } = base
  const { rest, early, takeOver, others } = parts
  const failed = (service: Service) => (error: unknown) =>
    logger('main').error(`${service.name} failed, restarting: ${messageOf(error)}`)
  const start = (service: Service) => supervise(service, platform.clock, failed(service), ending.signal)
  const running: Promise<void>[] = [start(rest)]
  try {
    if (takeOver !== undefined) {
      early.release()
      await takeOver.run(ending.signal)
    }
    await Promise.race([rest.attempted, ...running])
    if (base.config.current.folders.length > 0) await loadFolderCode()
    if (ending.signal.aborted) return
    running.push(...others.map(start)) // at most one per service
    events.emit('StartupComplete', { myID: identity.deviceId })
  } catch (error) {
    ending.end(EXIT.error)
    throw error
  } finally {
    early.release()
    await Promise.all(running)
  }
}

interface ModelParts {
  readonly store: IndexStore
  readonly statistics: Statistics
  readonly signals: ModelSignals
  readonly roots: FolderRoots
  readonly folderRates: FolderRates
  readonly network: Network
  readonly config: Config
}

function makeModel(base: DeviceBase, { network, config, ...parts }: ModelParts): Model {
  const { platform, events, logger, extensions, identity, options } = base
  const { userHome, databaseDirectory, keptDirectory } = options.locations
  return new Model(
    {
      ...parts,
      platform,
      events,
      logger,
      sources: network.peers,
      extensions: (folder) => folderExtensions(extensions.current, folder),
      summaryOf: folderStatusJson,
    },
    { config, ownDevice: identity.deviceId, userHome, databaseDirectory, keptDirectory },
  )
}
