import type { Config } from '../core/config/config.ts'
import { onlyLocalNetworks } from '../core/network/lan.ts'
import type { ScheduledLimits, ScheduleEffect } from '../core/schedule/effect.ts'

interface Rates {
  readonly maxSendKbps: number
  readonly maxRecvKbps: number
}

/** The configuration with what rules and conditions change in it. The same object when they change nothing. */
export function scheduledConfig(config: Config, effect: ScheduleEffect): Config {
  const { pauses, limits, deviceLimits, isLocalOnly } = effect
  const isLimited = limits.maxSendKbps !== null || limits.maxRecvKbps !== null
  if (pauses.length === 0 && !isLimited && deviceLimits.size === 0 && !isLocalOnly) return config
  const idsOf = (kind: 'folder' | 'device'): ReadonlySet<string> =>
    new Set(pauses.filter((pause) => pause.kind === kind).map(({ id }) => id))
  const [folders, devices] = [idsOf('folder'), idsOf('device')]
  const { alwaysLocalNets } = config.options
  return {
    ...config,
    folders: config.folders.map((folder) => (folders.has(folder.id) ? { ...folder, paused: true } : folder)),
    devices: config.devices.map((device) => ({
      ...device,
      ...ratesOf(device, deviceLimits.get(device.deviceID)),
      paused: device.paused || devices.has(device.deviceID),
      allowedNetworks: isLocalOnly
        ? onlyLocalNetworks(device.allowedNetworks, alwaysLocalNets)
        : device.allowedNetworks,
    })),
    options: {
      ...config.options,
      ...ratesOf(config.options, limits),
      // Both would keep using a connection that costs money, for devices that are not connected now.
      ...(isLocalOnly && { relaysEnabled: false, globalAnnounceEnabled: false }),
    },
  }
}

function ratesOf({ maxSendKbps, maxRecvKbps }: Rates, limits: ScheduledLimits | undefined): Rates {
  return { maxSendKbps: limits?.maxSendKbps ?? maxSendKbps, maxRecvKbps: limits?.maxRecvKbps ?? maxRecvKbps }
}
