import type { Socket } from 'node:net'

/**
 * Reads both addresses, which the socket stores. False if it has none any more: after its network interface is gone,
 * reading an address of that interface throws, which would end the process in a listener.
 */
export function hasAddresses(socket: Partial<Pick<Socket, 'remoteAddress' | 'localAddress'>>): boolean {
  try {
    return socket.remoteAddress !== undefined && socket.localAddress !== undefined
  } catch {
    return false
  }
}
