export interface UdpAddress {
  /** An IP address; with a zone (`fe80::1%eth0`) where it is link-local or multicast IPv6. */
  readonly host: string
  readonly port: number
}

export interface UdpOptions {
  /** Sockets of one family do not receive datagrams of the other. */
  readonly family: 4 | 6
  /** 0 for any. Shared with other programs that allow it; each receives broadcast and multicast datagrams. */
  readonly port: number
  /** An IP address of the machine: sends from it, multicast by its interface. Default: every address. */
  readonly host?: string
}

export interface UdpSocket extends AsyncDisposable {
  readonly port: number
  /** Broadcast is allowed; multicast stays in the local network. Rejects if the system cannot send. */
  send(data: Uint8Array, to: UdpAddress): Promise<void>
  /** Receives datagrams to a multicast group on one interface, from now on. Throws if that is not possible. */
  join(group: string, interfaceName: string): void
}

export interface UdpHandlers {
  onDatagram(data: Uint8Array, from: UdpAddress): void
  /** The socket failed and receives nothing any more. */
  onError(error: Error): void
}

/** Datagrams. */
export interface Udp {
  open(options: UdpOptions, handlers: UdpHandlers): Promise<UdpSocket>
}
