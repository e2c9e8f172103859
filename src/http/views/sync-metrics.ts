import type { ConfigStore } from '../../config/types.ts'
import type { ConnectionsView } from '../../connections/types.ts'
import { gauge, type Metric, type Sample } from '../../core/formats/prometheus.ts'
import type { DeviceId } from '../../core/ids.ts'
import { NEVER } from '../../core/never.ts'
import type { HooksView } from '../../hooks/types.ts'
import type { Hub } from '../../model/model.ts'
import type { CompletionView } from '../../model/queries/completion.ts'
import type { FolderExplorer } from '../../model/queries/explorer.ts'
import type { Clock } from '../../platform/clock.ts'
import type { WatchBudget } from '../../platform/watch.ts'
import type { DeviceStatisticsView, FolderWorkView } from '../types.ts'

export interface SyncMetricsDeps {
  readonly clock: Clock
  readonly config: ConfigStore
  readonly connections?: ConnectionsView
  readonly completion?: CompletionView
  readonly deviceStatistics?: DeviceStatisticsView
  readonly folderWork?: FolderWorkView
  readonly hooks: Pick<HooksView, 'all'>
  readonly hub: Pick<Hub, 'status' | 'guard'>
  explorer(): Promise<FolderExplorer>
  watchBudget?(): WatchBudget | undefined
}

/** What people are warned about: who is behind and for how long, conflicts, devices that are away, watches. */
export async function syncMetrics(deps: SyncMetricsDeps, ownDevice: DeviceId): Promise<readonly Metric[]> {
  return [
    lag(deps),
    ...(await remoteNeeds(deps, ownDevice)),
    await conflicts(deps),
    await guards(deps),
    await awayDevices(deps, ownDevice),
    ...watches(deps),
    gauge('twinfold_hook_deliveries_waiting', 'Deliveries of hooks that wait, also for their next attempt.', [
      { value: deps.hooks.all().reduce((sum, { waiting }) => sum + waiting, 0) },
    ]),
  ]
}

function running({ config }: SyncMetricsDeps): readonly ConfigStore['current']['folders'][number][] {
  return config.current.folders.filter(({ paused }) => !paused)
}

function lag(deps: SyncMetricsDeps): Metric {
  const nowMs = deps.clock.nowMs()
  const work = deps.folderWork?.()
  const samples = running(deps).flatMap(({ id: folder }): readonly Sample[] => {
    const found = work?.get(folder)
    if (found === undefined) return []
    const { behindSinceMs = nowMs } = found
    return [{ labels: { folder }, value: Math.max(0, nowMs - behindSinceMs) / 1_000 }]
  })
  const help = 'For how long something of each folder has been missing here, since the start; 0 when it is in sync.'
  return gauge('twinfold_folder_behind_seconds', help, samples)
}

/** Omits a folder whose index cannot be used. */
async function remoteNeeds(deps: SyncMetricsDeps, ownDevice: DeviceId): Promise<readonly Metric[]> {
  const items: Sample[] = []
  const bytes: Sample[] = []
  for (const { id: folder, devices } of running(deps)) {
    for (const { deviceID: device } of devices) {
      if (device === ownDevice) continue
      const found = await deps.completion?.completion(folder, device).catch(() => undefined) // not running any more
      if (found === undefined) continue
      items.push({ labels: { folder, device }, value: found.needItems + found.needDeletes })
      bytes.push({ labels: { folder, device }, value: found.needBytes })
    }
  }
  return [
    gauge('twinfold_remote_need_items', 'Items of each folder that another device still needs.', items),
    gauge('twinfold_remote_need_bytes', 'Bytes of each folder that another device still needs.', bytes),
  ]
}

async function conflicts(deps: SyncMetricsDeps): Promise<Metric> {
  const explorer = await deps.explorer()
  const samples: Sample[] = []
  for (const { id: folder } of running(deps)) {
    const page = await explorer.conflicts(folder, { page: 1, perPage: 1 }, NEVER).catch(() => undefined) // not running
    if (page !== undefined) samples.push({ labels: { folder }, value: page.total })
  }
  return gauge('twinfold_folder_conflict_copies', 'Conflict copies that each folder has now.', samples)
}

/** Omits a folder that does not run. */
async function guards(deps: SyncMetricsDeps): Promise<Metric> {
  const samples: Sample[] = []
  for (const { id: folder } of running(deps)) {
    const guard = await deps.hub.guard(folder).catch(() => undefined) // not running
    if (guard === undefined) continue
    for (const kind of ['deletions', 'truncations'] as const) {
      samples.push({ labels: { folder, kind }, value: guard.held.reduce((sum, held) => sum + held[kind], 0) })
    }
  }
  return gauge('twinfold_guard_held_items', 'Files whose loss the deletion guard of each folder holds.', samples)
}

/** A device that was never connected has no time. */
async function awayDevices(deps: SyncMetricsDeps, ownDevice: DeviceId): Promise<Metric> {
  const statistics = await deps.deviceStatistics?.()
  const connected = deps.connections?.status().devices
  const nowMs = deps.clock.nowMs()
  const samples = deps.config.current.devices.flatMap(({ deviceID: device }): readonly Sample[] => {
    if (device === ownDevice) return []
    if (connected?.has(device)) return [{ labels: { device }, value: 0 }]
    const lastSeenMs = statistics?.get(device)?.lastSeenMs ?? 0
    return lastSeenMs === 0 ? [] : [{ labels: { device }, value: Math.max(0, nowMs - lastSeenMs) / 1_000 }]
  })
  return gauge('twinfold_device_away_seconds', 'How long ago each device was connected; 0 while it is.', samples)
}

function watches({ watchBudget }: SyncMetricsDeps): readonly Metric[] {
  const budget = watchBudget?.()
  if (budget === undefined) return []
  return [
    gauge('twinfold_watches_used', 'Directories that are watched for changes.', [{ value: budget.used }]),
    gauge('twinfold_watches_allowed', 'Directories that the system allows all programs of the user to watch.', [
      { value: budget.allowed },
    ]),
  ]
}
