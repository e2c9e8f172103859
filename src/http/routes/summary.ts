import type { TimedPause } from '../../config/types.ts'
import type { Grant } from '../../core/access.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { DeviceId, FolderId } from '../../core/ids.ts'
import { NEVER } from '../../core/never.ts'
import type { PulseJson, SummaryJson } from '../../rest/twinfold.ts'
import { connectionsJson, shownConfig, pendingDevicesJson, pendingFoldersJson } from './cluster.ts'
import { scheduledPauseJson } from './schedule.ts'
import { deviceStatisticsJson } from './completion.ts'
import { folderStatisticsJson } from './db.ts'
import { disagreementsJson } from '../views/disagreements.ts'
import { indexImportJson } from '../views/index-import.ts'
import { guardSummaryJson } from '../views/guard.ts'
import { folderStatusJson } from '../views/folder-status.ts'
import { errorsJson, type SystemState } from './system.ts'
import { formatMs } from '../views/times.ts'
import type { RestDeps, RestOptions } from '../types.ts'

type FolderSummary = SummaryJson['folders'][string]

/** The replies of several routes in one, each with its own schema. */
export async function summaryJson(
  deps: RestDeps,
  { deviceId, version, trustedProxies }: Pick<RestOptions, 'deviceId' | 'version' | 'trustedProxies'>,
  state: Omit<SystemState, 'address'>,
): Promise<SummaryJson> {
  const { clock, config, connections, pending } = deps
  const folders = await Promise.all(
    config.current.folders.map(async ({ id }) => [id, await folderSummary(deps, deviceId, id)] as const),
  )
  return {
    system: {
      myID: deviceId,
      version: version.version,
      uptimeS: Math.floor((clock.monotonicMs() - state.startedMonotonicMs) / 1_000),
      startTime: formatMs(state.startedMs),
      trustedProxies: trustedProxies?.names ?? [],
    },
    access: accessJson(deps.grant),
    folders: Object.fromEntries(folders.flatMap(([id, folder]) => (folder === undefined ? [] : [[id, folder]]))),
    connections: connectionsJson(shownConfig(deps), deviceId, clock.nowMs(), connections?.status()),
    pendingDevices: pendingDevicesJson(pending),
    pendingFolders: pendingFoldersJson(pending, undefined),
    errors: errorsJson(deps).errors,
    warnings: (await deps.warnings?.()) ?? [],
    disagreements: disagreementsJson(deps.disagreements?.() ?? []),
    indexImport: indexImportJson(deps.indexImport?.()),
    pauses: deps.pauses.all().map(pauseJson),
    scheduledPauses: deps.schedule.status().pauses.map(scheduledPauseJson),
    deviceStats: await deviceStatisticsJson(deps.deviceStatistics),
    folderStats: await folderStatisticsJson(deps.hub),
  }
}

function accessJson(grant: Grant | undefined): SummaryJson['access'] {
  const { name = null, scope = 'admin', folders } = grant ?? {}
  return { name, scope, folders: folders === undefined ? null : [...folders] }
}

function pauseJson({ target: { kind, id }, untilMs }: TimedPause): SummaryJson['pauses'][number] {
  return { kind, id, until: formatMs(untilMs) }
}

/** The values that the web page polls. */
export function pulseJson(deps: RestDeps, ownDevice: DeviceId, state: Pick<SystemState, 'startedMs'>): PulseJson {
  const { clock, connections } = deps
  return {
    startTime: formatMs(state.startedMs),
    connections: connectionsJson(shownConfig(deps), ownDevice, clock.nowMs(), connections?.status()),
    disagreements: disagreementsJson(deps.disagreements?.() ?? []),
    indexImport: indexImportJson(deps.indexImport?.()),
  }
}

/** Undefined for a folder that was just removed or has not started. */
async function folderSummary(deps: RestDeps, ownDevice: DeviceId, id: FolderId): Promise<FolderSummary | undefined> {
  try {
    const status = folderStatusJson(deps.hub.statusNow(id) ?? (await deps.hub.status(id)))
    const guard = await guardSummary(deps, id)
    const lastChange = await lastChangeOf(deps, id)
    return {
      status,
      completion: await completions(deps, ownDevice, id),
      ...(guard !== undefined && { guard }),
      ...(lastChange !== undefined && { lastChange }),
    }
  } catch (error) {
    if (error instanceof TwinfoldError && error.code.startsWith('folder-')) return undefined
    throw error
  }
}

/** From the history, which has changes of this device and of others. */
async function lastChangeOf({ explorer }: RestDeps, id: FolderId): Promise<string | undefined> {
  const { entries } = await (await explorer()).history(id, { path: '', limit: 1 }, NEVER)
  const [last] = entries
  return last && formatMs(last.atMs)
}

/** Undefined for a folder that does not run, too. */
async function guardSummary({ hub }: RestDeps, id: FolderId): Promise<FolderSummary['guard']> {
  return await hub.guard(id).then(guardSummaryJson, (error: unknown) => {
    if (error instanceof TwinfoldError && error.code.startsWith('folder-')) return undefined
    throw error
  })
}

async function completions(deps: RestDeps, ownDevice: DeviceId, id: FolderId): Promise<FolderSummary['completion']> {
  const { completion } = deps
  const folder = shownConfig(deps).folders.find((each) => each.id === id)
  if (completion === undefined || folder === undefined || folder.paused) return {}
  const others = folder.devices.filter(({ deviceID }) => deviceID !== ownDevice)
  const entries = others.map(async ({ deviceID }) => [deviceID, await completion.completion(id, deviceID)] as const)
  return Object.fromEntries(await Promise.all(entries))
}
