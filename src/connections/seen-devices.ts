import { formatTcp } from '../core/network/address.ts'
import type { DeviceId } from '../core/ids.ts'
import { hostOf } from '../core/network/ip.ts'
import type { UnknownDevice } from './types.ts'

/** Bounds memory, as any host of the local network can connect with any number of device IDs. */
const DEVICES_MAX = 500
const DEFAULT_PORT = 22_000

/**
 * Where unknown devices of the local network have connected from. A device that the user accepts is dialled there at
 * once, at the usual port: without discovery no other address is known, and its own next attempt may take a minute.
 */
export class SeenDevices {
  readonly #hosts = new Map<DeviceId, string>()

  record({ device, address, isLocal }: UnknownDevice): void {
    this.#hosts.delete(device)
    if (!isLocal) return
    this.#hosts.set(device, hostOf(address))
    const [oldest] = this.#hosts.keys()
    if (oldest !== undefined && this.#hosts.size > DEVICES_MAX) this.#hosts.delete(oldest)
  }

  addressesOf(device: DeviceId): readonly string[] {
    const host = this.#hosts.get(device)
    return host === undefined ? [] : [formatTcp('tcp', host, DEFAULT_PORT)]
  }
}
