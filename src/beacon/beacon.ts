import { broadcastAddresses, multicastInterfaces } from '../core/network/broadcast.ts'
import { messageOf } from '../core/errors.ts'
import type { Logger } from '../events/types.ts'
import type { Clock } from '../platform/clock.ts'
import type { InterfaceAddress } from '../platform/platform.ts'
import type { Udp, UdpAddress, UdpSocket } from '../platform/udp.ts'
import type { Service } from '../sync/supervisor.ts'
import { Wakeup } from '../sync/wakeup.ts'

const INTERVAL_MS = 30_000
/** Interval of checks for changed interfaces; the system sends no notification that Node can receive. */
const NETWORK_CHECK_MS = 2_000
/** Least time between two packets, because any host of the network can request one. */
const GAP_MS = 1_000
const RETRY_MS = 60_000

export interface BeaconDeps {
  readonly clock: Clock
  readonly udp: Udp
  readonly log: Logger
  networks(): readonly InterfaceAddress[]
  /** The packet to send; undefined when there is nothing to announce. */
  packet(): Uint8Array | undefined
  onPacket(packet: Uint8Array, sourceHost: string): void
  /** The addresses of the machine have changed. */
  onNetworkChange(): void
}

export interface BeaconOptions {
  readonly name: string
  readonly port: number
  /** IPv6 multicast to this group; without it IPv4 broadcast. */
  readonly group?: string
}

/** Sends a packet periodically, on request and after a change of the network, and receives those of others. */
export class Beacon implements Service {
  readonly name: string
  readonly #deps: BeaconDeps
  readonly #options: BeaconOptions
  readonly #requested = new Wakeup()
  #error: string | null = 'not started'

  constructor(deps: BeaconDeps, options: BeaconOptions) {
    this.name = options.name
    this.#deps = deps
    this.#options = options
  }

  /** Why nothing is sent or received at present; null while it works. */
  get error(): string | null {
    return this.#error
  }

  /** Sends a packet now, or a second after the last one. */
  sendSoon(): void {
    this.#requested.ring()
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps
    while (!signal.aborted) {
      try {
        await this.#runSocket(signal)
      } catch (error) {
        if (signal.aborted) return
        this.#error = messageOf(error)
        log.info(`${this.name}: ${messageOf(error)} (retrying in ${RETRY_MS / 1_000} s)`)
        await clock.sleep(RETRY_MS, signal).catch(() => {}) // an abort ends the loop
      }
    }
  }

  async #runSocket(signal: AbortSignal): Promise<void> {
    const { udp, log } = this.#deps
    const failed = new AbortController()
    const { group, port } = this.#options
    await using socket = await udp.open(
      { family: group === undefined ? 4 : 6, port },
      {
        onDatagram: (data, from) => this.#deps.onPacket(data, from.host),
        onError: (error) => failed.abort(error),
      },
    )
    log.debug(() => `${this.name}: open on port ${socket.port}`)
    await this.#announce(socket, AbortSignal.any([signal, failed.signal])).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  }

  async #announce(socket: UdpSocket, signal: AbortSignal): Promise<void> {
    const { clock } = this.#deps
    let networks = ''
    let isRepeated = true
    let sentMs = Number.NEGATIVE_INFINITY
    while (!signal.aborted) {
      const present = JSON.stringify(this.#deps.networks())
      const isChanged = present !== networks
      if (isChanged || !isRepeated || clock.monotonicMs() - sentMs >= INTERVAL_MS) {
        if (isChanged && networks !== '') this.#deps.onNetworkChange()
        isRepeated = !isChanged || networks === '' // a new network often drops the first packet
        networks = present
        await this.#send(socket)
        sentMs = clock.monotonicMs()
      }
      if (await this.#requested.waitAtMost(clock, NETWORK_CHECK_MS, signal)) {
        await clock.sleep(Math.max(0, sentMs + GAP_MS - clock.monotonicMs()), signal)
        sentMs = Number.NEGATIVE_INFINITY
      }
    }
  }

  /** To every network; an error is reported when none of them can be reached. */
  async #send(socket: UdpSocket): Promise<void> {
    const destinations = this.#destinations(socket)
    const packet = this.#deps.packet()
    if (packet === undefined) return void (this.#error = null)
    const results = await Promise.allSettled(destinations.map((to) => socket.send(packet, to)))
    const failures = results.flatMap((result) => (result.status === 'rejected' ? [messageOf(result.reason)] : []))
    this.#error = failures.length === results.length ? (failures[0] ?? 'no network to announce in') : null
    this.#deps.log.debug(() => `${this.name}: announced to ${results.length - failures.length} of ${results.length}`)
  }

  #destinations(socket: UdpSocket): readonly UdpAddress[] {
    const { group, port } = this.#options
    const networks = this.#deps.networks()
    if (group === undefined) return broadcastAddresses(networks).map((host) => ({ host, port }))
    return multicastInterfaces(networks).flatMap((name) => {
      try {
        socket.join(group, name)
        return [{ host: `${group}%${name}`, port }]
      } catch (error) {
        this.#deps.log.debug(() => `${this.name}: cannot join ${group} on ${name}: ${messageOf(error)}`)
        return []
      }
    })
  }
}
