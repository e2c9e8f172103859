import { isAddressGone } from '../core/network/local-address.ts'
import type { TlsStream } from '../platform/net.ts'
import type { InterfaceAddress } from '../platform/platform.ts'
import type { Connection } from '../protocol/types.ts'

/** The address of this machine that each connection uses. */
export class LocalHosts {
  readonly #hosts = new WeakMap<Connection, string>()

  record(connection: Connection, { localHost }: TlsStream): void {
    if (localHost !== undefined) this.#hosts.set(connection, localHost)
  }

  /** Connections from an address that the machine no longer has. */
  dead(connections: readonly Connection[], networks: readonly InterfaceAddress[]): readonly Connection[] {
    return connections.filter((connection) => isAddressGone(this.#hosts.get(connection), networks))
  }
}
