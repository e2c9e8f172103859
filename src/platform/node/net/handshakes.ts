import type { Socket } from 'node:net'

const HANDSHAKE_MS_MAX = 10_000
/** Enough for all devices behind one router that reconnect at once. */
const PER_NETWORK_MAX = 64
const TOTAL_MAX = 1_024

interface UnknownDevice {
  readonly network: string
  readonly timer: NodeJS.Timeout
}

/**
 * Connections with a pending handshake, limited per network and in total; at the limit the oldest one is dropped,
 * because a device completes its handshake within milliseconds.
 */
export class Handshakes {
  /** A Map keeps the order of arrival. */
  readonly #waiting = new Map<Socket, UnknownDevice>()
  readonly #perNetwork = new Map<string, number>()

  get count(): number {
    return this.#waiting.size
  }

  /** The socket is destroyed unless `finish` is called for it in time. */
  begin(socket: Socket): void {
    const network = networkOf(socket.remoteAddress ?? '')
    if ((this.#perNetwork.get(network) ?? 0) >= PER_NETWORK_MAX) this.#dropOldest(network)
    else if (this.#waiting.size >= TOTAL_MAX) this.#dropOldest(this.#fullest())
    const timer = setTimeout(() => this.#drop(socket), HANDSHAKE_MS_MAX)
    this.#waiting.set(socket, { network, timer })
    this.#perNetwork.set(network, (this.#perNetwork.get(network) ?? 0) + 1)
    socket.once('close', () => this.finish(socket))
  }

  finish(socket: Socket): void {
    const pending = this.#waiting.get(socket)
    if (pending === undefined) return
    this.#waiting.delete(socket)
    clearTimeout(pending.timer)
    const left = (this.#perNetwork.get(pending.network) ?? 1) - 1
    if (left > 0) this.#perNetwork.set(pending.network, left)
    else this.#perNetwork.delete(pending.network)
  }

  dropAll(): void {
    for (const socket of this.#waiting.keys()) this.#drop(socket)
  }

  #dropOldest(network: string): void {
    for (const [socket, pending] of this.#waiting) {
      if (pending.network === network) return this.#drop(socket)
    }
  }

  #fullest(): string {
    let fullest = ''
    let most = 0
    for (const [network, count] of this.#perNetwork) {
      if (count > most) [fullest, most] = [network, count]
    }
    return fullest
  }

  #drop(socket: Socket): void {
    this.finish(socket)
    socket.destroy()
  }
}

/** A customer of a provider usually has a whole /64 of IPv6: its addresses count as one. */
function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  const [head = '', tail] = address.split('::')
  const groups = head.split(':')
  if (tail !== undefined) while (groups.length < 4) groups.push('0')
  return groups.slice(0, 4).join(':')
}
