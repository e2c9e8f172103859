import type { Config } from '../core/config/config.ts'
import type { DeviceId } from '../core/ids.ts'
import { ownWanted } from '../core/network/admission.ts'
import { hostOf } from '../core/network/ip.ts'
import { isAllowedNetwork } from '../core/network/lan.ts'
import type { Connection } from '../protocol/types.ts'

/** Why the configuration forbids a connection; undefined when it does not. */
export function closeReason({ devices, options }: Config, connection: Connection): string | undefined {
  const device = devices.find((one) => one.deviceID === connection.device)
  if (device === undefined) return 'device removed'
  if (device.paused) return 'device is paused'
  if (connection.transport.startsWith('relay') && !options.relaysEnabled) return 'relays are switched off'
  if (!isAllowedNetwork(hostOf(connection.remoteAddress), device.allowedNetworks)) return 'network not allowed'
  return undefined
}

/** Why a device needs a new Hello from us; undefined when what the last one announced is still true. */
export function helloChange(from: Config, to: Config, device: DeviceId): string | undefined {
  const [before, after] = [from, to].map(({ devices }) =>
    ownWanted(devices.find(({ deviceID }) => deviceID === device)?.numConnections ?? 0),
  )
  return before === after ? undefined : 'number of connections changed'
}
