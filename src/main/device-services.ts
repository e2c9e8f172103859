import { join } from 'node:path'
import { TimedPauses } from '../config/timed-pauses.ts'
import type { IndexStore } from '../db/types.ts'
import type { Model } from '../model/model.ts'
import { Mover } from '../model/move/mover.ts'
import { Rewinder } from '../model/rewind/rewinder.ts'
import type { Service } from '../sync/supervisor.ts'
import { UpgradeChecker } from '../upgrade/checker.ts'
import type { DeviceBase } from './device-base.ts'
import { diskSpaces } from './disk-spaces.ts'
import { openHooks } from './hook-states.ts'
import { findInstallation } from './installation.ts'
import type { Network } from './network.ts'
import type { RestParts } from './rest-server.ts'
import type { DeviceSchedule } from './schedule.ts'
import { openSeries } from './series.ts'
import type { DeviceSetup } from './setup.ts'
import { protectedHome } from './warnings.ts'

interface ServiceParts {
  readonly store: IndexStore
  readonly model: Model
  readonly network: Network
  readonly schedule: DeviceSchedule
  readonly setup: DeviceSetup
}

/** What runs beside folders and connections. */
export interface DeviceServices {
  readonly views: Pick<
    RestParts,
    'upgrade' | 'pauses' | 'mover' | 'rewinder' | 'hooks' | 'series' | 'schedule' | 'disks'
  >
  readonly all: readonly Service[]
}

/** Opens what was interrupted, too: moves and rewinds go on when their services run. */
export async function openDeviceServices(base: DeviceBase, parts: ServiceParts): Promise<DeviceServices> {
  const { platform, config, logger } = base
  const { store, model, network, schedule, setup } = parts
  const mover = makeMover(base, parts)
  await mover.load()
  const rewinder = makeRewinder(base, parts)
  await rewinder.load()
  const upgrade = makeUpgradeChecker(base)
  const disks = () => diskSpaces(base)
  const series = await openSeries(base, { model, network, disks })
  const hooks = await openHooks(base, { model, network, config: schedule.effective })
  setup.useHooks(hooks)
  const pauses = new TimedPauses({ clock: platform.clock, config, log: logger('config'), keyValue: store.keyValue })
  const { scheduler, inhibitor } = schedule
  return {
    views: { upgrade, pauses, mover, rewinder, hooks, series, schedule: scheduler, disks },
    all: [upgrade, pauses, mover, rewinder, hooks, series, scheduler, inhibitor],
  }
}

function makeMover(base: DeviceBase, { store, model }: ServiceParts): Mover {
  const { platform, options, config, logger } = base
  const { locations } = options
  const { directories, userHome } = protectedHome(locations)
  return new Mover(
    { platform, store, config, folders: model, log: logger('model') },
    { journalFile: join(locations.dataDirectory, 'moves.json'), homes: directories, userHome },
  )
}

function makeRewinder({ platform, options, config, logger }: DeviceBase, parts: ServiceParts): Rewinder {
  const { dataDirectory, userHome } = options.locations
  const { store, model: folders, network } = parts
  return new Rewinder(
    { platform, store, config, folders, sources: network.peers, log: logger('model') },
    { journalFile: join(dataDirectory, 'rewinds.json'), userHome },
  )
}

function makeUpgradeChecker({ platform, options, config, logger, version }: DeviceBase): UpgradeChecker {
  const { clock, random, system } = platform
  return new UpgradeChecker(
    {
      clock,
      random,
      config,
      log: logger('upgrade'),
      http: platform.httpClient,
      environment: (name) => system.environment(name),
    },
    { running: version.version, allowed: options.upgradesAllowed, installation: findInstallation() },
  )
}
