import { detach } from '../../core/errors.ts'
import { NetError } from '../net-error.ts'
import type { Udp, UdpAddress, UdpHandlers, UdpOptions, UdpSocket } from '../udp.ts'

interface OpenSocket {
  readonly machine: string
  readonly family: 4 | 6
  readonly port: number
  readonly groups: Set<string>
  readonly handlers: UdpHandlers
}

/** To all hosts, or to those of a network with 24 bits. */
const BROADCAST = /^\d+\.\d+\.\d+\.255$/
const LOOPBACK = new Set(['127.0.0.1', '::1'])
const FIRST_FREE_PORT = 49_152

/** Datagrams between the machines of one run. A broadcast reaches the machines of the same segment, the sender too. */
export class SimDatagrams {
  readonly #sockets = new Set<OpenSocket>()
  /** The local network of each machine; those without an entry share one. */
  readonly #segments = new Map<string, string>()
  readonly #travel: (from: string, to: string) => Promise<void>
  #nextPort = FIRST_FREE_PORT

  /** `travel` resolves when a datagram arrives, and never where the network loses it. */
  constructor(travel: (from: string, to: string) => Promise<void>) {
    this.#travel = travel
  }

  host(machine: string): Udp {
    return { open: async (options, handlers) => this.#open(machine, options, handlers) }
  }

  /** Moves a machine to another local network: broadcasts of the old one no longer reach it. */
  moveTo(machine: string, segment: string): void {
    this.#segments.set(machine, segment)
  }

  segmentOf(machine: string): string {
    return this.#segments.get(machine) ?? ''
  }

  /** The machine is off. */
  unplug(machine: string): void {
    for (const socket of this.#sockets) if (socket.machine === machine) this.#sockets.delete(socket)
  }

  #open(machine: string, { family, port }: UdpOptions, handlers: UdpHandlers): UdpSocket {
    const socket: OpenSocket = {
      machine,
      family,
      port: port === 0 ? this.#nextPort++ : port,
      groups: new Set(),
      handlers,
    }
    this.#sockets.add(socket)
    return {
      port: socket.port,
      send: async (data, to) => {
        if (!this.#sockets.has(socket)) throw new NetError('EBADF', 'the socket is closed')
        for (const receiver of this.#receivers(socket, to)) detach(this.#deliver(socket, receiver, data.slice()))
      },
      join: (group) => void socket.groups.add(group),
      [Symbol.asyncDispose]: async () => void this.#sockets.delete(socket),
    }
  }

  #receivers(sender: OpenSocket, { host, port }: UdpAddress): readonly OpenSocket[] {
    const bare = host.replace(/%.*$/, '')
    return [...this.#sockets].filter((one) => {
      if (one.family !== sender.family || one.port !== port) return false
      if (BROADCAST.test(bare)) return this.segmentOf(one.machine) === this.segmentOf(sender.machine)
      if (one.groups.has(bare)) return this.segmentOf(one.machine) === this.segmentOf(sender.machine)
      return LOOPBACK.has(bare) ? one.machine === sender.machine : one.machine === bare
    })
  }

  async #deliver(sender: OpenSocket, receiver: OpenSocket, data: Uint8Array): Promise<void> {
    await this.#travel(sender.machine, receiver.machine)
    if (this.#sockets.has(receiver)) receiver.handlers.onDatagram(data, { host: sender.machine, port: sender.port })
  }
}
