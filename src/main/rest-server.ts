import { Inviting } from '../config/inviting.ts'
import { checkNewFolder } from '../config/new-folder.ts'
import type { SetupView, TimedPausesView } from '../config/types.ts'
import type { ImportingStore } from '../db/store.ts'
import { RestServer } from '../http/server.ts'
import type { DeviceWarning, DiskSpace } from '../http/types.ts'
import type { HooksView } from '../hooks/types.ts'
import type { Model } from '../model/model.ts'
import type { MoveView } from '../model/move/types.ts'
import type { RewindView } from '../model/rewind/types.ts'
import type { SeriesView } from '../stats/series-recorder.ts'
import type { ScheduleView } from '../schedule/types.ts'
import type { Statistics } from '../stats/stats.ts'
import type { UpgradeChecker } from '../upgrade/checker.ts'
import { EXIT } from './args/options.ts'
import type { DeviceBase } from './device-base.ts'
import { doctorFacts } from './doctor-facts.ts'
import type { EarlyRequests } from './early-requests.ts'
import type { Shutdown } from './shutdown.ts'
import { builtGuiDirectory } from './gui-directory.ts'
import type { AddressFile } from './home/address-file.ts'
import { loadOrMakeHttpsIdentity } from './home/identity.ts'
import type { Network } from './network.ts'
import type { TakeOver } from './take-over.ts'
import { protectedHome } from './warnings.ts'

/** The parts of a running device that the REST interface reads and controls. */
export interface RestParts {
  readonly store: ImportingStore
  readonly statistics: Statistics
  readonly network: Network
  readonly model: Model
  readonly upgrade: UpgradeChecker
  readonly pauses: TimedPausesView
  readonly mover: MoveView
  readonly series: SeriesView
  readonly setup: SetupView
  readonly hooks: HooksView
  readonly rewinder: RewindView
  readonly schedule: ScheduleView
  readonly ending: Shutdown
  readonly takeOver: TakeOver | undefined
  readonly addressFile: AddressFile
  readonly early: EarlyRequests
  warnings(): Promise<readonly DeviceWarning[]>
  disks(): Promise<readonly DiskSpace[]>
}

export function makeRestServer(base: DeviceBase, parts: RestParts): RestServer {
  const { platform, options, log, events, config, extensions, grants, passwords, identity, version } = base
  const { store, statistics, network, model, upgrade, pauses, mover, rewinder, hooks, setup, schedule } = parts
  const { ending, warnings, takeOver, addressFile, series, disks, early } = parts
  const { clock, random, disk, http, system } = platform
  const { locations } = options
  const checkFolder = (path: string) => {
    const { folders, defaults } = config.current
    return checkNewFolder({ disk, folders, home: protectedHome(locations) }, { ...defaults.folder, path })
  }
  const { connections } = network
  const inviting = new Inviting(
    {
      clock,
      random,
      config,
      extensions,
      invitations: base.invitations,
      checkFolder,
      addresses: () => connections.addresses(),
      reconnect: (device) => connections.reconnect(device),
    },
    { ownDevice: identity.deviceId, userHome: locations.userHome },
  )
  return new RestServer(
    {
      clock,
      random,
      http: early.holdAt(http),
      disk,
      events,
      config,
      extensions,
      grants,
      setup,
      series,
      disks,
      log,
      hub: model,
      explorer: () => model.explorer(),
      content: model.content,
      connections: network.connections,
      discovery: network.discovery,
      portMapping: network.portMapping,
      pending: network.pending,
      disagreements: () => network.peers.disagreements,
      completion: network.completions,
      deviceStatistics: () => network.deviceStatistics(),
      logger: log.logger('http'),
      keyValue: store.keyValue,
      passwords,
      dialDirectory: platform.dialDirectory,
      lifecycle: {
        shutdown: () => ending.end(EXIT.success),
        restart: () => ending.end(EXIT.restart),
        deleteIndexes: async (folders) => {
          for (const folder of folders) await store.dropFolder(folder)
        },
      },
      folderWork: () => statistics.work.all(),
      indexWork: () => store.work(),
      eventCounts: () => events.counts(),
      watchBudget: () => platform.watcher.budget?.(),
      upgrade,
      pauses,
      mover,
      hooks,
      rewinder,
      schedule,
      warnings,
      doctorFacts: () => doctorFacts(base, { store, model, network, upgrade, warnings }),
      indexImport: () => takeOver?.status,
      checkFolder,
      invitations: inviting,
      system,
      ...(options.guiAddress !== undefined && { onListening: (address: string) => addressFile.write(address) }),
      httpsIdentity: () => loadOrMakeHttpsIdentity({ disk, clock, random }, locations, system.hostName),
    },
    {
      deviceId: identity.deviceId,
      version,
      locations,
      guiDirectories: [locations.guiAssetsDirectory, builtGuiDirectory()],
      ...(options.guiAddress !== undefined && { guiAddress: options.guiAddress }),
      ...(options.guiApiKey !== undefined && { guiApiKey: options.guiApiKey }),
      ...(options.trustedProxies !== undefined && { trustedProxies: options.trustedProxies }),
    },
  )
}
