import { NEVER } from '../core/never.ts'
import type { IndexStore } from '../db/types.ts'
import { FolderRates } from '../model/state/folder-rates.ts'
import { EffectiveConfig } from '../schedule/effective-config.ts'
import { Scheduler } from '../schedule/scheduler.ts'
import { SleepInhibitor } from '../schedule/sleep-inhibitor.ts'
import type { DeviceBase } from './device-base.ts'
import type { Network } from './network.ts'

/** The schedule of the device, and the configuration that is in force by it. */
export interface DeviceSchedule {
  readonly effective: EffectiveConfig
  readonly scheduler: Scheduler
  readonly inhibitor: SleepInhibitor
  readonly folderRates: FolderRates
  /** What is transferred is known when there is a network. */
  use(network: Network): void
}

/** What is paused now is so in the effective configuration when it resolves. */
export async function openSchedule(base: DeviceBase, { keyValue }: IndexStore): Promise<DeviceSchedule> {
  const { platform, config, extensions, events, logger } = base
  const { clock, programs, system } = platform
  const log = logger('main')
  const report = (line: string, kind: 'info' | 'problem') => (kind === 'info' ? log.info(line) : log.warn(line))
  let network: Network | undefined
  const transferredBytes = (): number => {
    const { inBytesTotal = 0, outBytesTotal = 0 } = network?.connections.status() ?? {}
    return inBytesTotal + outBytesTotal
  }
  const effective = new EffectiveConfig({ config, report: (problem) => report(problem, 'problem') })
  const inhibitor = new SleepInhibitor({ clock, programs, system, extensions, events, transferredBytes, report })
  const deps = { clock, system, programs, config, extensions, effective, inhibitor, events, keyValue, report }
  const scheduler = await Scheduler.open(deps)
  const folderRates = new FolderRates(clock, (folder) => scheduler.folderRates(folder))
  events.listen(new Set(['ScheduleChanged']), () => folderRates.update(), NEVER)
  return {
    effective,
    scheduler,
    inhibitor,
    folderRates,
    use: (opened) => {
      network = opened
    },
  }
}
