import { parseIp } from '../core/network/ip.ts'
import type { TlsStream } from '../platform/net.ts'
import type { InterfaceAddress } from '../platform/platform.ts'
import type { Connection } from '../protocol/types.ts'

/** The address of this machine that each connection uses. */
export class LocalHosts {
  readonly #hosts = new WeakMap<Connection, string>()

  record(connection: Connection, { localHost }: TlsStream): void {
    if (localHost !== undefined) this.#hosts.set(connection, localHost)
  }

  /** Connections from an address that the machine no longer has: nothing arrives on them any more. */
  dead(connections: readonly Connection[], networks: readonly InterfaceAddress[]): readonly Connection[] {
    if (networks.length === 0) return [] // they cannot be listed
    const present = new Set(networks.map(({ address }) => parseIp(address)?.value))
    return connections.filter((connection) => {
      const ip = parseIp(this.#hosts.get(connection) ?? '')
      const isLoopback = ip?.family === 4 && ip.value >> 24n === 127n // a whole network, of which one address is listed
      return ip !== undefined && !isLoopback && !present.has(ip.value)
    })
  }
}
