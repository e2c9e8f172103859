import type { ConfigStore } from '../../config/types.ts'
import type { ConnectionFigures, ConnectionsStatus, DeviceFigures } from '../../connections/types.ts'
import type { Config } from '../../core/config/config.ts'
import { parseDeviceId, parseDeviceIdOrEmpty } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import { parseFolderId, type DeviceId } from '../../core/ids.ts'
import { CLUSTER_ROUTES } from '../../rest/cluster-routes.ts'
import type {
  ConnectionJson,
  ConnectionsJson,
  DeviceConnectionsJson,
  FolderOfferJson,
  PendingDevicesJson,
  PendingFoldersJson,
} from '../../rest/cluster.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Query } from '../pipeline/query.ts'
import { EMPTY_OK, json, type Reply } from '../pipeline/reply.ts'
import { bind, type Route } from '../pipeline/route.ts'
import { withScheduledPauses } from '../views/scheduled.ts'
import { formatWholeSeconds, TIME_ZERO } from '../views/times.ts'
import type { ScheduledPause } from '../../core/schedule/effect.ts'
import type { ScheduleView } from '../../schedule/types.ts'
import type { PendingView } from '../types.ts'

export interface ClusterRouteDeps {
  readonly clock: Clock
  readonly config: ConfigStore
  readonly connections?: { status(): ConnectionsStatus }
  readonly pending?: PendingView
  readonly schedule: ScheduleView
}

/** Other devices: connected, pending and paused. */
export function clusterRoutes(deps: ClusterRouteDeps, ownDevice: DeviceId): readonly Route[] {
  const { config, clock, pending, schedule } = deps
  return bind(CLUSTER_ROUTES, {
    'GET /rest/system/connections': () =>
      json(connectionsJson(shownConfig(deps), ownDevice, clock.nowMs(), deps.connections?.status())),
    'POST /rest/system/pause': ({ query }) => pause(config, ownDevice, true, query),
    'POST /rest/system/resume': async ({ query }) => {
      const reply = await pause(config, ownDevice, false, query)
      // What a rule pauses is resumed too: who asks for it does not know of rules.
      const named = query.first('device') ?? ''
      const isMeant = ({ kind, id }: ScheduledPause) =>
        kind === 'device' && (named === '' || id === parseDeviceId(named))
      await schedule.resume(schedule.status().pauses.filter(isMeant))
      return reply
    },
    'GET /rest/cluster/pending/devices': () => json(pendingDevicesJson(pending)),
    'DELETE /rest/cluster/pending/devices': ({ query }) => dismissDevice(pending, query),
    'GET /rest/cluster/pending/folders': ({ query }) => json(pendingFoldersJson(pending, deviceIn(query))),
    'DELETE /rest/cluster/pending/folders': ({ query }) => dismissFolder(pending, query),
  })
}

/** With the devices that are paused by a rule. */
export function shownConfig({ config, schedule }: Pick<ClusterRouteDeps, 'config' | 'schedule'>): Config {
  return withScheduledPauses(config.current, schedule.status().pauses)
}

/** All devices when none is given. It changes the configuration, so it persists. */
async function pause(
  config: ConfigStore,
  ownDevice: DeviceId,
  paused: boolean,
  query: Query<'device'>,
): Promise<Reply> {
  const named = query.first('device') ?? ''
  const wanted = named === '' ? undefined : parseDeviceId(named)
  await config.change((current) => {
    if (wanted !== undefined) return withPaused(current, paused, [wanted])
    return withPaused(
      current,
      paused,
      current.devices.map(({ deviceID }) => deviceID).filter((id) => id !== ownDevice),
    )
  })
  return EMPTY_OK
}

function withPaused(current: Config, paused: boolean, ids: readonly DeviceId[]): Config {
  const meant = new Set(ids)
  const devices = current.devices.map((device) => (meant.delete(device.deviceID) ? { ...device, paused } : device))
  if (meant.size > 0) throw new TwinfoldError('device-missing', 'not found')
  return { ...current, devices }
}

const NO_CONNECTION: ConnectionJson = {
  at: TIME_ZERO,
  inBytesTotal: 0,
  outBytesTotal: 0,
  startedAt: TIME_ZERO,
  address: '',
  type: '',
  isLocal: false,
  crypto: '',
}

export function connectionsJson(
  config: Config,
  ownDevice: DeviceId,
  nowMs: number,
  status: ConnectionsStatus | undefined,
): ConnectionsJson {
  const others = config.devices.filter(({ deviceID }) => deviceID !== ownDevice)
  const at = formatWholeSeconds(nowMs)
  return {
    connections: Object.fromEntries(
      others.map(({ deviceID, paused }) => [deviceID, deviceJson(status?.devices.get(deviceID), paused, at)]),
    ),
    total: { at, inBytesTotal: status?.inBytesTotal ?? 0, outBytesTotal: status?.outBytesTotal ?? 0 },
  }
}

/** The fields of the device are those of its primary connection, with the bytes of all connections. */
function deviceJson(figures: DeviceFigures | undefined, paused: boolean, at: string): DeviceConnectionsJson {
  const primary = figures === undefined ? NO_CONNECTION : connectionJson(figures.primary, at)
  const secondary = (figures?.secondary ?? []).map((one) => connectionJson(one, at))
  const all = [primary, ...secondary]
  return {
    at: primary.at,
    inBytesTotal: all.reduce((sum, one) => sum + one.inBytesTotal, 0),
    outBytesTotal: all.reduce((sum, one) => sum + one.outBytesTotal, 0),
    startedAt: primary.startedAt,
    connected: figures !== undefined,
    paused,
    clientVersion: figures?.clientVersion ?? '',
    address: primary.address,
    type: primary.type,
    isLocal: primary.isLocal,
    crypto: primary.crypto,
    primary,
    ...(secondary.length > 0 && { secondary }),
  }
}

function connectionJson(figures: ConnectionFigures, at: string): ConnectionJson {
  const { inBytesTotal, outBytesTotal, startedMs, address, type, isLocal, crypto } = figures
  return { at, inBytesTotal, outBytesTotal, startedAt: formatWholeSeconds(startedMs), address, type, isLocal, crypto }
}

export function pendingDevicesJson(pending: PendingView | undefined): PendingDevicesJson {
  const devices = pending?.devices ?? []
  return Object.fromEntries(
    devices.map(({ device, timeMs, name, address }) => [device, { time: formatWholeSeconds(timeMs), name, address }]),
  )
}

/** Remote devices choose the folder ids, which may be `__proto__`: `Object.fromEntries` is safe for it. */
export function pendingFoldersJson(pending: PendingView | undefined, device: DeviceId | undefined): PendingFoldersJson {
  const offers = (pending?.folders ?? []).filter((offer) => device === undefined || offer.device === device)
  const byFolder = Map.groupBy(offers, ({ folder }) => folder)
  return Object.fromEntries(
    [...byFolder].map(([folder, group]) => {
      const offeredBy = group.map((offer): [string, FolderOfferJson] => [
        offer.device,
        {
          time: formatWholeSeconds(offer.timeMs),
          label: offer.label,
          receiveEncrypted: offer.receiveEncrypted,
          remoteEncrypted: offer.remoteEncrypted,
        },
      ])
      return [folder, { offeredBy: Object.fromEntries(offeredBy) }]
    }),
  )
}

function dismissDevice(pending: PendingView | undefined, query: Query<'device'>): Reply {
  const device = deviceIn(query)
  if (device !== undefined) pending?.dismissDevice(device)
  return EMPTY_OK
}

function dismissFolder(pending: PendingView | undefined, query: Query<'folder' | 'device'>): Reply {
  const folder = parseFolderId(query.first('folder'))
  const device = deviceIn(query)
  if (folder !== undefined) pending?.dismissFolder(folder, device)
  return EMPTY_OK
}

/** Throws `bad-request` for an invalid device id. */
function deviceIn(query: Query<'device'>): DeviceId | undefined {
  const device = parseDeviceIdOrEmpty(query.first('device') ?? '')
  return device === '' ? undefined : device
}
